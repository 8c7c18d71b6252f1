import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packTar } from "./pack-tar.ts";

test("an archive unpacks with names of every length, modes, links and empty folders", () => {
  const folder = mkdtempSync(join(tmpdir(), "pack-tar-"));
  const exact = `${"e".repeat(50)}/${"f".repeat(49)}`;
  const long = `${"ä".repeat(60)}/${"b".repeat(120)}.txt`;
  const target = `${"c".repeat(150)}/d`;
  try {
    const archive = packTar([
      { path: "plain.txt", data: Buffer.from("plain"), mode: 0o640 },
      { path: exact, data: Buffer.from("exactly one hundred"), mode: 0o644 },
      { path: long, data: Buffer.alloc(512, 7), mode: 0o755 },
      { path: "empty/", mode: 0o755 },
      { path: "short-link", link: "plain.txt", mode: 0o777 },
      { path: "long-link", link: target, mode: 0o777 },
      { path: "nothing", mode: 0o600 },
    ]);
    execFileSync("tar", ["-xpf", "-", "-C", folder], { input: archive });
    expect(readFileSync(join(folder, "plain.txt"), "utf8")).toBe("plain");
    expect(lstatSync(join(folder, "plain.txt")).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(folder, exact), "utf8")).toBe("exactly one hundred");
    expect(readFileSync(join(folder, long))).toEqual(Buffer.alloc(512, 7));
    expect(lstatSync(join(folder, long)).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(folder, "empty")).isDirectory()).toBe(true);
    expect(readlinkSync(join(folder, "short-link"))).toBe("plain.txt");
    expect(readlinkSync(join(folder, "long-link"))).toBe(target);
    expect(lstatSync(join(folder, "nothing")).size).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("equal content gives equal bytes", () => {
  const entries = [{ path: "a", data: Buffer.from("x"), mode: 0o644 }];
  expect(packTar(entries)).toEqual(packTar(entries));
});
