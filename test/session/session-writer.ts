import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { defineSkill, memorySource, openSkills } from "../../packages/skillwright/src/index.ts";
import { directoryBlobs } from "../../packages/skillwright/src/stores/directory.ts";
import { openSessionStore, type StoreAddress } from "../stores/open-store.ts";
import { operation, skillNames } from "./session-operations.ts";

// Goes on loading and unloading where an earlier process was killed, and says each operation once the session has acknowledged it.
const [kind, location, blobs, sessionId] = process.argv.slice(2) as [StoreAddress["kind"], string, string, string];
const skills = skillNames.map((name) => defineSkill({ name, description: `Use for ${name}.`, body: `Body of ${name}. `.repeat(40) }));
const library = await openSkills({ sources: [memorySource(skills)], blobs: directoryBlobs(blobs) });
const store = await openSessionStore({ kind, location });
const session = await library.openSession({ id: sessionId, store });
flushCompileCache();
for (let number = Number((await store.get(sessionId, "progress"))?.value ?? 0); ; number++) {
  const { name, kind: what } = operation(number);
  if (what === "load") await session.call("load_skill", { name }, { callId: `call-${number}` });
  else await session.unload(name);
  await store.set(sessionId, "progress", number + 1);
  writeSync(1, `${number}.\n`);
}
