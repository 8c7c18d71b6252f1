#!/usr/bin/env node
// This file alone must run on every Node: it says what the rest needs before the rest is read.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `skillwright needs Node 22.13 or newer; this is ${process.version}. Install a newer Node, or use \`npx --package=node@24 --package=@skillwright/cli skillwright\`.\n`,
  );
  process.exitCode = 2;
} else {
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(process.argv.slice(2));
}
