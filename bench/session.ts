import { defineSkill, memorySource, openSkills } from "skillwright";

// What preparing a model request costs when nothing changed: 1,000 skills, 5 of them loaded, the store in memory.
const skills = Array.from({ length: 1000 }, (_, index) =>
  defineSkill({
    name: `skill-${index}`,
    description: `Does thing number ${index}. Use when thing ${index} is asked for.`,
    body: `Steps of thing ${index}.\n`.repeat(60),
  }),
);
const library = await openSkills([memorySource(skills)]);
const session = await library.openSession();
for (let index = 0; index < 5; index++) await session.call("load_skill", { name: `skill-${index}` }, { callId: `${index}` });
const first = (await session.beforeRequest({ turn: "1" })).instructions;

const rounds = 20_000;
for (let index = 0; index < 2000; index++) await session.beforeRequest({ turn: "1" });
const times: number[] = [];
for (let index = 0; index < rounds; index++) {
  const start = performance.now();
  const view = await session.beforeRequest({ turn: "1" });
  times.push(performance.now() - start);
  if (view.instructions !== first) throw new Error("The instructions changed although nothing did.");
}
times.sort((a, b) => a - b);
const at = (share: number): string => `${((times[Math.floor(rounds * share)] ?? 0) * 1000).toFixed(1)} µs`;
console.log(`beforeRequest + instructions, unchanged: median ${at(0.5)}, p99 ${at(0.99)} (bar 50 µs)`);
