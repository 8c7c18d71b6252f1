import { memorySessionStore } from "skillwright";
import { expect, test } from "vitest";
import { makeLibrary, skillFile } from "../session/make-library.ts";

const tree = { "mole/SKILL.md": skillFile("mole", "Dig with $ARGUMENTS.", "argument-hint: a tool\n") };

test("one conversation is told once, many are told each time", async () => {
  const { library } = await makeLibrary(tree);
  const texts = async (conversation: "one" | "many"): Promise<string[]> => {
    const session = await library.openSession({ conversation });
    const results = [];
    for (const callId of ["a", "b"]) results.push(await session.call("load_skill", { name: "mole" }, { callId }));
    await session.close();
    return results.map((result) => result.text);
  };
  const [first = "", again = ""] = await texts("one");
  expect(first).toContain("Dig with");
  expect(again).toContain("already loaded");
  expect(await texts("many")).toEqual([first, first]);
});

test("many conversations that load at the same moment are all answered in full", async () => {
  const { library } = await makeLibrary(tree);
  const session = await library.openSession({ conversation: "many" });
  const calls = Array.from({ length: 20 }, (_, index) => session.call("load_skill", { name: "mole" }, { callId: `${index}` }));
  for (const result of await Promise.all(calls)) expect(result.text).toContain("Dig with");
  expect(session.active.map((skill) => skill.name)).toEqual(["mole"]);
});

test("a user's own command is carried out again, with its own words", async () => {
  const { library } = await makeLibrary(tree);
  const session = await library.openSession({ conversation: "many" });
  expect((await session.activate("mole", "a spade")).text).toContain("Dig with a spade.");
  expect((await session.activate("mole", "a spoon")).text).toContain("Dig with a spoon.");
});

test("a session of many conversations stays small however many calls it answers", async () => {
  const { library } = await makeLibrary(tree);
  const store = memorySessionStore();
  const session = await library.openSession({ conversation: "many", store, id: "many" });
  const call = (index: number) => session.call("load_skill", { name: "mole" }, { callId: `call-${index}` });
  await call(0);
  const facts = (await store.list("many", "")).length;
  const entries = session.ledger.entries.length;
  for (let index = 1; index <= 50; index++) await call(index);
  expect((await store.list("many", "")).length).toBe(facts);
  expect(session.ledger.entries.length).toBe(entries);
});
