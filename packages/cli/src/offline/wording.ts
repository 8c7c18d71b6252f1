import type { Obstacle } from "./bind-command.ts";
import type { Language } from "./language.ts";

/** The planner's own words in one language. */
export interface Wording {
  readonly disclaimer: string;
  readonly noSkills: string;
  readonly noLoadTool: string;
  readonly nothingFits: (nearest: readonly string[]) => string;
  readonly loadFailed: (skill: string, reason: string) => string;
  readonly chosen: (skill: string, words: string) => string;
  readonly guidanceOnly: (skill: string) => string;
  readonly realModel: string;
  readonly inBrief: string;
  readonly noRunTool: (skill: string, line: string) => string;
  readonly unusable: (skill: string) => string;
  readonly obstacle: (obstacle: Obstacle) => string;
  readonly ran: (line: string) => string;
  readonly closest: string;
  readonly output: string;
  readonly contentOf: (path: string) => string;
  readonly noOutput: string;
  readonly files: (paths: string) => string;
  readonly shortened: (characters: number) => string;
  readonly denied: (line: string, reason: string) => string;
  readonly failed: (line: string, how: string) => string;
  readonly nextStep: (reason: FailureReason) => string;
  readonly stopped: string;
}

/** Kinds of failure that have an advice of their own. */
export type FailureReason = "not-found" | "missing-package" | "network" | "time" | "memory" | "usage" | "other";

const english: Wording = {
  disclaimer:
    "This is the offline planner, not a language model: it picks a skill by its words, runs a command the skill documents, and reports the output.",
  noSkills:
    "There are no skills to choose from. Name a folder that holds skills with --skills, and see `skillwright doctor` for folders that were skipped.",
  noLoadTool: "No tool for loading a skill was offered, so no skill can be used.",
  nothingFits: (nearest) =>
    `No skill fits this request well enough.${nearest.length === 0 ? "" : ` Nearest by its words: ${list(nearest, "and")}. Name one to use it, for example "/${nearest[0]} ...".`}`,
  loadFailed: (skill, reason) => `The skill \`${skill}\` fits, but it could not be loaded. ${reason}`,
  chosen: (skill, words) => `Skill: \`${skill}\`${words === "" ? "" : ` (matched: ${words})`}`,
  guidanceOnly: (skill) =>
    `The skill \`${skill}\` applies. It documents no command that could be run for this request: it is guidance for a language model, and following it or writing in its voice needs a real one.`,
  realModel: "To use a real model, set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a local one with --model ollama/NAME.",
  inBrief: "What the skill asks for, in brief:",
  noRunTool: (skill, line) =>
    `The skill \`${skill}\` fits and documents this command, but nothing can be run here because no sandbox is open:\n\n    ${line}\n\nChoose one with --sandbox, or run the command yourself in the skill's folder.`,
  unusable: (skill) => `The skill \`${skill}\` fits best, but none of its documented commands can be run for this request:`,
  obstacle: ({ kind, name }) => {
    switch (kind) {
      case "file":
        return `it needs a file in the place of \`${name}\`; give one with --file`;
      case "value":
        return `it needs a value for \`${name}\`, which only a language model or you can choose`;
      case "script":
        return `the script \`${name}\` is not among the skill's files`;
      case "network":
        return `\`${name}\` needs the network, which the sandbox does not give`;
      case "unreadable":
        return `\`${name}\` is more than one plain command`;
      case "not-for-this":
        return `\`${name}\` does not take what was given`;
    }
  },
  ran: (line) => `Command: \`${line}\``,
  closest: "Closest to the question:",
  output: "Output:",
  contentOf: (path) => `Content of \`${path}\`:`,
  noOutput: "The command ended well and printed nothing.",
  files: (paths) => `Files: ${paths}`,
  shortened: (characters) => `(${characters} more characters are not shown.)`,
  denied: (line, reason) =>
    `The command \`${line}\` was not approved, so it did not run.${reason === "" ? "" : ` ${reason}`} Approve it to get an answer.`,
  failed: (line, how) => `The command \`${line}\` failed. ${how}`,
  nextStep: (reason) => {
    switch (reason) {
      case "not-found":
        return "A program is missing in the sandbox: install it on this machine, or choose another --sandbox.";
      case "missing-package":
        return "A library of the script is missing: install it for the interpreter that the sandbox uses.";
      case "network":
        return "The script tried to reach the network, which the sandbox does not allow.";
      case "time":
        return "It took too long: try a smaller input.";
      case "memory":
        return "It needed too much memory or printed too much: try a smaller input.";
      case "usage":
        return "The command's options do not fit: the usage above says which it takes; name them in the question or use a real model.";
      case "other":
        return "Read its message above, check the file that was given, and try again.";
    }
  },
  stopped: "It took more steps than a documented command should need, so the planner stopped.",
};

