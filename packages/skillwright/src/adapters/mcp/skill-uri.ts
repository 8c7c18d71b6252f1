/** Where a `skill://` URI points: a skill by its name, and a path inside it ("" for its folder). */
export interface SkillPlace {
  readonly name: string;
  readonly path: string;
}

/** What stays as it is in a segment; the rest is percent-encoded, the same way the SDK writes the URIs of entries. */
const encoded = /[^\w!$&'()*+,.:;=@[\]|~-]/gu;

/** The URI of a skill's file, or of its folder without a path. */
export function skillUri(name: string, path = ""): string {
  const root = `skill://${encodeURIComponent(name)}`;
  return path === "" ? root : `${root}/${path.split("/").map(encodeSegment).join("/")}`;
}

function encodeSegment(segment: string): string {
  return segment.replaceAll(encoded, (character) => encodeURIComponent(character));
}

/** Reads a `skill://` URI; undefined for every other, and for one that names no skill. */
export function readSkillUri(uri: string): SkillPlace | undefined {
  const url = URL.parse(uri);
  if (url?.protocol !== "skill:" || url.host === "") return undefined;
  const name = decode(url.host);
  const path = decode(url.pathname.replace(/^\/+|\/+$/g, ""));
  return name === undefined || path === undefined ? undefined : { name, path };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
