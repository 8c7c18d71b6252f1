import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { planNext } from "./planner.ts";
import type { PlannedCall } from "./toolbox.ts";

function tool(name: string, required: string[], optional: string[] = [], description = ""): LanguageModelV4FunctionTool {
  const properties = Object.fromEntries([...required, ...optional].map((key) => [key, { type: "string" as const }]));
  return { type: "function", name, description, inputSchema: { type: "object", properties, required } };
}

const load = tool("load_skill", ["name"]);
const read = tool("read_skill_resource", ["name", "path"]);
const runScript: LanguageModelV4FunctionTool = tool("run_skill_script", ["name", "script"], ["argv"]);
const runCommand = tool("run_command", ["command"], ["skill"]);
const all = [load, read, runScript, runCommand];

const catalog = [
  '<skill name="picture-text">Reads the text in an image with OCR. Use for photos and scans. 识别图片中的文字。</skill>',
  '<skill name="table-report">Adds up a CSV table: totals and sums by group, for sales by region or product.</skill>',
  '<skill name="sea-captain">Answers in the voice of a sea captain.</skill>',
].join("\n");
const system = `# Skills\n\n<available_skills>\n${catalog}\n</available_skills>`;

const content = (name: string, body: string, ...files: string[]) =>
  `<skill_content name="${name}" digest="d">\n${body}\n</skill_content>\n\nFiles of this skill, relative to its folder (skills/${name}):\n${files.map((file) => `- ${file} (other, 1.0 kB)`).join("\n")}`;
const pictureText = content(
  "picture-text",
  "Read `references/languages.md` before the first run.\n\n    python3 scripts/read.py <input_image> <output_file> [--lang <language>]",
  "scripts/read.py",
  "references/languages.md",
);
const tableReport = content("table-report", "```bash\nbash scripts/sum.sh <csv_file>\n```", "scripts/sum.sh");

const asked = "Total of this table?\n\nFiles: inputs/q.csv";

type Answer = string | LanguageModelV4ToolResultOutput;
interface Talk {
  readonly calls: PlannedCall[];
  readonly text: string;
  readonly steps: number;
}

/** Plays a conversation: the planner plans, `answers` answer by tool and input; ends at an answer or after too many steps. */
function play(
  question: string,
  answers: (call: PlannedCall) => Answer,
  options: { tools?: LanguageModelV4FunctionTool[]; system?: string; history?: LanguageModelV4Prompt } = {},
): Talk {
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: options.system ?? system },
    ...(options.history ?? []),
    { role: "user", content: [{ type: "text", text: question }] },
  ];
  const calls: PlannedCall[] = [];
  for (let steps = 1; steps <= 20; steps++) {
    const plan = planNext(prompt, options.tools ?? all);
    if (plan.kind === "answer") return { calls, text: plan.text, steps };
    const parts = plan.calls.map((call) => ({ call, id: `call-${calls.push(call)}` }));
    prompt.push({
      role: "assistant",
      content: parts.map(({ call, id }) => ({ type: "tool-call", toolCallId: id, toolName: call.toolName, input: call.input })),
    });
    prompt.push({
      role: "tool",
      content: parts.map(({ call, id }) => {
        const answer = answers(call);
        return {
          type: "tool-result",
          toolCallId: id,
          toolName: call.toolName,
          output: typeof answer === "string" ? { type: "text", value: answer } : answer,
        };
      }),
    });
  }
  throw new Error(`no end after ${calls.map((call) => JSON.stringify(call)).join(" ")}`);
}

/** Answers of a session whose runs all end the same way. */
function session(run: Answer, loaded: Readonly<Record<string, Answer>> = { "picture-text": pictureText, "table-report": tableReport }) {
  return (call: PlannedCall): Answer => {
    if (call.toolName === "load_skill") return loaded[String(call.input.name)] ?? { type: "error-text", value: "There is no such skill." };
    if (call.toolName === "read_skill_resource") return "# Languages\n\nLeave `--lang` away for English.";
    return run;
  };
}

const readRun = "Exit code 0.\nstdout:\n2 lines\nFiles written:\n- work/skills/picture-text/output.txt (text/plain, 12 B):\n欢迎\nHello";

