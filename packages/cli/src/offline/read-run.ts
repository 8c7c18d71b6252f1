import type { ToolAnswer } from "./conversation.ts";

/** How a run ended and what it left, read from a tool's answer. */
export interface RunText {
  /** Undefined when it did not end by itself or the answer does not say. */
  readonly exitCode: number | undefined;
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly { readonly path: string; readonly text: string | undefined }[];
  /** The first line: how it ended, in the tool's own words. */
  readonly ended: string;
}

/** Reads a run's result, whether it travelled as an object or as the text that a model reads. */
export function readRun(answer: ToolAnswer): RunText {
  return answer.data === undefined ? fromText(answer) : fromData(answer, answer.data);
}

function fromData(answer: ToolAnswer, data: Readonly<Record<string, unknown>>): RunText {
  const text = (...names: string[]) => names.map((name) => data[name]).find((value) => typeof value === "string") ?? "";
  const code = data.exit_code ?? data.exitCode;
  const exitCode = typeof code === "number" ? code : undefined;
  const lists = [data.output_files, data.outputs, data.files].filter(Array.isArray).flat();
  const files = lists.flatMap((entry) => {
    if (typeof entry === "string") return [{ path: entry, text: undefined }];
    const path = entry?.path ?? entry?.name;
    const content = entry?.content ?? entry?.text;
    return typeof path === "string" ? [{ path, text: typeof content === "string" ? content : undefined }] : [];
  });
  const error = text("error");
  return {
    exitCode,
    failed:
      answer.outcome !== "ok" ||
      (exitCode !== undefined && exitCode !== 0) ||
      data.timed_out === true ||
      error !== "" ||
      data.status === "error",
    stdout: text("stdout", "output"),
    stderr: text("stderr") || error,
    files,
    ended: exitCode === undefined ? error : `Exit code ${exitCode}.`,
  };
}

const fileLine = /^- (.+?)\s?[（(][\w.+-]+\/[\w.+-]+(?:;[^,，]*)?[,，]\s?[\d.]+ ?[kM]?B[)）](:?)$/;

function fromText(answer: ToolAnswer): RunText {
  const lines = answer.text.split("\n");
  const sections = { stdout: [] as string[], stderr: [] as string[] };
  const files: { path: string; text: string[] | undefined }[] = [];
  let section: "head" | "stdout" | "stderr" | "files" = "head";
  for (const line of lines.slice(1)) {
    if (line === "stdout:" && section === "head") section = "stdout";
    else if (line === "stderr:" && section !== "files") section = "stderr";
    else if (/^(?:Files written|写出的文件)[:：]$/.test(line)) section = "files";
    else if (section === "files") {
      const file = fileLine.exec(line);
      if (file !== null) files.push({ path: file[1] ?? "", text: file[2] === ":" ? [] : undefined });
      else if (!/^(?:Note: |注意：)/.test(line)) files.at(-1)?.text?.push(line);
    } else if (section !== "head") sections[section].push(line);
  }
  const ended = lines[0] ?? "";
  const code = /(?:exit(?:ed)?[ _-](?:with )?(?:code|status)|退出码)[^\d-]{0,4}(-?\d+)/i.exec(ended)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const isReport =
    code !== undefined || section !== "head" || /^(?:Ended|Cancelled|It could not|运行|因|已取消|无法启动|被信号)/.test(ended);
  return {
    exitCode,
    failed: answer.outcome !== "ok" || (isReport && exitCode !== 0),
    stdout: isReport ? sections.stdout.join("\n") : answer.text,
    stderr: sections.stderr.join("\n"),
    files: files.map(({ path, text }) => ({ path, text: text?.join("\n") })),
    ended,
  };
}
