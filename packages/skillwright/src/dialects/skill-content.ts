import type { LoadedDocument } from "./outcome.ts";

/** A body as skill content: marked, so that hosts recognise it and models see where it ends whatever it says. */
export function skillContent(name: string, digest: string, body: string): string {
  const attribute = name
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/\s+/g, " ");
  return `<skill_content name="${attribute}" digest="${digest}">\n${body.replace(/<(\/?)skill_content/gi, "&lt;$1skill_content").trim()}\n</skill_content>`;
}

/** A document of a skill, marked like its body. */
export function skillDocument({ path, text }: LoadedDocument): string {
  const attribute = path.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  return `<skill_document path="${attribute}">\n${text.replace(/<(\/?)skill_document/gi, "&lt;$1skill_document").trim()}\n</skill_document>`;
}

/** A sentence, and the documents that come with it. */
export function withDocuments(sentence: string, documents: readonly LoadedDocument[] = []): string {
  return [sentence, ...documents.map(skillDocument)].join("\n\n");
}
