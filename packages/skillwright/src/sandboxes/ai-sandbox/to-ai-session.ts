import { join } from "node:path/posix";
import type { Experimental_SandboxSession as AiSession } from "ai";
import { defaultLimits, SkillError } from "../../core/index.ts";
import type { RunResult, Workspace } from "../../workspace/index.ts";

type SpawnRequest = Parameters<AiSession["spawn"]>[0];
type Entry = NonNullable<Awaited<ReturnType<AiSession["listDirectory"]>>>[number];

/** Exit code of a path that is not there, in the scripts below. */
const notThere = 4;

/** How much of a folder's listing is read. */
const maxListingBytes = 8 * 1024 * 1024;

/** A workspace's calls as the AI SDK names them. */
export function aiSession(workspace: Workspace, options: { readonly description?: string; readonly maxFileBytes?: number }): AiSession {
  const maxBytes = options.maxFileBytes ?? defaultLimits.maxFileBytes;
  const place = (path: string): string => placeIn(workspace.root, path);

  /** Runs a script on a path as programs see it. */
  const ask = async (script: string, path: string, signal: AbortSignal | undefined): Promise<string | undefined> => {
    const absolute = path.startsWith("/") ? path : `${workspace.root}/work/${path}`;
    const result = await workspace.run(["sh", "-c", script, "sh", absolute], {
      maxOutputBytes: maxListingBytes,
      ...(signal && { signal }),
    });
    if (result.reason === "aborted") throw reasonOf(signal);
    if (result.exitCode === notThere) return undefined;
    if (result.exitCode === 0) return result.stdout;
    throw new SkillError("sandbox-failed", `${JSON.stringify(path)} cannot be looked at: ${result.stderr.trim() || result.reason}`, {
      hint: "Check whether the path names what it should.",
    });
  };

  const readBinaryFile: AiSession["readBinaryFile"] = async ({ path, abortSignal }) => {
    try {
      return await workspace.read(place(path), { maxBytes, ...(abortSignal && { signal: abortSignal }) });
    } catch (error) {
      if (SkillError.is(error, "file-not-found")) return null;
      throw error;
    }
  };
  const writeBinaryFile: AiSession["writeBinaryFile"] = async ({ path, content, abortSignal }) =>
    workspace.writeFiles([{ path: place(path), data: content }], abortSignal ? { signal: abortSignal } : {});

  return {
    description:
      options.description ?? `A workspace at ${workspace.root}; commands start in ${workspace.root}/work. Files elsewhere are not kept.`,
    readBinaryFile,
    readFile: async (request) => {
      const data = await readBinaryFile(request);
      return data === null ? null : streamOf(data);
    },
    readTextFile: async ({ encoding, startLine, endLine, ...request }) => {
      const data = await readBinaryFile(request);
      if (data === null) return null;
      const text = new TextDecoder(encoding ?? "utf-8").decode(data);
      if (startLine === undefined && endLine === undefined) return text;
      return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice((startLine ?? 1) - 1, endLine).join("");
    },
    writeBinaryFile,
    writeFile: async ({ content, ...request }) => writeBinaryFile({ ...request, content: await bytesOf(content) }),
    writeTextFile: async ({ content, encoding, ...request }) =>
      writeBinaryFile({ ...request, content: Buffer.from(content, nodeEncoding(encoding)) }),
    stat: async ({ path, abortSignal }) => {
      const answer = await ask(statScript, path, abortSignal);
      if (answer === undefined) return null;
      const [type, size] = answer.trim().split(/\s+/);
      return { type: type === "file" || type === "directory" ? type : "other", size: Number(size) };
    },
    listDirectory: async ({ path, abortSignal }) => {
      const answer = await ask(listDirectoryScript, path, abortSignal);
      if (answer === undefined) return null;
      // No name holds a slash.
      return answer.split("/").flatMap((entry) => (entry === "" ? [] : [{ name: entry.slice(1), type: typeOf(entry.charAt(0)) }]));
    },
    deleteFile: async ({ path, abortSignal }) => {
      const kind = await ask(kindScript, path, abortSignal);
      if (kind === undefined) return false;
      if (kind.trim() === "directory") {
        throw new SkillError("sandbox-failed", `${JSON.stringify(path)} is a folder, and only files are deleted.`, {
          hint: "Remove a folder with a command.",
        });
      }
      await workspace.remove(place(path));
      return true;
    },
    run: async ({ command, workingDirectory, env, abortSignal }) => {
      const result = await workspace.run(["sh", "-c", command], {
        ...(workingDirectory !== undefined && { cwd: place(workingDirectory) }),
        ...(env && { env }),
        ...(abortSignal && { signal: abortSignal }),
      });
      if (result.reason === "aborted") throw reasonOf(abortSignal);
      return { exitCode: exitCodeOf(result), stdout: result.stdout, stderr: result.stderr + noteOf(result) };
    },
    // One function stands for three signatures that differ in `stdin` alone.
    spawn: ((request: SpawnRequest) => spawn(workspace, place, request)) as AiSession["spawn"],
  };
}

