import { nearestNames } from "../core/index.ts";
import type { FaultOutcome, LoadedDocument, Outcome } from "../dialects/index.ts";
import { readHeld } from "./read-resource.ts";
import { fault, findSkill, type OperationCall, type SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";

/** Which documents a call asks for, checked. */
export interface RequestedDocuments {
  readonly selection: LoadedFact["documents"];
}

/** Documents are the text files of a skill beside its SKILL.md. */
async function documentsOf(context: SessionContext, skill: string, loaded: LoadedFact | undefined): Promise<string[]> {
  const files = loaded?.files ?? (await context.library.load(skill)).files;
  return files.map((file) => file.path).filter((path) => /\.(?:md|txt)$/i.test(path) && !/(?:^|\/)skill\.md$/i.test(path));
}

/** Reads the documents that a load or a selection names; a name that does not exist is a fault with the near ones. */
export async function requestedDocuments(
  context: SessionContext,
  call: OperationCall,
  skill: string,
  loaded: LoadedFact | undefined,
): Promise<RequestedDocuments | FaultOutcome | undefined> {
  if (call.args.allDocuments === true) return { selection: "all" };
  if (!Array.isArray(call.args.documents)) return undefined;
  const wanted = [...new Set(call.args.documents.map((name) => String(name).trim()).filter((name) => name !== ""))];
  if (wanted.length === 0) return undefined;
  const known = await documentsOf(context, skill, loaded);
  const missing = wanted.find((name) => !known.includes(name));
  if (missing === undefined) return { selection: wanted };
  return fault(context, "documents-not-found", missing, { skill, nearest: nearestNames(missing, known), available: known.slice(0, 30) });
}

/** The chosen documents of an active skill with their text. */
export async function chosenDocuments(context: SessionContext, fact: LoadedFact): Promise<LoadedDocument[]> {
  const paths = fact.documents === "all" ? await documentsOf(context, fact.name, fact) : fact.documents;
  const documents: LoadedDocument[] = [];
  for (const path of paths) {
    const resource = await readHeld(context, fact.name, fact, path);
    if (resource.text !== undefined) documents.push({ path, text: resource.text });
  }
  return documents;
}

/** Documents that a new selection has and the one before had not. */
export async function newDocuments(context: SessionContext, before: LoadedFact, after: LoadedFact): Promise<LoadedDocument[]> {
  if (before.documents === "all") return [];
  const had = new Set(before.documents);
  return (await chosenDocuments(context, after)).filter((document) => !had.has(document.path));
}

/** Names the documents of a skill. */
export async function listDocuments(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const found = findSkill(context, String(call.args.skill ?? ""));
  if ("kind" in found) return found;
  const skill = found.skill?.name ?? found.loaded?.name ?? "";
  return { kind: "documents", skill, documents: await documentsOf(context, skill, found.loaded) };
}

/** Adds to, replaces or clears the documents that travel with an active skill. */
export async function selectDocuments(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const wanted = String(call.args.skill ?? "");
  const found = findSkill(context, wanted);
  if ("kind" in found) return found;
  const { loaded } = found;
  if (loaded === undefined) return fault(context, "skill-must-be-loaded", wanted, { retryable: true });
  const asked = String(call.args.mode ?? "")
    .trim()
    .toLowerCase();
  const mode = asked === "add" || asked === "clear" ? asked : "replace";
  const requested = await requestedDocuments(context, call, loaded.name, loaded);
  if (requested !== undefined && "kind" in requested) return requested;
  const selection = merge(loaded.documents, requested?.selection ?? [], mode);
  const order = await context.facts.nextOrder();
  await context.facts.update(loaded.name, { documents: selection, used: order });
  const after = { ...loaded, documents: selection };
  const names = selection === "all" ? [] : selection;
  const placed = context.options.placement === "instructions";
  const added = placed ? [] : await newDocuments(context, loaded, after);
  return { kind: "documents-selected", skill: loaded.name, documents: names, all: selection === "all", mode, added };
}

/** While all are chosen, only clearing narrows. */
function merge(
  current: LoadedFact["documents"],
  wanted: LoadedFact["documents"],
  mode: "add" | "replace" | "clear",
): LoadedFact["documents"] {
  if (mode === "clear") return [];
  if (current === "all" || wanted === "all") return "all";
  return mode === "add" ? [...new Set([...current, ...wanted])] : wanted;
}
