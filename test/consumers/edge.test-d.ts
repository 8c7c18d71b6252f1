import { defineSkill, memorySource, openSkills } from "skillwright/edge";

/** An edge runtime has no file system: skills come from code, and everything else is the same. */
export async function consume(request: {
  readonly question: string;
}): Promise<{ readonly system: string; readonly tools: readonly string[] }> {
  const skill = defineSkill({ name: "haiku", description: "Writes haiku. Use when asked for a poem.", body: "Seventeen syllables." });
  const library = await openSkills([memorySource([skill])]);
  const session = await library.openSession();
  const { instructions, tools } = await session.beforeRequest({ turn: request.question });
  return { system: instructions, tools: tools.map((tool) => tool.name) };
}
