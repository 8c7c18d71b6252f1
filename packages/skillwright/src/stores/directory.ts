import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BlobStore, type Digest, digestOf } from "../core/index.ts";
import type { Artifact, ArtifactStore } from "../session/index.ts";
import { draftsIn } from "./directory/drafts.ts";
import { hashKey } from "./wire/hash-key.ts";
import { guarded } from "./wire/store-failure.ts";
import { isDigest, verifyBytes } from "./wire/verify-bytes.ts";

/**
 * An {@link ArtifactStore} in a folder, which any number of processes may share: `<session>/<name>/<version>/` with the bytes
 * in `data` and the rest in `artifact.json`. Sessions and names stand there as digests, so no name is ever a path.
 * @throws SkillError `store-failed` when the folder refuses an operation
 * @throws SkillError `digest-mismatch` when the bytes kept of an artifact are damaged
 */
export function directoryArtifacts(dir: string): ArtifactStore {
  const run = <T>(work: () => Promise<T>): Promise<T> => guarded("artifact folder", folderHint(dir), work);
  const nextDraft = draftsIn(dir);
  const sessionFolder = (sessionId: string) => join(dir, "sessions", hashKey(sessionId));

  const describe = async (folder: string, version: number): Promise<Artifact> => {
    const { name, mediaType, bytes, digest } = JSON.parse(await readFile(join(folder, String(version), "artifact.json"), "utf8"));
    return { name, version, mediaType, bytes, digest };
  };

  return {
    save: (sessionId, name, data, { mediaType }) =>
      run(async () => {
        const kept = data.slice();
        const described = { name, mediaType, bytes: kept.byteLength, digest: await digestOf(kept) };
        const draft = await nextDraft();
        await mkdir(draft);
        await writeFile(join(draft, "data"), kept);
        await writeFile(join(draft, "artifact.json"), JSON.stringify(described));
        const folder = join(sessionFolder(sessionId), hashKey(name));
        await mkdir(folder, { recursive: true });
        const version = await claimVersion(draft, folder);
        return { ...described, version };
      }),
    list: (sessionId) =>
      run(async () => {
        const artifacts: Artifact[] = [];
        for (const entry of await namesIn(sessionFolder(sessionId))) {
          const folder = join(sessionFolder(sessionId), entry);
          const version = await newestIn(folder);
          if (version !== undefined) artifacts.push(await describe(folder, version));
        }
        return artifacts.sort((a, b) => (a.name < b.name ? -1 : 1));
      }),
    read: (sessionId, name, version) =>
      run(async () => {
        const folder = join(sessionFolder(sessionId), hashKey(name));
        const wanted = version ?? (await newestIn(folder));
        if (wanted === undefined || !Number.isSafeInteger(wanted)) return undefined;
        const path = join(folder, String(wanted), "data");
        const data = await readIfThere(path);
        if (data === undefined) return undefined;
        const artifact = await describe(folder, wanted);
        return { artifact, data: await verifyBytes(data, artifact.digest, path) };
      }),
  };
}

/**
 * A {@link BlobStore} in a folder, which any number of processes may share: the bytes of `sha256:abcd...` in `ab/cd...`.
 * A blob appears whole or not at all, and is verified whenever it is read.
 * @throws SkillError `store-failed` when the folder refuses an operation
 */
export function directoryBlobs(dir: string): BlobStore {
  const run = <T>(work: () => Promise<T>): Promise<T> => guarded("blob folder", folderHint(dir), work);
  const nextDraft = draftsIn(dir);
  const shard = (digest: Digest) => join(dir, digest.slice(7, 9));
  const pathOf = (digest: Digest) => join(shard(digest), digest.slice(9));

  return {
    get: (digest) =>
      run(async () => {
        if (!isDigest(digest)) return undefined;
        const bytes = await readIfThere(pathOf(digest));
        return bytes && verifyBytes(bytes, digest, pathOf(digest));
      }),
    put: (bytes) =>
      run(async () => {
        const kept = bytes.slice();
        const digest = await digestOf(kept);
        // Compared by content, not by name: a blob that a power cut or a stranger damaged is replaced here.
        if ((await readIfThere(pathOf(digest)))?.equals(kept)) return digest;
        const draft = await nextDraft();
        await writeFile(draft, kept);
        await mkdir(shard(digest), { recursive: true });
        await rename(draft, pathOf(digest));
        return digest;
      }),
    has: (digest) => run(async () => isDigest(digest) && (await stat(pathOf(digest)).catch(ifMissing)) !== undefined),
  };
}

/** Moves a complete draft to the next free version: a folder never replaces one that holds something, so one writer wins it. */
async function claimVersion(draft: string, folder: string): Promise<number> {
  for (let version = ((await newestIn(folder)) ?? -1) + 1; ; version++) {
    try {
      await rename(draft, join(folder, String(version)));
      return version;
    } catch (error) {
      const taken = (await stat(join(folder, String(version))).catch(ifMissing)) !== undefined;
      if (taken) continue;
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
  }
}

async function newestIn(folder: string): Promise<number | undefined> {
  const versions = (await namesIn(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  return versions.length === 0 ? undefined : Math.max(...versions);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(ifMissing)) ?? [];
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(ifMissing);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function folderHint(dir: string): string {
  return `Check that "${dir}" is a folder that this process may read and write, and that the disk has room.`;
}
