import { expect, test } from "vitest";
import { seccompFilter } from "./seccomp-filter.ts";

const native = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const allow = 0x7fff0000;
const kill = 0x80000000;
const errno = (number: number): number => 0x00050000 | number;

/** What the kernel would answer: runs the program on one call, as `struct seccomp_data` shows it. */
function answer(program: Buffer, call: { readonly arch: number; readonly nr: number; readonly args?: readonly number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.nr >>> 0, 0);
  data.writeUInt32LE(call.arch >>> 0, 4);
  for (const [index, value] of (call.args ?? []).entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8);
    const value = program.readUInt32LE(at * 8 + 4);
    const jump = (holds: boolean): void => {
      at += program.readUInt8(at * 8 + (holds ? 2 : 3));
    };
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program ran past its end");
}

const calls = [
  ["read", { x64: 0, arm64: 63 }, [], allow],
  ["write", { x64: 1, arm64: 64 }, [], allow],
  ["execve", { x64: 59, arm64: 221 }, [], allow],
  ["openat", { x64: 257, arm64: 56 }, [], allow],
  ["mount", { x64: 165, arm64: 40 }, [], errno(1)],
  ["unshare", { x64: 272, arm64: 97 }, [], errno(1)],
  ["setns", { x64: 308, arm64: 268 }, [], errno(1)],
  ["ptrace", { x64: 101, arm64: 117 }, [], errno(1)],
  ["bpf", { x64: 321, arm64: 280 }, [], errno(1)],
  ["keyctl", { x64: 250, arm64: 219 }, [], errno(1)],
  ["io_uring_setup", { x64: 425, arm64: 425 }, [], errno(1)],
  ["mount_setattr", { x64: 442, arm64: 442 }, [], errno(1)],
  ["clone3", { x64: 435, arm64: 435 }, [], errno(38)],
  ["clone of a thread", { x64: 56, arm64: 220 }, [0x3d0f00], allow],
  ["clone of a process", { x64: 56, arm64: 220 }, [17], allow],
  ["clone into a user namespace", { x64: 56, arm64: 220 }, [0x10000000 | 17], errno(1)],
  ["ioctl TCGETS", { x64: 16, arm64: 29 }, [0, 0x5401], allow],
  ["ioctl TIOCSTI", { x64: 16, arm64: 29 }, [0, 0x5412], errno(1)],
  ["ioctl TIOCSTI with bits above", { x64: 16, arm64: 29 }, [0, 0x1_0000_5412], errno(1)],
  ["ioctl TIOCLINUX", { x64: 16, arm64: 29 }, [0, 0x541c], errno(1)],
  ["socket unix", { x64: 41, arm64: 198 }, [1], allow],
  ["socket inet", { x64: 41, arm64: 198 }, [2], allow],
  ["socket inet6", { x64: 41, arm64: 198 }, [10], allow],
  ["socket netlink", { x64: 41, arm64: 198 }, [16], allow],
  ["socket vsock", { x64: 41, arm64: 198 }, [40], errno(97)],
  ["socket packet", { x64: 41, arm64: 198 }, [17], errno(97)],
  ["socket alg", { x64: 41, arm64: 198 }, [38], errno(97)],
] as const;

for (const architecture of ["x64", "arm64"] as const) {
  const program = seccompFilter(architecture);

  test.each(calls)(`%s on ${architecture}`, (_name, numbers, args, expected) => {
    expect(answer(program, { arch: native[architecture], nr: numbers[architecture], args }) >>> 0).toBe(expected >>> 0);
  });

  test(`calls of another architecture end the program on ${architecture}`, () => {
    for (const arch of [0x40000003, 0x40000028, native[architecture === "x64" ? "arm64" : "x64"]]) {
      expect(answer(program, { arch, nr: 0 })).toBe(kill);
    }
  });

  test(`every call has an answer on ${architecture}`, () => {
    for (let nr = 0; nr < 600; nr++) {
      for (const args of [[], [0x10000000, 0x5412], [40]])
        expect([allow, errno(1), errno(38), errno(97)]).toContain(answer(program, { arch: native[architecture], nr, args }));
    }
  });
}

test("numbers of the x32 kind are unknown calls", () => {
  expect(answer(seccompFilter("x64"), { arch: native.x64, nr: 0x40000000 + 59 })).toBe(errno(38));
});