async function spawn(workspace: Workspace, place: (path: string) => string, request: SpawnRequest): Promise<object> {
  const { command, workingDirectory, env, abortSignal, stdin } = request;
  const outlets = { stdout: outlet(), stderr: outlet() };
  const ending = new AbortController();
  const options = {
    ...(workingDirectory !== undefined && { cwd: place(workingDirectory) }),
    ...(env && { env }),
    signal: abortSignal ? AbortSignal.any([abortSignal, ending.signal]) : ending.signal,
    onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => outlets[stream].push(chunk),
  };
  if (stdin && workspace.start === undefined) {
    throw new SkillError("configuration-invalid", "This sandbox runs no program that is written to while it runs.", {
      hint: "Write the input to a file and let the command read it.",
    });
  }
  const live = stdin ? await workspace.start?.(["sh", "-c", command], options) : undefined;
  const result = live?.exited ?? workspace.run(["sh", "-c", command], options);
  const finished = result.then(
    (ended) => {
      const note = noteOf(ended);
      if (note !== "") outlets.stderr.push(new TextEncoder().encode(note));
    },
    () => undefined,
  );
  const close = (): void => {
    for (const each of Object.values(outlets)) each.close();
  };
  finished.then(close, close);
  return {
    stdout: outlets.stdout.stream,
    stderr: outlets.stderr.stream,
    wait: async () => {
      const ended = await result;
      if (abortSignal?.aborted) throw reasonOf(abortSignal);
      return { exitCode: exitCodeOf(ended) };
    },
    kill: async () => {
      ending.abort();
      await finished;
    },
    ...(live && {
      stdin: new WritableStream<Uint8Array>({
        write: (chunk) => live.write(chunk),
        close: () => live.closeStdin(),
        abort: () => live.closeStdin(),
      }),
    }),
  };
}

/** A stream that nobody has to read: what waits in it is bounded by the limits of the run. */
function outlet(): { readonly stream: ReadableStream<Uint8Array>; push(chunk: Uint8Array): void; close(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      controller = undefined;
    },
  });
  return {
    stream,
    push: (chunk) => controller?.enqueue(new Uint8Array(chunk)),
    close: () => {
      controller?.close();
      controller = undefined;
    },
  };
}

/** A path as the AI SDK names it, from the workspace's root. @throws SkillError `path-outside-root` */
function placeIn(root: string, path: string): string {
  const absolute = join(path.startsWith("/") ? path : `${root}/work/${path}`);
  if (absolute === root || absolute === `${root}/`) return ".";
  if (absolute.startsWith(`${root}/`)) return absolute.slice(root.length + 1);
  throw new SkillError("path-outside-root", `${JSON.stringify(path.slice(0, 200))} is outside the workspace.`, {
    hint: `Name a path below ${root}.`,
  });
}

const statScript = `
if [ -d "$1" ]; then echo directory 0; elif [ -f "$1" ]; then echo "file $(wc -c <"$1")"; elif [ -e "$1" ]; then echo other 0; else exit ${notThere}; fi
`;

const kindScript = `
if [ -L "$1" ]; then echo link; elif [ -d "$1" ]; then echo directory; elif [ -e "$1" ]; then echo file; else exit ${notThere}; fi
`;

const listDirectoryScript = `
[ -e "$1" ] || exit ${notThere}
[ -d "$1" ] || { echo "it is no folder" >&2; exit 1; }
cd -- "$1" || exit 1
for name in * .[!.]* ..?*; do
  if [ -L "$name" ]; then type=l; elif [ -d "$name" ]; then type=d; elif [ -f "$name" ]; then type=f; elif [ -e "$name" ]; then type=o; else continue; fi
  printf '%s%s/' "$type" "$name"
done
`;

function typeOf(letter: string): Entry["type"] {
  if (letter === "f") return "file";
  if (letter === "d") return "directory";
  return letter === "l" ? "symlink" : "other";
}

/** As shells say it for a program that was not found, and as `timeout` and the kernel do for one that was ended. */
function exitCodeOf(result: RunResult): number {
  if (result.exitCode !== null) return result.exitCode;
  if (result.reason === "start-failed") return 127;
  return result.reason === "timeout" ? 124 : 137;
}

/** What an exit code cannot say. */
function noteOf(result: RunResult): string {
  if (result.exitCode !== null || result.reason === "start-failed" || result.reason === "aborted") return "";
  return `\nThe command was ended: ${result.reason}.\n`;
}

function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? new SkillError("aborted", "The command was ended.");
}

function nodeEncoding(encoding: string | undefined): BufferEncoding {
  const name = encoding ?? "utf-8";
  if (Buffer.isEncoding(name)) return name;
  throw new SkillError("configuration-invalid", `Text cannot be written as ${JSON.stringify(name)}.`, {
    hint: "Use utf-8, utf-16le or latin1.",
  });
}

function streamOf(data: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(data);
      controller.close();
    },
  });
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