const chinese: Wording = {
  disclaimer: "这是离线规划器，不是语言模型：它按词语挑选技能，运行技能文档中的命令，并转述输出。",
  noSkills: "没有可选的技能。请用 --skills 指定放有技能的文件夹；`skillwright doctor` 会说明哪些文件夹被跳过。",
  noLoadTool: "没有提供加载技能的工具，因此无法使用任何技能。",
  nothingFits: (nearest) =>
    `没有足够合适的技能。${nearest.length === 0 ? "" : `最接近的是 ${list(nearest, "和")}；可以直接点名，例如 "/${nearest[0]} ..."。`}`,
  loadFailed: (skill, reason) => `技能 \`${skill}\` 合适，但无法加载。${reason}`,
  chosen: (skill, words) => `技能：\`${skill}\`${words === "" ? "" : `（匹配：${words}）`}`,
  guidanceOnly: (skill) =>
    `适用的技能是 \`${skill}\`。它没有可用于这个请求的命令，而是写给语言模型的指引；按它去做、用它的口吻写作，需要真正的模型。`,
  realModel: "要使用真正的模型，请设置 OPENAI_API_KEY 或 ANTHROPIC_API_KEY 等密钥，或用 --model ollama/名称 指定本地模型。",
  inBrief: "该技能的要求，摘要如下：",
  noRunTool: (skill, line) =>
    `技能 \`${skill}\` 合适，其文档中有下面的命令，但没有打开沙箱，这里什么都不能运行：\n\n    ${line}\n\n请用 --sandbox 选择沙箱，或在技能文件夹里自行运行该命令。`,
  unusable: (skill) => `技能 \`${skill}\` 最合适，但其文档中的命令都不能用于这个请求：`,
  obstacle: ({ kind, name }) => {
    switch (kind) {
      case "file":
        return `\`${name}\` 处需要一个文件；请用 --file 提供`;
      case "value":
        return `\`${name}\` 处需要一个值，只能由语言模型或您来决定`;
      case "script":
        return `技能的文件中没有脚本 \`${name}\``;
      case "network":
        return `\`${name}\` 需要网络，而沙箱不提供网络`;
      case "unreadable":
        return `\`${name}\` 不是一条简单的命令`;
      case "not-for-this":
        return `\`${name}\` 不接受所给的内容`;
    }
  },
  ran: (line) => `命令：\`${line}\``,
  closest: "与问题最相关的几行：",
  output: "输出：",
  contentOf: (path) => `\`${path}\` 的内容：`,
  noOutput: "命令正常结束，没有任何输出。",
  files: (paths) => `文件：${paths}`,
  shortened: (characters) => `（另有 ${characters} 个字符未显示。）`,
  denied: (line, reason) => `命令 \`${line}\` 未获批准，没有运行。${reason}批准之后才能得到答案。`,
  failed: (line, how) => `命令 \`${line}\` 运行失败。${how}`,
  nextStep: (reason) => {
    switch (reason) {
      case "not-found":
        return "沙箱里缺少所需的程序：请在本机安装，或换用其他 --sandbox。";
      case "missing-package":
        return "缺少脚本所需的库：请为沙箱使用的解释器安装。";
      case "network":
        return "脚本试图访问网络，而沙箱不允许。";
      case "time":
        return "运行时间过长：请换用较小的输入。";
      case "memory":
        return "占用内存或输出过多：请换用较小的输入。";
      case "usage":
        return "命令的参数不合适：上面的用法说明了可用的参数；请在问题中写明，或使用真正的模型。";
      case "other":
        return "请查看上面的信息，检查所给的文件，然后重试。";
    }
  },
  stopped: "步骤超出了一条命令应有的数量，规划器已停止。",
};

function list(names: readonly string[], and: string): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} ${and} ${quoted.at(-1)}`;
}

/** The planner's words in a language. */
export function wordsIn(language: Language): Wording {
  return language === "zh" ? chinese : english;
}
