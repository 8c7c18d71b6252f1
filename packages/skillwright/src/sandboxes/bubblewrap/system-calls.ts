/** Processor architectures whose numbers are known, as `process.arch` spells them. */
export type Architecture = "x64" | "arm64";

/** Calls that a filter looks into or answers in its own way. */
export const specialCalls: Readonly<
  Record<Architecture, { readonly clone: number; readonly clone3: number; readonly ioctl: number; readonly socket: number }>
> = {
  x64: { clone: 56, clone3: 435, ioctl: 16, socket: 41 },
  arm64: { clone: 220, clone3: 435, ioctl: 29, socket: 198 },
};

/** Calls that fail: name, number on x64, number on arm64; null where an architecture has no such call. */
const denied: readonly (readonly [name: string, x64: number | null, arm64: number | null])[] = [
  // Tracing, and reaching into other processes.
  ["ptrace", 101, 117],
  ["process_vm_readv", 310, 270],
  ["process_vm_writev", 311, 271],
  ["process_madvise", 440, 440],
  ["pidfd_getfd", 438, 438],
  ["kcmp", 312, 272],
  ["perf_event_open", 298, 241],
  ["bpf", 321, 280],
  ["userfaultfd", 323, 282],
  ["lookup_dcookie", 212, 18],
  // Mounts and namespaces.
  ["mount", 165, 40],
  ["umount2", 166, 39],
  ["pivot_root", 155, 41],
  ["chroot", 161, 51],
  ["unshare", 272, 97],
  ["setns", 308, 268],
  ["open_tree", 428, 428],
  ["open_tree_attr", 467, 467],
  ["move_mount", 429, 429],
  ["fsopen", 430, 430],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["fspick", 433, 433],
  ["mount_setattr", 442, 442],
  ["name_to_handle_at", 303, 264],
  ["open_by_handle_at", 304, 265],
  ["fanotify_init", 300, 262],
  ["quotactl", 179, 60],
  ["quotactl_fd", 443, 443],
  ["swapon", 167, 224],
  ["swapoff", 168, 225],
  // Rings whose work a filter never sees.
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  // Keys of the host's keyring, which has no namespace.
  ["add_key", 248, 217],
  ["request_key", 249, 218],
  ["keyctl", 250, 219],
  // The kernel itself, its modules, clock and name.
  ["init_module", 175, 105],
  ["finit_module", 313, 273],
  ["delete_module", 176, 106],
  ["create_module", 174, null],
  ["query_module", 178, null],
  ["get_kernel_syms", 177, null],
  ["kexec_load", 246, 104],
  ["kexec_file_load", 320, 294],
  ["reboot", 169, 142],
  ["syslog", 103, 116],
  ["acct", 163, 89],
  ["settimeofday", 164, 170],
  ["clock_settime", 227, 112],
  ["clock_adjtime", 305, 266],
  ["adjtimex", 159, 171],
  ["sethostname", 170, 161],
  ["setdomainname", 171, 162],
  ["vhangup", 153, 58],
  // Old doors that nothing needs.
  ["personality", 135, 92],
  ["migrate_pages", 256, 238],
  ["move_pages", 279, 239],
  ["nfsservctl", 180, 42],
  ["uselib", 134, null],
  ["ustat", 136, null],
  ["sysfs", 139, null],
  ["_sysctl", 156, null],
  ["modify_ldt", 154, null],
  ["iopl", 172, null],
  ["ioperm", 173, null],
];

/** The numbers of the calls that fail on an architecture. */
export function deniedCalls(architecture: Architecture): number[] {
  const column = architecture === "x64" ? 1 : 2;
  return denied.map((row) => row[column]).filter((number) => number !== null);
}
