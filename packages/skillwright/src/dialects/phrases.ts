import type { Locale } from "./dialect.ts";
import type { Fault } from "./outcome.ts";

/** What a fault says to the model: what happened, and what to do next. */
export type FaultPhrases = (fault: Fault) => string;

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

function choicesEn(fault: Fault): string {
  if (fault.nearest !== undefined && fault.nearest.length > 0) return ` Did you mean ${quoted(fault.nearest)}?`;
  if (fault.available !== undefined && fault.available.length > 0) return ` Available: ${quoted(fault.available)}.`;
  return fault.available !== undefined ? " There are none." : "";
}

function choicesZh(fault: Fault): string {
  if (fault.nearest !== undefined && fault.nearest.length > 0) return `你是不是想用 ${quoted(fault.nearest)}？`;
  if (fault.available !== undefined && fault.available.length > 0) return `可用的有：${quoted(fault.available)}。`;
  return fault.available !== undefined ? "目前一个也没有。" : "";
}

function english(fault: Fault): string {
  const { subject, detail = "", skill = "" } = fault;
  switch (fault.code) {
    case "arguments-invalid":
      return `Invalid arguments for ${subject}. ${detail}`;
    case "tool-unknown":
      return `There is no tool "${subject}".${choicesEn(fault)}`;
    case "skill-not-found":
      return `There is no skill "${subject}".${choicesEn(fault)}`;
    case "skill-removed":
      return `Skill "${subject}" has been removed and can no longer be loaded. Continue without it.`;
    case "skill-not-active":
      return `Skill "${subject}" is not active.`;
    case "skill-not-invocable":
      return `Skill "${subject}" cannot be started here. ${detail}`;
    case "skill-must-be-loaded":
      return `Load skill "${subject}" before you run anything of it.`;
    case "resource-not-found":
      return `Skill "${skill}" has no file "${subject}".${choicesEn(fault)}`;
    case "resource-path-invalid":
      return `"${subject}" is not a path inside skill "${skill}". Use a relative path from its file list.`;
    case "resource-too-large":
      return `"${subject}" of skill "${skill}" is too large to read. ${detail}`;
    case "documents-not-found":
      return `Skill "${skill}" has no document "${subject}".${choicesEn(fault)}`;
    case "section-not-found":
      return `Skill "${skill}" has no section "${subject}".${choicesEn(fault)}`;
    case "script-not-found":
      return `Skill "${skill}" has no script "${subject}".${choicesEn(fault)}`;
    case "script-unsupported":
      return `"${subject}" cannot be run. ${detail}`;
    case "script-needs":
      return `"${subject}" cannot be run here. ${detail}`;
    case "command-denied":
      return `This command is not allowed. ${detail}`;
    case "command-outside":
      return `This command would leave the workspace. ${detail}`;
    case "run-denied":
      return `"${subject}" was not run. ${detail} Do not try it again; tell the user, or find another way.`;
    case "run-failed":
      return `The run could not be carried out. ${detail}`;
    case "sandbox-unavailable":
      return `Nothing can be run here: there is no sandbox. ${detail}`.trim();
    case "hub-missing":
      return `Skill "${subject}" needs something this host does not offer. ${detail}`;
    case "fork-failed":
      return `The sub-agent of skill "${subject}" failed. ${detail}`;
    case "registry-failed":
      return `The registry did not answer. ${detail}`;
    case "process-unknown":
      return `There is no running session "${subject}".${choicesEn(fault)}`;
    case "state-missing":
      return `Skill "${skill}" needs the value "${subject}", which is not set. ${detail}`;
    case "approval-invalid":
      return `The approval no longer fits. ${detail}`;
    case "cancelled":
      return "The call was cancelled.";
  }
}

function chinese(fault: Fault): string {
  const { subject, detail = "", skill = "" } = fault;
  switch (fault.code) {
    case "arguments-invalid":
      return `工具 ${subject} 的参数无效。${detail}`;
    case "tool-unknown":
      return `没有名为 "${subject}" 的工具。${choicesZh(fault)}`;
    case "skill-not-found":
      return `没有名为 "${subject}" 的技能。${choicesZh(fault)}`;
    case "skill-removed":
      return `技能 "${subject}" 已被移除，无法再加载。请在没有它的情况下继续。`;
    case "skill-not-active":
      return `技能 "${subject}" 当前未激活。`;
    case "skill-not-invocable":
      return `技能 "${subject}" 不能在这里启动。${detail}`;
    case "skill-must-be-loaded":
      return `请先加载技能 "${subject}"，再运行其中的内容。`;
    case "resource-not-found":
      return `技能 "${skill}" 没有文件 "${subject}"。${choicesZh(fault)}`;
    case "resource-path-invalid":
      return `"${subject}" 不是技能 "${skill}" 内的路径。请使用文件列表中的相对路径。`;
    case "resource-too-large":
      return `技能 "${skill}" 的 "${subject}" 太大，无法读取。${detail}`;
    case "documents-not-found":
      return `技能 "${skill}" 没有文档 "${subject}"。${choicesZh(fault)}`;
    case "section-not-found":
      return `技能 "${skill}" 没有章节 "${subject}"。${choicesZh(fault)}`;
    case "script-not-found":
      return `技能 "${skill}" 没有脚本 "${subject}"。${choicesZh(fault)}`;
    case "script-unsupported":
      return `"${subject}" 无法运行。${detail}`;
    case "script-needs":
      return `"${subject}" 在这里无法运行。${detail}`;
    case "command-denied":
      return `不允许执行此命令。${detail}`;
    case "command-outside":
      return `此命令会离开工作区。${detail}`;
    case "run-denied":
      return `"${subject}" 没有运行。${detail} 不要重试；请告诉用户，或换一种办法。`;
    case "run-failed":
      return `运行未能完成。${detail}`;
    case "sandbox-unavailable":
      return `这里无法运行任何内容：没有沙箱。${detail}`;
    case "hub-missing":
      return `技能 "${subject}" 需要此宿主未提供的能力。${detail}`;
    case "fork-failed":
      return `技能 "${subject}" 的子代理失败。${detail}`;
    case "registry-failed":
      return `注册中心没有响应。${detail}`;
    case "process-unknown":
      return `没有正在运行的会话 "${subject}"。${choicesZh(fault)}`;
    case "state-missing":
      return `技能 "${skill}" 需要的值 "${subject}" 尚未设置。${detail}`;
    case "approval-invalid":
      return `该批准已不再适用。${detail}`;
    case "cancelled":
      return "调用已取消。";
  }
}

const again: Readonly<Record<Locale, string>> = {
  en: " This is not going to work by trying again: stop and tell the user what is missing.",
  zh: " 再试也不会成功：请停止重试，并告诉用户缺少什么。",
};

/** The words for faults in one language; from the second miss on that trying cannot mend, it says not to try again. */
export function faultPhrase(locale: Locale): FaultPhrases {
  const phrase = locale === "zh" ? chinese : english;
  return (fault) => `${phrase(fault).trim()}${!fault.retryable && fault.attempt > 1 ? again[locale] : ""}`;
}

/** A size for people: `2.1 kB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
