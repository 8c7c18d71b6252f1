const encoder = new TextEncoder();

/** What JSON leaves as it is and YAML does not take, or takes for a line's end. */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/**
 * The frontmatter of an entry as the first bytes of a SKILL.md. Files are fetched when they are used and not before,
 * so a listing has the frontmatter as data alone; whether the file says the same is checked when it is read.
 */
export function entryHeader(frontmatter: Readonly<Record<string, unknown>>): Uint8Array {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${keyText(key)}: ${valueText(value)}`);
  return encoder.encode(`---\n${lines.join("\n")}\n---\n`);
}

function keyText(key: string): string {
  return /^[A-Za-z][\w-]*$/.test(key) ? key : valueText(key);
}

function valueText(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
