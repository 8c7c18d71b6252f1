import { test } from "vitest";
import { survivesCrashes } from "../session/survives-crashes.ts";
import { crashTimeoutMs } from "../stores/crash-rounds.ts";

const servers = [
  { kind: "redis", location: process.env.SKILLWRIGHT_REDIS, variable: "SKILLWRIGHT_REDIS" },
  { kind: "postgres", location: process.env.SKILLWRIGHT_POSTGRES, variable: "SKILLWRIGHT_POSTGRES" },
] as const;

for (const { kind, location, variable } of servers) {
  test(`a session in ${kind} resumes with everything it had acknowledged, wherever its process was killed`, {
    timeout: crashTimeoutMs,
  }, async (context) => {
    if (location === undefined) return context.skip(`set ${variable} to the address of a server`);
    await survivesCrashes({ kind, location });
  });
}
