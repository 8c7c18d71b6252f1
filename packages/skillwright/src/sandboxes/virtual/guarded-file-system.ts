import type { IFileSystem } from "just-bash";

/** What a {@link guardedFileSystem} holds back. */
export interface GuardOptions {
  /** Absolute folders that programs only read. */
  readonly readOnly: readonly string[];
  readonly maxFileBytes: number;
}

/** A file system for programs, and how often each path was changed through it. */
export interface GuardedFileSystem {
  readonly fileSystem: IFileSystem;
  /** Grows with every change to a path. */
  version(path: string): number;
}

/** Wraps a file system so that programs cannot write below read-only folders, also not through links, nor files beyond a size. */
export function guardedFileSystem(base: IFileSystem, options: GuardOptions): GuardedFileSystem {
  const versions = new Map<string, number>();
  let changes = 0;

  const realOf = async (path: string, followLast: boolean): Promise<string> => {
    const slash = path.lastIndexOf("/");
    const [parent, name] = [path.slice(0, slash) || "/", path.slice(slash + 1)];
    if (followLast && (await base.exists(path))) return base.realpath(path);
    const realParent = await base.realpath(parent).catch(() => parent);
    return `${realParent === "/" ? "" : realParent}/${name}`;
  };
  const change = async (path: string, followLast: boolean): Promise<void> => {
    const real = await realOf(path.length > 1 ? path.replace(/\/+$/, "") : path, followLast);
    if (options.readOnly.some((folder) => real === folder || real.startsWith(`${folder}/`) || folder.startsWith(`${real}/`))) {
      throw new Error(`EROFS: read-only file system, '${path}'`);
    }
    versions.set(real, ++changes);
  };
  const checkSize = (path: string, bytes: number): void => {
    if (bytes > options.maxFileBytes) throw new Error(`EFBIG: file too large, '${path}'`);
  };
  const sizeOf = (content: string | Uint8Array): number => (typeof content === "string" ? Buffer.byteLength(content) : content.length);

  const fileSystem: IFileSystem = {
    readFile: (path, readOptions) => base.readFile(path, readOptions),
    readFileBuffer: (path) => base.readFileBuffer(path),
    exists: (path) => base.exists(path),
    stat: (path) => base.stat(path),
    lstat: (path) => base.lstat(path),
    readdir: (path) => base.readdir(path),
    readlink: (path) => base.readlink(path),
    realpath: (path) => base.realpath(path),
    resolvePath: (from, path) => base.resolvePath(from, path),
    getAllPaths: () => base.getAllPaths(),
    ...(base.readFileBytes && { readFileBytes: base.readFileBytes.bind(base) }),
    ...(base.readdirWithFileTypes && { readdirWithFileTypes: base.readdirWithFileTypes.bind(base) }),
    async writeFile(path, content, writeOptions) {
      checkSize(path, sizeOf(content));
      await change(path, true);
      await base.writeFile(path, content, writeOptions);
    },
    async appendFile(path, content, writeOptions) {
      const before = await base.stat(path).catch(() => ({ size: 0 }));
      checkSize(path, before.size + sizeOf(content));
      await change(path, true);
      await base.appendFile(path, content, writeOptions);
    },
    async mkdir(path, makeOptions) {
      // An existing folder is left as it is, so asking for it again changes nothing.
      if (makeOptions?.recursive === true && (await base.exists(path))) return;
      await change(path, false);
      await base.mkdir(path, makeOptions);
    },
    async rm(path, removeOptions) {
      await change(path, false);
      await base.rm(path, removeOptions);
    },
    async cp(from, to, copyOptions) {
      await change(to, true);
      await base.cp(from, to, copyOptions);
    },
    async mv(from, to) {
      await change(from, false);
      await change(to, false);
      await base.mv(from, to);
    },
    async chmod(path, mode) {
      await change(path, true);
      await base.chmod(path, mode);
    },
    async symlink(target, path) {
      await change(path, false);
      await base.symlink(target, path);
    },
    async link(existing, path) {
      // A second name of a read-only file would be a way to write it.
      await change(existing, true);
      await change(path, false);
      await base.link(existing, path);
    },
    async utimes(path, accessed, modified) {
      await change(path, true);
      await base.utimes(path, accessed, modified);
    },
  };
  return { fileSystem, version: (path) => versions.get(path) ?? 0 };
}