describe("load, read, run, answer", () => {
  test.each([
    ["帮我识别这张图片中的文字\n\n文件：inputs/图.png", "inputs/图.png", "这是离线规划器，不是语言模型", "技能：`picture-text`"],
    [
      "What does this picture say?\n\nFiles: inputs/a.png",
      "inputs/a.png",
      "This is the offline planner, not a language model",
      "Skill: `picture-text`",
    ],
  ])("%s", (question, path, first, fact) => {
    const { calls, text } = play(question, session(readRun));
    expect(calls).toEqual([
      { toolName: "load_skill", input: { name: "picture-text" } },
      { toolName: "read_skill_resource", input: { name: "picture-text", path: "references/languages.md" } },
      { toolName: "run_command", input: { skill: "picture-text", command: `python3 scripts/read.py ${path} output.txt` } },
    ]);
    expect(text.split("\n")[0]).toContain(first);
    expect(text).toContain("```\n欢迎\nHello\n```");
    expect(text).toContain(fact);
  });

  test("an output file that the run does not show is read afterwards, once", () => {
    let runs = 0;
    const { calls, text } = play("What does this picture say?\n\nFiles: inputs/a.png", (call) =>
      call.toolName === "run_command"
        ? ++runs === 1
          ? "Exit code 0.\nstdout:\n2 lines"
          : "Exit code 0.\nstdout:\nHello there"
        : session("")(call),
    );
    expect(calls.at(-1)?.input).toEqual({ skill: "picture-text", command: "cat output.txt" });
    expect(text).toContain("Hello there");
  });

  test("the facts that were asked for come before a long output", () => {
    const lines = [
      "Table: q.csv, 40 rows",
      "Total sales: 900",
      "Average sales: 22",
      "Top month: May with 90",
      "Sales by region:",
      "  North 500",
      "  South 400",
      "Top region: North with 500",
      "Top product: Lamp with 80",
    ];
    const { text } = play("Which region sold most?\n\nFiles: inputs/q.csv", session(`Exit code 0.\nstdout:\n${lines.join("\n")}`));
    expect(text.indexOf("- Top region: North with 500")).toBeGreaterThan(0);
    expect(text.indexOf("- Top region")).toBeLessThan(text.indexOf("Table: q.csv"));
  });

  test("an output cannot break out of its fence", () => {
    const { text } = play(asked, session("Exit code 0.\nstdout:\n```\nfree\n```"));
    expect(text).toContain("````\n```\nfree\n```\n````");
  });

  test("without a tool for commands the script tool runs it, with arguments one by one", () => {
    const { calls } = play("What does this picture say?\n\nFiles: inputs/a b.png", session(readRun), { tools: [load, read, runScript] });
    expect(calls.at(-1)).toEqual({
      toolName: "run_skill_script",
      input: { name: "picture-text", script: "scripts/read.py", argv: ["inputs/a b.png", "output.txt"] },
    });
  });

  test("a skill that was loaded for an earlier question is found there", () => {
    const history: LanguageModelV4Prompt = [
      { role: "user", content: [{ type: "text", text: asked }] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "old", toolName: "load_skill", input: { name: "table-report" } }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "old", toolName: "load_skill", output: { type: "text", value: tableReport } }],
      },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ];
    const { calls } = play(
      "And the sales by product in the table?",
      session("Exit code 0.\nstdout:\nok", { "table-report": 'Skill "table-report" is already loaded.' }),
      { history },
    );
    expect(calls.map((call) => call.input)).toEqual([
      { name: "table-report" },
      { skill: "table-report", command: "bash scripts/sum.sh inputs/q.csv" },
    ]);
  });

  test("a skill that the person started needs no load", () => {
    const started = `${system.replace(/<skill name="table-report">.*\n/, "")}\n\n<skill_content name="table-report" digest="d">\n    bash scripts/sum.sh <csv_file>\n</skill_content>`;
    const { calls } = play("Go\n\nFiles: inputs/q.csv", session("Exit code 0.\nstdout:\nok"), { system: started });
    expect(calls).toEqual([{ toolName: "run_command", input: { skill: "table-report", command: "bash scripts/sum.sh inputs/q.csv" } }]);
  });
});

