import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../packages/skillwright/src", import.meta.url));

/** A folder imports folders of a lower level only; plug-ins are one level and never import each other. */
const levels: Readonly<Record<string, number>> = {
  core: 0,
  format: 1,
  dialects: 1,
  catalog: 2,
  workspace: 2,
  library: 3,
  session: 4,
  sources: 5,
  sandboxes: 5,
  stores: 5,
  adapters: 5,
  testing: 5,
  agent: 6,
};
const plugins = new Set(["sources", "sandboxes", "stores", "adapters", "testing"]);
const maySpeakToNode = new Set(["sources", "sandboxes", "stores", "adapters", "testing", "node"]);

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The file it resolves to, relative to the sources, for relative imports. */
  readonly target?: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return path.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(path) ? [path] : [];
  });
}

const imports: readonly Import[] = sourceFiles(root).flatMap((file) => {
  const text = readFileSync(file, "utf8");
  const from = relative(root, file).split(sep).join("/");
  const found = [...text.matchAll(/(?:from\s+|import\s+|import\()"([^"]+)"/g)].map((match) => match[1] ?? "");
  return found.map((specifier) =>
    specifier.startsWith(".")
      ? {
          from,
          specifier,
          target: relative(root, resolve(dirname(file), specifier))
            .split(sep)
            .join("/"),
        }
      : { from, specifier },
  );
});

const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.ts$/, ""));
const crossing = imports.filter((entry) => entry.target !== undefined && folderOf(entry.target) !== folderOf(entry.from));
const composed = (path: string): boolean => !path.includes("/") || folderOf(path) === "node";

describe("imports of the library", () => {
  test("go down, never up or sideways", () => {
    const wrong = crossing.filter(({ from, target = "" }) => {
      if (composed(from)) return false;
      const [own, other] = [levels[folderOf(from)], levels[folderOf(target)]];
      return own === undefined || other === undefined || other >= own;
    });
    expect(wrong).toEqual([]);
  });

  test("enter another folder by its index alone, plug-ins by their entry", () => {
    const wrong = crossing.filter(({ target = "" }) => {
      const folder = folderOf(target);
      if (plugins.has(folder)) return target.split("/").length !== 2;
      return target.includes("/") && target !== `${folder}/index.ts` && folder !== "node";
    });
    expect(wrong).toEqual([]);
  });

  test("name third parties in plug-ins and the agent alone, yaml in format/ alone", () => {
    const wrong = imports.filter(({ from, specifier }) => {
      if (specifier.startsWith(".") || specifier.startsWith("node:")) return false;
      const folder = folderOf(from);
      return specifier === "yaml" ? folder !== "format" : !plugins.has(folder) && folder !== "agent";
    });
    expect(wrong).toEqual([]);
  });

  test("reach node: from plug-ins and the node entry alone, so that the root runs anywhere", () => {
    const wrong = imports.filter(({ from, specifier }) => specifier.startsWith("node:") && !maySpeakToNode.has(folderOf(from)));
    expect(wrong).toEqual([]);
    const edge = new Set<string>();
    const visit = (file: string): void => {
      if (edge.has(file)) return;
      edge.add(file);
      for (const entry of imports) if (entry.from === file && entry.target !== undefined) visit(entry.target);
    };
    visit("index.ts");
    expect(imports.filter(({ from, specifier }) => edge.has(from) && specifier.startsWith("node:"))).toEqual([]);
  });
});
