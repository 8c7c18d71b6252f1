import { escapeMarkup, foldLine } from "../core/index.ts";
import type { LoadedDocument } from "./outcome.ts";

/** A body as skill content: marked, so that hosts recognise it and models see where it ends whatever it says. */
export function skillContent(name: string, digest: string, body: string): string {
  return `<skill_content name="${attribute(name)}" digest="${digest}">\n${contained(body, "skill_content")}\n</skill_content>`;
}

/** A document of a skill, marked like its body. */
export function skillDocument({ path, text }: LoadedDocument): string {
  return `<skill_document path="${attribute(path)}">\n${contained(text, "skill_document")}\n</skill_document>`;
}

/** A sentence, and the documents that come with it. */
export function withDocuments(sentence: string, documents: readonly LoadedDocument[] = []): string {
  return [sentence, ...documents.map(skillDocument)].join("\n\n");
}

/** A text that can neither open nor close a mark of ours, without the blank lines around it. */
export function contained(text: string, tag: string): string {
  return trimBlankLines(text.replace(new RegExp(`<(/?)${tag}`, "gi"), `&lt;$1${tag}`));
}

/** Takes blank lines off both ends; the first line keeps its indentation, which may make it code. */
export function trimBlankLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

/** A value inside quotes of a mark. */
export function attribute(value: string): string {
  return escapeMarkup(foldLine(value));
}
