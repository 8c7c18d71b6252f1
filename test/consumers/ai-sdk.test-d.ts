import { generateText, type LanguageModel, streamText, ToolLoopAgent } from "ai";
import { openSkills } from "skillwright";
import { toAiSdk } from "skillwright/adapters/ai-sdk";

/** The three ways in which an AI SDK application takes skills. */
export async function consume(model: LanguageModel): Promise<string> {
  await using library = disposable(await openSkills("./skills"));
  const session = await library.openSession();
  const skills = toAiSdk(session, { instructions: "You are a clerk." });
  const agent = new ToolLoopAgent({ model, ...skills });
  const first = await agent.generate({ prompt: "Sum up the sales." });
  const second = await generateText({ model, ...skills, prompt: "And the costs?" });
  const third = streamText({ model, ...skills, prompt: "And the profit?" });
  return `${first.text}${second.text}${await third.text}`;
}

function disposable<T extends { close(): Promise<void> }>(value: T): T & AsyncDisposable {
  return Object.assign(value, { [Symbol.asyncDispose]: () => value.close() });
}
