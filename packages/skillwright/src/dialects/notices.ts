import type { Locale } from "./dialect.ts";
import type { Notice } from "./outcome.ts";

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

function english(notice: Notice): string {
  switch (notice.kind) {
    case "changed":
      return "This skill has changed since you loaded it; these instructions replace the earlier ones.";
    case "rules":
      return `Rules of this skill, which hold as long as it is active:\n${notice.text}`;
    case "requires": {
      const known =
        notice.known.length === 0
          ? ""
          : `This skill builds on ${list(notice.known)}: load ${notice.known.length > 1 ? "them" : "it"} when you need what ${notice.known.length > 1 ? "they cover" : "it covers"}.`;
      const unknown = notice.unknown.length === 0 ? "" : `It also names ${list(notice.unknown)}, which this library does not have.`;
      return [known, unknown].filter((part) => part !== "").join(" ");
    }
    case "conflicts":
      return `This skill contradicts ${list(notice.names)}, which is active. The host's instructions decide first, then the skill loaded later.`;
    case "trouble":
      return notice.text;
  }
}

function chinese(notice: Notice): string {
  switch (notice.kind) {
    case "changed":
      return "该技能在上次加载之后有改动；以上说明取代之前的版本。";
    case "rules":
      return `该技能的规则，在其生效期间始终适用：\n${notice.text}`;
    case "requires": {
      const known = notice.known.length === 0 ? "" : `该技能以 ${list(notice.known)} 为基础：需要时请加载。`;
      const unknown = notice.unknown.length === 0 ? "" : `它还提到 ${list(notice.unknown)}，但技能库中没有。`;
      return `${known}${unknown}`;
    }
    case "conflicts":
      return `该技能与正在使用的 ${list(notice.names)} 相冲突。先以宿主的说明为准，其次以后加载的技能为准。`;
    case "trouble":
      return notice.text;
  }
}

/** The words for notices in one language. */
export function noticePhrase(locale: Locale): (notice: Notice) => string {
  return locale === "zh" ? chinese : english;
}
