import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { SkillError } from "../../core/index.ts";
import { packTar, type TarEntry } from "../shell/pack-tar.ts";
import type { Engine } from "./connect-engine.ts";

/**
 * Builds the image of a folder with a `Dockerfile`, unless the engine has one of exactly that content; answers its name.
 * @throws SkillError `sandbox-unavailable` with the end of the engine's log
 */
export async function buildImage(engine: Engine, folder: string): Promise<string> {
  const archive = packTar(entriesOf(folder, ""));
  const name = `skillwright-build:${createHash("sha256").update(archive).digest("hex").slice(0, 24)}`;
  const known = await engine.docker
    .getImage(name)
    .inspect()
    .catch(() => undefined);
  if (known !== undefined) return name;

  const log: string[] = [];
  try {
    const stream = await engine.docker.buildImage(Readable.from([archive]), { t: name, rm: true, forcerm: true });
    await new Promise<void>((resolve, reject) => {
      const onLine = (line: { readonly stream?: string; readonly error?: string }): void => {
        if (line.stream) log.push(line.stream.trim());
        if (line.error !== undefined) reject(new Error(line.error));
      };
      engine.docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()), onLine);
    });
    return name;
  } catch (error) {
    throw notBuilt(folder, error, log);
  }
}

function entriesOf(folder: string, below: string): TarEntry[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry): TarEntry[] => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const full = join(folder, path);
    if (entry.isDirectory()) return [{ path: `${path}/`, mode: 0o755 }, ...entriesOf(folder, path)];
    if (entry.isSymbolicLink()) return [{ path, mode: 0o777, link: readlinkSync(full) }];
    return entry.isFile() ? [{ path, mode: statSync(full).mode, data: readFileSync(full) }] : [];
  });
}

function notBuilt(folder: string, cause: unknown, log: readonly string[]): SkillError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const end = log
    .filter((line) => line !== "")
    .slice(-5)
    .join(" | ");
  return new SkillError("sandbox-unavailable", `The image of ${folder} could not be built: ${reason}`, {
    hint: `Build it by hand (docker build ${folder}) to see the whole log.${end === "" ? "" : ` It ended with: ${end}`}`,
    cause,
  });
}