describe("other systems' tools", () => {
  test("a catalogue of lines, documents that are chosen, bodies in the system prompt", () => {
    const tools = [
      tool("skill_load", ["skill"], ["docs", "include_all_docs"]),
      tool("skill_select_docs", ["skill"], ["docs", "include_all_docs", "mode"]),
      tool("skill_run", ["skill", "command"], ["cwd"]),
    ];
    const lines =
      "Available skills:\n- picture-text: Reads the text in an image with OCR. 识别图片中的文字。\n- other: Nothing of the kind.";
    const prompt: LanguageModelV4Prompt = [
      { role: "system", content: lines },
      { role: "user", content: [{ type: "text", text: "帮我识别这张图片中的文字\n\n文件：inputs/a.png" }] },
    ];
    const answer = (id: string, toolName: string, input: unknown, output: LanguageModelV4ToolResultOutput) => {
      prompt.push({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName, input }] });
      prompt.push({ role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName, output }] });
    };
    expect(planNext(prompt, tools)).toEqual({ kind: "calls", calls: [{ toolName: "skill_load", input: { skill: "picture-text" } }] });
    answer("1", "skill_load", { skill: "picture-text" }, { type: "text", value: "loaded: picture-text" });
    const body =
      "[Loaded] picture-text\n\nSee references/languages.md.\n\n    python3 scripts/read.py <input_image> <output_file>\n\nDocs loaded: none";
    prompt[0] = { role: "system", content: `${lines}\n\n${body}` };
    expect(planNext(prompt, tools)).toEqual({
      kind: "calls",
      calls: [{ toolName: "skill_select_docs", input: { skill: "picture-text", docs: ["references/languages.md"] } }],
    });
    answer(
      "2",
      "skill_select_docs",
      { skill: "picture-text", docs: ["references/languages.md"] },
      { type: "json", value: { skill: "picture-text", selected_docs: ["references/languages.md"] } },
    );
    prompt[0] = {
      role: "system",
      content: `${lines}\n\n${body.replace("none", "references/languages.md")}\n\n[Doc] references/languages.md\nLeave it away.`,
    };
    const run = { skill: "picture-text", command: "python3 scripts/read.py inputs/a.png output.txt" };
    expect(planNext(prompt, tools)).toEqual({ kind: "calls", calls: [{ toolName: "skill_run", input: run }] });
    answer("3", "skill_run", run, {
      type: "json",
      value: { exit_code: 0, stdout: "2 lines", stderr: "", output_files: [{ name: "output.txt", content: "你好" }] },
    });
    expect(planNext(prompt, tools)).toMatchObject({ kind: "answer", text: expect.stringContaining("```\n你好\n```") });
  });

  test("a catalogue behind a list tool", () => {
    const { calls } = play(asked, (call) => (call.toolName === "list_skills" ? catalog : session("Exit code 0.\nstdout:\nok")(call)), {
      system: "You have skills.",
      tools: [tool("list_skills", []), ...all],
    });
    expect(calls.map((call) => call.toolName)).toEqual(["list_skills", "load_skill", "run_command"]);
  });

  test("a skill that the catalogue had no room for is searched", () => {
    const { calls } = play(
      asked,
      (call) =>
        call.toolName === "search_skills"
          ? "- table-report: Adds up a CSV table: totals and sums."
          : session("Exit code 0.\nstdout:\nok")(call),
      {
        system: '<available_skills>\n<skill name="sea-captain">Answers in the voice of a sea captain.</skill>\n</available_skills>',
        tools: [tool("search_skills", ["query"]), ...all],
      },
    );
    expect(calls.map((call) => call.toolName)).toEqual(["search_skills", "load_skill", "run_command"]);
  });

  test("a catalogue in a tool's description", () => {
    const { calls } = play(asked, session("Exit code 0.\nstdout:\nok"), {
      system: "Be kind.",
      tools: [{ ...load, description: `Loads a skill.\n${catalog}` }, runCommand],
    });
    expect(calls[0]).toEqual({ toolName: "load_skill", input: { name: "table-report" } });
  });
});

