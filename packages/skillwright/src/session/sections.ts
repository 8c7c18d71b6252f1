import { nearestNames } from "../core/index.ts";

/** One section of a body: from a heading to the next of the same or a higher level. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/** Splits a body at its headings of the highest level that occurs more than once; what stands before the first is the opening. */
export function splitSections(body: string): { readonly opening: string; readonly sections: readonly Section[] } {
  const lines = body.split("\n");
  const headings = headingsOf(lines);
  const level = [1, 2, 3].find((candidate) => headings.filter((heading) => heading.level === candidate).length > 1);
  if (level === undefined) return { opening: body, sections: [] };
  const starts = headings.filter((heading) => heading.level === level);
  const sections = starts.map((start, index) => ({
    heading: start.text,
    text: lines
      .slice(start.line, starts[index + 1]?.line ?? lines.length)
      .join("\n")
      .trim(),
  }));
  return {
    opening: lines
      .slice(0, starts[0]?.line ?? 0)
      .join("\n")
      .trim(),
    sections,
  };
}

/** The section of a heading as a model wrote it, or the headings that come nearest. */
export function findSection(sections: readonly Section[], wanted: string): Section | { readonly nearest: readonly string[] } {
  const folded = fold(wanted);
  const found = sections.find((section) => fold(section.heading) === folded);
  const headings = sections.map((section) => section.heading);
  return found ?? { nearest: nearestNames(wanted, headings) };
}

function fold(heading: string): string {
  return heading
    .normalize("NFC")
    .toLowerCase()
    .replace(/[#*_`]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function headingsOf(lines: readonly string[]): { readonly line: number; readonly level: number; readonly text: string }[] {
  const headings: { line: number; level: number; text: string }[] = [];
  let fence: string | undefined;
  lines.forEach((line, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      return;
    }
    if (mark !== undefined) {
      fence = mark;
      return;
    }
    const heading = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line);
    if (heading?.[1] !== undefined && heading[2] !== undefined) headings.push({ line: index, level: heading[1].length, text: heading[2] });
  });
  return headings;
}
