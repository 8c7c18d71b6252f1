/** A skill as the catalogue in the prompt shows it. */
export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
}

/**
 * Reads the skills from a prompt's texts, in whatever form a dialect writes its catalogue:
 * `<skill name="n">d</skill>`, `<skill><name>n</name>...</skill>`, or lines `- n: d` below a heading or inside a `<skills>` block.
 */
export function readCatalog(texts: Iterable<string>): CatalogEntry[] {
  const found = new Map<string, CatalogEntry>();
  for (const text of texts) {
    for (const entry of [...markupEntries(text), ...lineEntries(text), ...jsonEntries(text)]) {
      if (!found.has(entry.name)) found.set(entry.name, entry);
    }
  }
  return [...found.values()];
}

function markupEntries(text: string): CatalogEntry[] {
  const entries: CatalogEntry[] = [];
  for (const match of text.matchAll(/<skill\s+name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/skill>)/g)) {
    entries.push({ name: readEntities(match[1] ?? ""), description: readEntities(match[2] ?? "") });
  }
  for (const match of text.matchAll(/<skill>([\s\S]*?)<\/skill>/g)) {
    const name = childOf(match[1] ?? "", "name");
    if (name !== "") entries.push({ name, description: childOf(match[1] ?? "", "description") });
  }
  return entries;
}

/** A search's answer as JSON: a list of objects with a name and a description, perhaps inside an object. */
function jsonEntries(text: string): CatalogEntry[] {
  const json = /^[^\n[{]*\n?([[{][\s\S]*[\]}])\s*$/.exec(text)?.[1];
  if (json === undefined) return [];
  try {
    const value: unknown = JSON.parse(json);
    const lists = Array.isArray(value) ? [value] : Object.values(value as object).filter(Array.isArray);
    return lists
      .flat()
      .flatMap((item) => (typeof item?.name === "string" ? [{ name: item.name, description: String(item.description ?? "") }] : []));
  } catch {
    return [];
  }
}

function childOf(text: string, tag: string): string {
  return readEntities(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text)?.[1] ?? "");
}

function readEntities(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&").trim();
}

const listHeading = /^\s*(?:available skills|skills available|skills|可用的?技能)\s*(?:[(（].*[)）])?\s*[:：]\s*$/i;
const listLine = /^\s*[-*]\s+[`*]*([\p{L}\p{N}][\p{L}\p{N}_./:-]*?)[`*]*(?:\s*[:：]\s*|\s+[-–—]\s+|\s*$)(.*)$/u;

function lineEntries(text: string): CatalogEntry[] {
  const entries: CatalogEntry[] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    if (/^\s*<(?:available_)?skills\b/.test(line) || listHeading.test(line)) {
      inside = true;
      continue;
    }
    if (/^\s*<\/(?:available_)?skills>/.test(line)) inside = false;
    if (!inside) continue;
    const match = listLine.exec(line);
    if (match)
      entries.push({ name: match[1] ?? "", description: readEntities((match[2] ?? "").replace(/\s*\((?:file|dir): [^)]*\)\s*$/, "")) });
    else if (entries.length > 0 && line.trim() !== "" && !/^\s/.test(line) && !line.startsWith("[")) inside = false;
  }
  return entries;
}
