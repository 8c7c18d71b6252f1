import fc from "fast-check";
import { memoryBlobStore, memorySessionStore, openSkills, type SkillSession } from "skillwright";
import { expect, test } from "vitest";
import { skillFile, temporaryFolder, writeTree } from "./make-library.ts";

const names = ["a", "b", "c"] as const;

/** What may happen between two model requests, to either of two processes that share one session. */
type Step =
  | { readonly kind: "load"; readonly who: 0 | 1; readonly name: (typeof names)[number] }
  | { readonly kind: "load-both"; readonly first: (typeof names)[number]; readonly second: (typeof names)[number] }
  | { readonly kind: "unload"; readonly who: 0 | 1; readonly name: (typeof names)[number] }
  | { readonly kind: "edit"; readonly name: (typeof names)[number] }
  | { readonly kind: "compact"; readonly who: 0 | 1 }
  | { readonly kind: "restart"; readonly who: 0 | 1 };

const who = fc.constantFrom<0 | 1>(0, 1);
const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("load" as const), who, name }),
  fc.record({ kind: fc.constant("load-both" as const), first: name, second: name }),
  fc.record({ kind: fc.constant("unload" as const), who, name }),
  fc.record({ kind: fc.constant("edit" as const), name }),
  fc.record({ kind: fc.constant("compact" as const), who }),
  fc.record({ kind: fc.constant("restart" as const), who }),
);

test("any interleaving over two processes loses no load, gives no body twice, and holds what was pinned", async () => {
  const root = temporaryFolder();
  writeTree(root, Object.fromEntries(names.map((skill) => [`${skill}/SKILL.md`, skillFile(skill, `${skill} version 0`)])));
  const blobs = memoryBlobStore();
  const libraries = [await openSkills({ sources: [root], blobs }), await openSkills({ sources: [root], blobs })] as const;
  let round = 0;
  let version = 0;
  let call = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const store = memorySessionStore();
      const id = `session-${++round}`;
      const open = (index: 0 | 1): Promise<SkillSession> => libraries[index].openSession({ id, store });
      const sessions = [await open(0), await open(1)];
      /** Version of each skill by what the files say, and by what the session loaded. */
      const pinned = new Map<string, string>();
      const current = new Map<string, string>();
      for (const skill of names) {
        writeTree(root, { [`${skill}/SKILL.md`]: skillFile(skill, `${skill} version ${++version}`) });
        current.set(skill, `${skill} version ${version}`);
      }
      /** Bodies that stand in each process's context. */
      const contexts = [new Set<string>(), new Set<string>()];

      const load = async (index: 0 | 1, skill: string): Promise<void> => {
        const before = pinned.get(skill) ?? current.get(skill) ?? "";
        const { text, isError } = await (sessions[index] as SkillSession).call("load_skill", { name: skill }, { callId: `call-${++call}` });
        expect(isError).toBe(false);
        if (text.includes("<skill_content")) {
          expect(contexts[index]?.has(skill)).toBe(false);
          expect(text).toContain(before);
          contexts[index]?.add(skill);
        }
        if (!pinned.has(skill)) pinned.set(skill, before);
      };

      for (const now of steps) {
        if (now.kind === "load") await load(now.who, now.name);
        else if (now.kind === "load-both") {
          if (now.first === now.second) await load(0, now.first);
          else await Promise.all([load(0, now.first), load(1, now.second)]);
        } else if (now.kind === "unload") {
          await (sessions[now.who] as SkillSession).unload(now.name);
          pinned.delete(now.name);
          for (const context of contexts) context.delete(now.name);
        } else if (now.kind === "edit") {
          const text = `${now.name} version ${++version}`;
          writeTree(root, { [`${now.name}/SKILL.md`]: skillFile(now.name, text) });
          current.set(now.name, text);
          for (const library of libraries) await library.refresh();
        } else if (now.kind === "compact") {
          await (sessions[now.who] as SkillSession).beforeRequest({ history: [] });
          contexts[now.who]?.clear();
        } else {
          await (sessions[now.who] as SkillSession).close();
          sessions[now.who] = await open(now.who);
          await (sessions[now.who] as SkillSession).beforeRequest({ history: [] });
          contexts[now.who]?.clear();
        }
        for (const session of sessions) {
          await session.beforeRequest();
          expect(session.active.map((skill) => skill.name).sort()).toEqual([...pinned.keys()].sort());
        }
      }
      const restored = await sessions[0]?.rehydrate();
      for (const body of pinned.values()) expect(restored).toContain(body);
    }),
    { numRuns: 60 },
  );
});
