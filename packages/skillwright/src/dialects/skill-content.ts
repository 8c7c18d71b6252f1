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
