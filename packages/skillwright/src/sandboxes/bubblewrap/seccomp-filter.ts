import { type Architecture, deniedCalls, specialCalls } from "./system-calls.ts";

// Classic BPF, as the kernel reads it: struct sock_filter { u16 code; u8 jt; u8 jf; u32 k; }.
const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const equal = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const atLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const anyBit = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const answer = 0x06; // BPF_RET | BPF_K

// struct seccomp_data { int nr; u32 arch; u64 instruction_pointer; u64 args[6]; }, little-endian on both architectures.
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

const allow = 0x7fff0000;
const kill = 0x80000000;
const fail = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const auditArchitecture: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const x32Bit = 0x40000000;
const CLONE_NEWUSER = 0x10000000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** Unix, IPv4, IPv6 and netlink: the network namespace confines these. Others, vsock above all, would reach past it. */
const allowedFamilies: readonly number[] = [1, 2, 10, 16];

/**
 * Builds the filter that programs in the sandbox run under: calls that reach for other processes, mounts, namespaces, keys,
 * kernel modules or tracing fail with EPERM; `clone3`, whose flags a filter cannot read, fails with ENOSYS, so that libraries
 * take `clone`; foreign architectures are killed. Everything else is allowed.
 */
export function seccompFilter(architecture: Architecture): Buffer {
  const special = specialCalls[architecture];
  const program: Instruction[] = [
    [load, 0, 0, architectureAt],
    [equal, 1, 0, auditArchitecture[architecture]],
    [answer, 0, 0, kill],
    [load, 0, 0, numberAt],
  ];
  if (architecture === "x64") program.push([atLeast, 0, 1, x32Bit], [answer, 0, 0, fail(ENOSYS)]);
  for (const number of deniedCalls(architecture)) program.push([equal, 0, 1, number], [answer, 0, 0, fail(EPERM)]);
  program.push([equal, 0, 1, special.clone3], [answer, 0, 0, fail(ENOSYS)]);
  program.push(
    ...onCall(special.clone, [
      [load, 0, 0, argumentAt(0)],
      [anyBit, 0, 1, CLONE_NEWUSER],
      [answer, 0, 0, fail(EPERM)],
      [answer, 0, 0, allow],
    ]),
  );
  program.push(
    ...onCall(special.ioctl, [
      [load, 0, 0, argumentAt(1)],
      [equal, 1, 0, TIOCSTI],
      [equal, 0, 1, TIOCLINUX],
      [answer, 0, 0, fail(EPERM)],
      [answer, 0, 0, allow],
    ]),
  );
  program.push(
    ...onCall(special.socket, [
      [load, 0, 0, argumentAt(0)],
      ...allowedFamilies.map((family, index): Instruction => [equal, allowedFamilies.length - index, 0, family]),
      [answer, 0, 0, fail(EAFNOSUPPORT)],
      [answer, 0, 0, allow],
    ]),
  );
  program.push([answer, 0, 0, allow]);
  return encode(program);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A block for one call; the others jump over it. */
function onCall(number: number, block: readonly Instruction[]): Instruction[] {
  return [[equal, 0, block.length, number], ...block];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
