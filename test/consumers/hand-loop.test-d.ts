import { type Approval, openSkills, type Sandbox, type SessionStore } from "skillwright";

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** One process runs a hand-written loop until a call waits for a person. */
export async function ask(store: SessionStore, sandbox: Sandbox, calls: readonly Call[]): Promise<readonly Approval[]> {
  const library = await openSkills(["./skills"]);
  const session = await library.openSession({ id: "order-7", store, sandbox, approve: "ask" });
  await session.beforeRequest({ turn: "1" });
  for (const call of calls) {
    const result = await session.call(call.function.name, call.function.arguments, { callId: call.id });
    if (result.pending !== undefined) break;
  }
  const waiting = await session.pending();
  await session.close();
  return waiting;
}

/** Another process answers and goes on. */
export async function answer(store: SessionStore, sandbox: Sandbox, approved: boolean): Promise<string[]> {
  const library = await openSkills(["./skills"]);
  const session = await library.openSession({ id: "order-7", store, sandbox, approve: "ask" });
  const texts: string[] = [];
  for (const approval of await session.pending()) {
    const result = await session.resolve(approval.id, { approved });
    texts.push(result.text);
  }
  return texts;
}
