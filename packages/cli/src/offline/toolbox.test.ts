import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { openToolbox } from "./toolbox.ts";

/** `load_skill(name)` is a tool whose parameter `name` is required; `name?` is optional. */
function tools(...signatures: string[]): LanguageModelV4FunctionTool[] {
  return signatures.map((signature) => {
    const [name = "", list = ""] = signature.replace(")", "").split("(");
    const parameters = list.split(",").filter((parameter) => parameter !== "");
    return {
      type: "function",
      name,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(parameters.map((parameter) => [parameter.replace("?", ""), {}])),
        required: parameters.filter((parameter) => !parameter.endsWith("?")),
      },
    };
  });
}

const families: [string, string[], { load: unknown; read?: unknown; run?: unknown; script?: unknown }][] = [
  [
    "the default tools",
    [
      "load_skill(name)",
      "read_skill_resource(name,path)",
      "run_skill_script(name,script,argv?,stdin?)",
      "run_command(command,skill?,stdin?)",
      "unload_skill(name)",
    ],
    {
      load: { toolName: "load_skill", input: { name: "ocr" } },
      read: [
        { toolName: "read_skill_resource", input: { name: "ocr", path: "a.md" } },
        { toolName: "read_skill_resource", input: { name: "ocr", path: "b.md" } },
      ],
      run: { toolName: "run_command", input: { skill: "ocr", command: "ls" } },
      script: { toolName: "run_skill_script", input: { name: "ocr", script: "s.py", argv: ["x"] } },
    },
  ],
  [
    "tools that choose documents",
    [
      "skill_load(skill,docs?,include_all_docs?)",
      "skill_list_docs(skill)",
      "skill_select_docs(skill,docs?,include_all_docs?,mode?)",
      "skill_exec(skill,command,tty?)",
      "skill_run(skill,command,cwd?)",
      "skill_kill_session(session_id)",
    ],
    {
      load: { toolName: "skill_load", input: { skill: "ocr" } },
      read: [{ toolName: "skill_select_docs", input: { skill: "ocr", docs: ["a.md", "b.md"] } }],
      run: { toolName: "skill_run", input: { skill: "ocr", command: "ls" } },
    },
  ],
  [
    "tools with longer names",
    [
      "list_skills()",
      "load_skill(skill_name)",
      "load_skill_resource(skill_name,file_path)",
      "run_skill_script(skill_name,file_path,args?)",
    ],
    {
      load: { toolName: "load_skill", input: { skill_name: "ocr" } },
      read: [
        { toolName: "load_skill_resource", input: { skill_name: "ocr", file_path: "a.md" } },
        { toolName: "load_skill_resource", input: { skill_name: "ocr", file_path: "b.md" } },
      ],
      script: { toolName: "run_skill_script", input: { skill_name: "ocr", file_path: "s.py", args: ["x"] } },
    },
  ],
  ["one tool alone", ["use_skill(skillName)", "get_weather(city)"], { load: { toolName: "use_skill", input: { skillName: "ocr" } } }],
  ["a tool called skill", ["skill(skill)"], { load: { toolName: "skill", input: { skill: "ocr" } } }],
  [
    "a host's own shell",
    ["bash(command)", "my_load_skill(name)"],
    { load: { toolName: "my_load_skill", input: { name: "ocr" } }, run: { toolName: "bash", input: { command: "ls" } } },
  ],
];

test.each(families)("%s play their roles", (_, signatures, expected) => {
  const toolbox = openToolbox(tools(...signatures));
  expect(toolbox.load?.("ocr")).toEqual(expected.load);
  expect(toolbox.read?.("ocr", ["a.md", "b.md"])).toEqual(expected.read);
  expect(toolbox.runCommand?.("ocr", "ls")).toEqual(expected.run);
  expect(toolbox.runScript?.("ocr", "s.py", ["x"])).toEqual(expected.script);
});

test("tools that have nothing to do with skills play none", () => {
  const toolbox = openToolbox(tools("get_weather(city)", "create_user(name,email)", "search(query)", "kill_process(name)"));
  expect(Object.keys(toolbox)).toEqual(["roleOf"]);
});
