import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import type { BlobStore, SessionOptions } from "skillwright";
import { directoryBlobs } from "skillwright/stores/directory";
import { sqliteStore } from "skillwright/stores/sqlite";
import type { InputFile } from "../read-input.ts";
import { UsageError } from "../usage-error.ts";
import { stateFolder } from "./state-folder.ts";

/** One conversation of the command: its messages, and the session options that continue it. */
export interface Conversation {
  readonly options: SessionOptions;
  /** Where the content of loaded skills is kept, so that the conversation goes on unchanged. */
  readonly blobs: BlobStore | undefined;
  readonly messages: readonly ModelMessage[];
  /** Files handed in before; a workspace ends with its process, what a person gave does not. */
  readonly files: readonly InputFile[];
  /** Keeps files that are handed in now. */
  keep(files: readonly InputFile[]): Promise<void>;
  save(messages: readonly ModelMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens the conversation of a name, or one that is forgotten at the end. */
export async function openConversation(name: string | undefined): Promise<Conversation> {
  if (name === undefined)
    return { options: {}, blobs: undefined, messages: [], files: [], keep: async () => {}, save: async () => {}, close: async () => {} };
  if (!/^[\w.-]{1,100}$/.test(name) || name.startsWith(".")) {
    throw new UsageError(`"${name}" cannot name a session. Use letters, digits, dots, dashes and underscores.`);
  }
  const folder = join(stateFolder(), "sessions");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.json`);
  const store = sqliteStore(join(folder, "sessions.db"));
  return {
    options: { id: name, store },
    blobs: directoryBlobs(join(folder, "blobs")),
    messages: await readMessages(path),
    files: await readFiles(join(folder, `${name}.files`)),
    keep: (files) => keepFiles(join(folder, `${name}.files`), files),
    save: async (messages) => {
      await writeFile(`${path}.new`, JSON.stringify(messages), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    close: async () => {
      await store.close?.();
    },
  };
}

async function readMessages(path: string): Promise<ModelMessage[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return [];
  }
  try {
    return JSON.parse(text) as ModelMessage[];
  } catch (error) {
    throw new UsageError(
      `The conversation in ${path} cannot be read (${error instanceof Error ? error.message : "broken"}). Delete it or use another --session.`,
      { cause: error },
    );
  }
}

async function readFiles(folder: string): Promise<InputFile[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(folder)).sort();
  return Promise.all(names.map(async (name) => ({ name, data: await readFile(join(folder, name)) })));
}

async function keepFiles(folder: string, files: readonly InputFile[]): Promise<void> {
  for (const file of files) await writeFile(join(folder, file.name), file.data, { mode: 0o600 });
}