describe("it says plainly when it cannot", () => {
  test.each<[string, string, Answer, Parameters<typeof play>[2], RegExp]>([
    ["there are no skills", "Total?", "", { system: "Be kind." }, /no skills to choose from.*--skills/],
    ["no skill fits", "What is the weather in Lisbon?", "", {}, /No skill fits/],
    ["no skill fits, in Chinese", "里斯本今天天气怎么样", "", {}, /没有足够合适的技能/],
    ["nothing can load", asked, "", { tools: [runCommand] }, /No tool for loading/],
    ["nothing can run", asked, "", { tools: [load, read] }, /no sandbox is open[\s\S]*bash scripts\/sum\.sh inputs\/q\.csv/],
    ["no file was given", "Total sales of the table by region?", "", {}, /needs a file in the place of `csv_file`; give one with --file/],
    ["the person said no", asked, { type: "execution-denied", reason: "Not today." }, {}, /was not approved.*Not today\./],
    ["approval is still open", asked, "Waiting for approval: Run `x`. Nothing has run yet.", {}, /was not approved/],
    [
      "the run failed",
      asked,
      "Exit code 3.\nstderr:\nsum.sh: no header row.",
      {},
      /failed\. Exit code 3\.[\s\S]*no header row[\s\S]*check the file/,
    ],
    ["a program is missing", asked, "Exit code 127.\nstderr:\nbash: awk: command not found", {}, /program is missing.*--sandbox/],
    [
      "a library is missing",
      asked,
      "Exit code 1.\nstderr:\nModuleNotFoundError: No module named 'pandas'",
      {},
      /library of the script is missing/,
    ],
    ["the script wants the network", asked, "Exit code 6.\nstderr:\ncurl: (6) Could not resolve host: x.org", {}, /network/],
    ["it took too long", asked, "Ended by the time limit after 60.0 s; what it printed until then follows.", {}, /took too long/],
    [
      "the run tool refused",
      asked,
      { type: "error-text", value: "This command is not allowed." },
      {},
      /failed\. This command is not allowed\./,
    ],
  ])("%s", (_, question, run, options, expected) => {
    const { text } = play(question, session(run), options);
    expect(text.split("\n")[0]).toMatch(/not a language model|不是语言模型/);
    expect(text).toMatch(expected);
  });

  test.each<[string, string, RegExp]>([
    [
      "guidance alone",
      content("table-report", "# Tone\n\n- Be brief.\n- Be kind.\n\n## Example\n\nNever shown."),
      /guidance for a language model[\s\S]*> - Be brief\.\n> - Be kind\.\n\nTo use a real model/,
    ],
    [
      "a script that is not there",
      content("table-report", "    python3 scripts/lost.py <csv>", "references/a.md"),
      /the script `scripts\/lost\.py` is not among the skill's files/,
    ],
    ["the network", content("table-report", "    curl -F file=@<csv> https://example.org/sum"), /needs the network/],
    [
      "a value nobody gave",
      content("table-report", "    python3 scripts/a.py <csv> <password>", "scripts/a.py"),
      /needs a value for `password`/,
    ],
    ["a text that cannot be found", "loaded: table-report", /could not be loaded/],
  ])("a skill that needs %s", (_, loaded, expected) => {
    const { calls, text } = play(asked, session("", { "table-report": loaded }));
    expect(text).toMatch(expected);
    expect(calls.every((call) => call.toolName === "load_skill")).toBe(true);
  });

  test("a skill that cannot be loaded", () => {
    expect(play(asked, session("", {})).text).toContain("There is no such skill.");
  });
});

describe("second tries", () => {
  const one = (body: string, ...files: string[]) => ({ "table-report": content("table-report", body, ...files) });
  test("`python` that is called python3 here", () => {
    const { calls } = play(asked, (call) =>
      String(call.input.command).startsWith("python -m")
        ? "Exit code 127.\nstderr:\nbash: python: command not found"
        : session("Exit code 0.\nstdout:\nok", one("    python -m tables <data.csv>"))(call),
    );
    expect(calls.slice(1).map((call) => call.input.command)).toEqual(["python -m tables inputs/q.csv", "python3 -m tables inputs/q.csv"]);
  });

  test("another documented form after a wrong usage, and no third", () => {
    const body = "    bash scripts/sum.sh <csv_file>\n    bash scripts/sum.sh total <csv_file>\n    bash scripts/sum.sh all <csv_file>";
    const { calls, text } = play(asked, session("Exit code 2.\nstderr:\nusage: sum.sh MODE FILE", one(body, "scripts/sum.sh")));
    expect(calls.filter((call) => call.toolName === "run_command")).toHaveLength(2);
    expect(text).toMatch(/failed/);
  });

  test("a failure of another kind is reported at once", () => {
    const { calls } = play(asked, session("Exit code 1.\nstderr:\nbroken file"));
    expect(calls.filter((call) => call.toolName === "run_command")).toHaveLength(1);
  });

  test("the next skill that fits, when the first has no command for the file", () => {
    const two =
      '<available_skills>\n<skill name="table-facts">Rules for a CSV table: sales by region.</skill>\n<skill name="table-report">Adds up a CSV table: sales by region.</skill>\n</available_skills>';
    const { calls } = play(
      "Sales by region of this table?\n\nFiles: inputs/q.csv",
      session("Exit code 0.\nstdout:\nok", { "table-facts": content("table-facts", "- Be neat."), "table-report": tableReport }),
      { system: two },
    );
    expect(calls.map((call) => call.input.name ?? call.input.command)).toEqual([
      "table-facts",
      "table-report",
      "bash scripts/sum.sh inputs/q.csv",
    ]);
  });
});

test("equal prompts give equal plans", () => {
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: asked }] },
  ];
  expect(planNext(prompt, all)).toEqual(planNext(structuredClone(prompt), all));
});

test("whatever a tool answers, a question ends", () => {
  for (const answer of [
    "",
    "{}",
    "null",
    "<skill_content",
    '<skill_content name="table-report">',
    "Exit code",
    "\n\n\n",
    '{"exit_code":"x"}',
  ]) {
    expect(play(asked, () => answer).steps).toBeLessThan(8);
  }
});
