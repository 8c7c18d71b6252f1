/** What a skill needs before it can work. Lists hold what all must be there; a group, of which one is enough. */
export interface Requirements {
  readonly programs: readonly string[];
  readonly programGroups: readonly (readonly string[])[];
  readonly env: readonly string[];
  /** Settings of the host, by key. */
  readonly config: readonly string[];
  /** Operating systems as Node names them; empty means any. */
  readonly systems: readonly string[];
}

/** The operating system that a word names, as Node names it. */
export function systemNamed(word: string): string | undefined {
  return systems.get(word.trim().toLowerCase());
}

const systems: ReadonlyMap<string, string> = new Map(
  Object.entries({
    darwin: "darwin",
    macos: "darwin",
    "mac os": "darwin",
    mac: "darwin",
    osx: "darwin",
    "os x": "darwin",
    linux: "linux",
    win32: "win32",
    windows: "win32",
    freebsd: "freebsd",
    openbsd: "openbsd",
    android: "android",
  }),
);

/** Programs that prose calls by another name than their command, each with the commands that stand for it. */
const commands: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    python: ["python3", "python"],
    "python 3": ["python3", "python"],
    pip: ["pip3", "pip"],
    "node.js": ["node"],
    nodejs: ["node"],
    golang: ["go"],
    rust: ["cargo"],
    maven: ["mvn"],
    imagemagick: ["magick", "convert"],
    libreoffice: ["soffice", "libreoffice"],
    "github cli": ["gh"],
    "aws cli": ["aws"],
    "azure cli": ["az"],
    "google cloud cli": ["gcloud"],
  }),
);

/** Programs that prose writes with a capital. */
const capitalized = new Set(
  "git docker podman bash java ruby perl php go node npm pnpm yarn deno bun make cmake curl wget pandoc ffmpeg tesseract terraform kubectl helm gradle".split(
    " ",
  ),
);

/** Words that stand where a program could, and are none. */
const noPrograms = new Set(
  (
    "internet network networking web browser online admin administrator root sudo shell terminal filesystem sandbox subagents mcp api gpu " +
    "cuda account subscription license authentication credentials login permissions access nothing none any agent agents model models " +
    "claude-code tools skills packages dependencies unix posix it them this that"
  ).split(" "),
);

/**
 * What a `compatibility` text clearly asks for: `Requires python3, git`, `Needs docker or podman`, `Requires the API_KEY environment
 * variable`, `macOS only`. Everything else is prose and asks for nothing.
 */
export function parseCompatibility(text: string): Requirements {
  const programs: string[] = [];
  const programGroups: string[][] = [];
  const env: string[] = [];
  const named: string[] = [];

  function take(alternatives: readonly Need[]): void {
    const [only] = alternatives;
    if (only === undefined || alternatives.some(({ kind }) => kind !== only.kind || kind === "unclear")) return;
    const names = alternatives.flatMap((need) => need.names);
    if (only.kind === "system") named.push(...names);
    else if (only.kind === "env") env.push(...(alternatives.length === 1 ? names : []));
    else if (names.length === 1) programs.push(...names);
    else programGroups.push(names);
  }

  for (const sentence of text.slice(0, 2_000).split(/(?<=[.;!?])\s+|[\n。；]/)) {
    const clean = sentence.trim().replace(/[.;!?]+$/, "");
    const needed = /^(?:requires?|needs?|需要|依赖)\s*[:：]?\s*(.+)$/i.exec(clean)?.[1];
    if (needed !== undefined) for (const alternatives of itemsOf(needed)) take(alternatives.map(needOf));
    const system =
      /^(.+?)[\s-]only$/i.exec(clean)?.[1] ?? /^(?:only (?:(?:works|runs) )?(?:on|for)|(?:works|runs) only on)\s+(.+)$/i.exec(clean)?.[1];
    if (system !== undefined)
      take(
        itemsOf(system)
          .flat()
          .map(needOf)
          .filter(({ kind }) => kind === "system"),
      );
  }
  return { programs, programGroups, env, config: [], systems: named };
}

interface Need {
  readonly kind: "program" | "env" | "system" | "unclear";
  readonly names: readonly string[];
}

/** The items of a list, each with its alternatives: `git, docker or podman` is git, and one of two. */
function itemsOf(list: string): string[][] {
  const items = list
    .replace(/\s+or\s+(?:newer|later|higher|above|greater)\b/gi, "")
    .split(/\s*[,，、&]\s*|\s+and\s+|\s*和\s*/i)
    .filter((item) => item !== "");
  if (items.some((item) => /^or\s/i.test(item))) return [items.map((item) => item.replace(/^or\s+/i, ""))];
  return items.map((item) => item.split(/\s+or\s+|\s*或\s*/i));
}

function needOf(item: string): Need {
  const quoted = /^`([\w.+-]+)`/.exec(item.trim())?.[1];
  if (quoted !== undefined) return variable(quoted) ?? { kind: "program", names: [quoted] };
  const name = item
    .trim()
    .replace(/^(?:and|also|both|either|the|an?)\s+/i, "")
    .replace(/\s*\(.*$/, "")
    .replace(/\s+(?:with|for|to|when|on|in|if|via|from|as|installed|available|must|is|be)\b.*$/i, "")
    .replace(/^(?:environment variables?|env vars?)\s+|\s+(?:environment variables?|env vars?)$/gi, "")
    .replace(/\s*(?:[<>=~^]+\s*)?v?\d+(?:\.[\dx*]+)*\+?$/i, (version, at: number) => (at > 0 && /^[\s<>=~^]/.test(version) ? "" : version))
    .trim();
  const system = systemNamed(name);
  if (system !== undefined) return { kind: "system", names: [system] };
  const lower = name.toLowerCase();
  const known = commands.get(lower) ?? (capitalized.has(lower) ? [lower] : undefined);
  if (known !== undefined) return { kind: "program", names: known };
  const plain = name.replace(/\s+(?:cli|command|binary)$/i, "");
  if (/^[a-z0-9][a-z0-9._+-]*$/.test(plain) && /[a-z]/.test(plain) && !noPrograms.has(plain)) return { kind: "program", names: [plain] };
  return variable(name) ?? { kind: "unclear", names: [] };
}

function variable(name: string): Need | undefined {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name) ? { kind: "env", names: [name] } : undefined;
}
