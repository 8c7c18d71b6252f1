import Table from "cli-table3";
import pc from "picocolors";

/** Columns of a table for people: a heading, and how wide it may be on a narrow terminal. */
export interface Column {
  readonly heading: string;
  /** Takes what the other columns leave. */
  readonly wide?: boolean;
}

const border = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Renders rows as a table without lines, fitted to the terminal. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  out: NodeJS.WriteStream = process.stdout,
): string {
  const colors = colorsFor(out);
  const width = Math.max(60, Math.min(out.columns ?? 120, 160));
  const lengths = columns.map((column, index) => Math.max(column.heading.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const fixed = columns.reduce((sum, column, index) => (column.wide ? sum : sum + (lengths[index] ?? 0) + 2), 0);
  const wide = columns.filter((column) => column.wide).length;
  const room = Math.max(20, Math.floor((width - fixed) / Math.max(1, wide)) - 2);
  const table = new Table({
    chars: border,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    head: columns.map((column) => colors.dim(column.heading)),
    colWidths: columns.map((column, index) => (column.wide ? Math.min(room, lengths[index] ?? room) : (lengths[index] ?? null))),
    wordWrap: true,
    wrapOnWordBoundary: true,
  });
  for (const row of rows) table.push([...row]);
  return table.toString();
}

/** Colours where a terminal shows them. */
export function colorsFor(out: NodeJS.WriteStream): ReturnType<typeof pc.createColors> {
  return pc.createColors(out.isTTY === true && !process.env.NO_COLOR);
}

/** The first sentence of a text, or as much of it as fits one line. */
export function oneLine(text: string, length = 100): string {
  const folded = text.replace(/\s+/g, " ").trim();
  return folded.length <= length ? folded : `${folded.slice(0, length - 1)}…`;
}
