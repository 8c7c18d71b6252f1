import { Console } from "node:console";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { openSkills, type SkillEvent, type SkillLibrary } from "skillwright";
import { type McpSkills, toMcp } from "skillwright/adapters/mcp";
import { abortOnSignal } from "../abort-on-signal.ts";
import type { McpFlags } from "../commands/mcp.ts";
import { exitCode } from "../exit-code.ts";
import { chooseSandbox } from "../sandboxes.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import { isLoopback } from "./request-guard.ts";
import { serveHttp } from "./serve-http.ts";

/** Serves until the client is gone, or until Ctrl-C; nothing is left then. */
export async function serveMcp(roots: readonly string[], flags: McpFlags): Promise<number> {
  const http = flags.http === true ? addressOf(flags) : undefined;
  // On stdio the output is the protocol's: what any library prints goes to where people read.
  if (http === undefined) globalThis.console = new Console(process.stderr, process.stderr);
  const abort = abortOnSignal();
  let library: SkillLibrary | undefined;
  try {
    const { sandbox, description } = await chooseSandbox(flags.sandbox ?? "none", { signal: abort.signal });
    library = await openSkills({
      ...(roots.length === 0 ? {} : { sources: [...roots] }),
      ...(flags.trust === true ? { trust: true } : {}),
      ...(flags.strict === true ? { strict: true } : {}),
      onEvent: report,
    });
    const skills = toMcp(library, { version, session: { ...(sandbox ? { sandbox } : {}), ...localeOf(flags) } });
    const count = `${library.catalog.skills.length} skill${library.catalog.skills.length === 1 ? "" : "s"}`;
    try {
      const served = await (http === undefined
        ? overStdio(skills, abort.signal)
        : overHttp(skills, http, abort.signal, (url) => say(`${count} at ${url}; sandbox ${description}`)));
      return served;
    } finally {
      await skills.close();
    }
  } finally {
    abort.stop();
    await library?.close();
  }
}

async function overStdio(skills: McpSkills, signal: AbortSignal): Promise<number> {
  const ended = new Promise<"ended" | "interrupted">((resolve) => {
    for (const event of ["end", "close", "error"]) process.stdin.once(event, () => resolve("ended"));
    process.stdout.once("error", () => resolve("ended"));
    signal.addEventListener("abort", () => resolve("interrupted"), { once: true });
    if (signal.aborted) resolve("interrupted");
  });
  const handle = serveStdio(skills.server, { onerror: (error) => say(error.message) });
  const stop = skills.watch();
  const how = await ended;
  stop();
  await handle.close();
  process.stdin.destroy();
  return how === "ended" ? exitCode.ok : exitCode.interrupted;
}

async function overHttp(skills: McpSkills, address: Address, signal: AbortSignal, onListening: (url: string) => void): Promise<number> {
  const serving = await serveHttp(skills, { ...address, onError: (error) => say(error instanceof Error ? error.message : String(error)) });
  const stop = skills.watch(() => serving.changed());
  onListening(serving.url);
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  stop();
  await serving.close();
  return exitCode.interrupted;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
}

function addressOf({ host = "127.0.0.1", port = "3333", token = process.env.SKILLWRIGHT_TOKEN }: McpFlags): Address {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw new UsageError(`--port takes a number up to 65535, not "${port}".`);
  if (token === "" || /\s/.test(token ?? ""))
    throw new UsageError("The token is empty or holds a space; give one word of letters, digits and signs.");
  if (token === undefined && !isLoopback(host)) {
    throw new UsageError(
      `--host ${host} can be reached by others: give a --token (or SKILLWRIGHT_TOKEN), or leave --host out to serve this machine alone.`,
    );
  }
  return { host, port: number, token };
}

function localeOf({ locale }: McpFlags): { locale?: "en" | "zh" } {
  if (locale === undefined) return {};
  if (locale !== "en" && locale !== "zh") throw new UsageError(`--locale takes en or zh, not "${locale}".`);
  return { locale };
}

function report(event: SkillEvent): void {
  if (event.type === "skills-withheld") say(`${event.count} skill${event.count === 1 ? "" : "s"} of this project withheld. ${event.hint}`);
  if (event.type === "diagnostic" && event.diagnostic.severity !== "info") {
    const { location, message } = event.diagnostic;
    say(`${location}: ${message}`);
  }
}

function say(text: string): void {
  process.stderr.write(`skillwright: ${text}\n`);
}
