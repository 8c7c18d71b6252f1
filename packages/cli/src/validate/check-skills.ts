import { type Diagnostic, defaultLimits, lintSkill, parseSkill, SkillError, type SkillSource, type SourceContext } from "skillwright";
import { directorySource } from "skillwright/sources/directory";

/** What was found in one skill. */
export interface CheckedSkill {
  /** The SKILL.md. */
  readonly location: string;
  readonly name: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What was found below some paths. */
export interface CheckResult {
  readonly skills: readonly CheckedSkill[];
  /** What concerns no single skill: a missing root, a refused link. */
  readonly diagnostics: readonly Diagnostic[];
}

const context: SourceContext = { trust: "untrusted", limits: defaultLimits };
const decoder = new TextDecoder();

/** Checks every skill below some paths: the format, and beyond it what makes a well-formed skill fail. */
export async function checkSkills(
  paths: readonly string[],
  options: { readonly strict: boolean; readonly onProgress?: (checked: number) => void },
): Promise<CheckResult> {
  const skills: CheckedSkill[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    const source = directorySource(path);
    for await (const entry of source.list(context)) {
      if ("severity" in entry) diagnostics.push(entry);
      // Of a header that is a view into a shared buffer nothing is used: the whole file is read.
      else if ("header" in entry) skills.push(await checkSkill(source, entry.path, entry.file, options.strict));
      options.onProgress?.(skills.length);
    }
  }
  return { skills, diagnostics };
}

async function checkSkill(source: SkillSource, path: string, file: string, strict: boolean): Promise<CheckedSkill> {
  const location = source.locate(path, file);
  try {
    const text = decoder.decode(await source.read(path, file, { ...context, maxBytes: defaultLimits.maxBodyBytes }));
    const folder = source.locate(path).split(/[\\/]/).at(-1);
    const parsed = parseSkill(text, { location, rules: { strict }, ...(folder === undefined ? {} : { folder }) });
    if (parsed.manifest === undefined) return { location, name: undefined, diagnostics: parsed.diagnostics };
    const listed = await source.files(path, context);
    const heads = await scriptHeads(source, path, listed.files);
    const lint = lintSkill({
      manifest: parsed.manifest,
      body: parsed.body,
      bodyLine: parsed.bodyLine,
      ...(parsed.places === undefined ? {} : { places: parsed.places }),
      files: listed.files,
      readScriptHead: (script) => heads.get(script),
      location,
    });
    return { location, name: parsed.manifest.name, diagnostics: [...parsed.diagnostics, ...listed.diagnostics, ...lint] };
  } catch (error) {
    if (!SkillError.is(error)) throw error;
    const diagnostic: Diagnostic = {
      severity: "error",
      code: "file-unreadable",
      message: error.message,
      location,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    };
    return { location, name: undefined, diagnostics: [diagnostic] };
  }
}

/** First lines of files in scripts/ whose name alone does not say what runs them. */
async function scriptHeads(
  source: SkillSource,
  path: string,
  files: readonly { readonly path: string; readonly bytes: number }[],
): Promise<Map<string, string>> {
  const heads = new Map<string, string>();
  for (const file of files) {
    if (!file.path.startsWith("scripts/") || file.bytes > defaultLimits.maxResourceBytes) continue;
    const bytes = await source.read(path, file.path, { ...context, maxBytes: defaultLimits.maxResourceBytes });
    const end = bytes.indexOf(10);
    heads.set(file.path, decoder.decode(bytes.subarray(0, end < 0 ? 200 : Math.min(end, 200))));
  }
  return heads;
}
