#!/usr/bin/env node
// The library has no command of its own: this says where it is.
process.stderr.write("The skillwright command is in its own package: npx @skillwright/cli --help\n");
process.exitCode = 2;
