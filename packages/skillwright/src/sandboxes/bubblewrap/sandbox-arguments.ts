/** The root of the workspace as programs see it. */
export const workspaceRoot = "/workspace";

/** Where the running Node stands inside when it does not live in /usr. */
const nodeFolder = "/opt/skillwright/bin";

/** Settings of programs below /usr that they do not work without, none of them secret; where missing they are left out. */
const settings: readonly string[] = [
  "alternatives",
  "ca-certificates",
  "fonts",
  "ImageMagick-6",
  "ImageMagick-7",
  "java",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "libreoffice",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "openssl",
  "paperspecs",
  "perl",
  "pki",
  "protocols",
  "R",
  "services",
  "ssl",
];

/** `/lib64` and its like, as the host has them: a link into /usr, or a folder of its own. */
export interface SystemFolder {
  readonly path: string;
  readonly link?: string;
}

/** What the command line of one run depends on. */
export interface SandboxArguments {
  /** The workspace's root on the host, and the folders directly in it. */
  readonly hostRoot: string;
  readonly folders: readonly string[];
  readonly readOnly: readonly string[];
  readonly mounts: readonly { readonly hostPath: string; readonly path: string; readonly readOnly: boolean }[];
  /** A folder that stands for /etc's own files: passwd, group, hosts. */
  readonly etc: string;
  /** The Node binary to show, where it is not below /usr. */
  readonly node?: string;
  /** The host folder behind /tmp, kept for the session. */
  readonly temporary: string;
  readonly sharedMemoryBytes: number;
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the root. */
  readonly cwd: string;
  readonly descriptors: { readonly seccomp?: number; readonly status: number; readonly block?: number };
  readonly system: readonly SystemFolder[];
}

/**
 * The arguments of bubblewrap for one run, to be handed over through a descriptor, since a command line is there for all users to read: namespaces of its own for everything, no capabilities, an empty environment, the host's
 * /usr read-only, the workspace's folders writable and nothing else. What is remounted read-only comes after all that is placed below it.
 */
export function sandboxArguments(run: SandboxArguments): string[] {
  const { descriptors } = run;
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--disable-userns", "--assert-userns-disabled", "--die-with-parent", "--new-session"],
    ...["--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--cap-drop", "ALL"],
    "--clearenv",
    ...Object.entries({
      PATH: `${run.node === undefined ? "" : `${nodeFolder}:`}/usr/local/bin:/usr/bin:/bin`,
      HOME: `${workspaceRoot}/.home`,
      TMPDIR: "/tmp",
      LANG: "C.UTF-8",
      ...run.env,
    }).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--ro-bind", "/usr", "/usr"],
    ...run.system.flatMap(({ path, link }) => (link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path])),
    ...settings.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...["passwd", "group", "hosts"].flatMap((name) => ["--ro-bind", `${run.etc}/${name}`, `/etc/${name}`]),
    ...(run.node === undefined ? [] : ["--ro-bind", run.node, `${nodeFolder}/node`]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", String(run.sharedMemoryBytes), "--tmpfs", "/dev/shm", "--bind", run.temporary, "/tmp"],
    ...["--ro-bind", run.hostRoot, workspaceRoot],
    ...run.folders
      .filter((name) => !run.readOnly.includes(name))
      .flatMap((name) => ["--bind", `${run.hostRoot}/${name}`, `${workspaceRoot}/${name}`]),
    ...run.readOnly
      .filter((path) => path.includes("/"))
      .flatMap((path) => ["--ro-bind", `${run.hostRoot}/${path}`, `${workspaceRoot}/${path}`]),
    ...run.mounts.flatMap((mount) => [mount.readOnly ? "--ro-bind" : "--bind", mount.hostPath, `${workspaceRoot}/${mount.path}`]),
    ...["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", run.cwd === "." ? workspaceRoot : `${workspaceRoot}/${run.cwd}`],
    ...(descriptors.seccomp === undefined ? [] : ["--seccomp", String(descriptors.seccomp)]),
    ...["--json-status-fd", String(descriptors.status)],
    ...(descriptors.block === undefined ? [] : ["--block-fd", String(descriptors.block)]),
  ];
}
