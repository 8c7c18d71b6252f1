import { SkillError } from "../core/index.ts";

/** Names that make an interpreter, a shell or the loader run or load something; no run gets them, whoever asks. */
const forbidden: readonly RegExp[] = [
  /^(LD|DYLD)_/,
  /^BASH_(ENV|FUNC_|XTRACEFD|LOADABLES_PATH)/,
  /^(ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|IFS|CDPATH|GLOBIGNORE|ZDOTDIR|FPATH|SHELL)$/,
  /^NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE)$/,
  /^(NPM_CONFIG|BUN|DENO)_/i,
  /^PYTHON(STARTUP|PATH|HOME|INSPECT|USERBASE|BREAKPOINT|EXECUTABLE|WARNINGS|PLATLIBDIR|PYCACHEPREFIX)$/,
  /^PERL5?(OPT|LIB|DB|SHELL)$/,
  /^PERL5?_/,
  /^RUBY(OPT|LIB|SHELL)$/,
  /^GEM_(HOME|PATH)$/,
  /^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS)$/,
  /^(LUA_INIT|LUA_PATH|LUA_CPATH)/,
  /^(R_PROFILE|R_ENVIRON|R_LIBS)/,
  /^(PHPRC|PHP_INI_SCAN_DIR|TCLLIBPATH|AWKPATH|AWKLIBPATH)$/,
  /^GIT_(SSH|SSH_COMMAND|ASKPASS|EDITOR|SEQUENCE_EDITOR|PAGER|EXTERNAL_DIFF|PROXY_COMMAND|EXEC_PATH|TEMPLATE_DIR|DIR|CONFIG.*)$/,
  /^(EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SSH_ASKPASS|SUDO_ASKPASS)$/,
  /^(GCONV_PATH|LOCPATH|NLSPATH|LOCALDOMAIN|HOSTALIASES|RES_OPTIONS|RESOLV_.*|GETCONF_DIR|GLIBC_TUNABLES|MALLOC_.*|OPENSSL_CONF|OPENSSL_MODULES|OPENSSL_ENGINES)$/,
];

/** Names that the sandbox and the workspace set themselves. */
const reserved: ReadonlySet<string> = new Set([
  "HOME",
  "INPUTS_DIR",
  "LANG",
  "OUTPUT_DIR",
  "PATH",
  "PYTHONDONTWRITEBYTECODE",
  "RUN_DIR",
  "SKILL_DIR",
  "SKILL_NAME",
  "SKILLS_DIR",
  "TMPDIR",
  "WORK_DIR",
  "WORKSPACE_DIR",
]);

/**
 * Why a variable cannot be handed to a run, or undefined when it can.
 * A sandbox is told the rest exactly as given; nothing of the host's own environment ever reaches a run.
 */
export function refuseVariable(name: string, value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "its name is not made of letters, digits and underscores";
  if (value.includes("\0")) return "its value holds a NUL character";
  if (reserved.has(name)) return "the workspace sets it";
  if (forbidden.some((pattern) => pattern.test(name))) return "it makes shells, interpreters or the loader run code";
  return undefined;
}

/** Joins what the workspace sets, what a caller passes and what the host grants, later ones winning. @throws SkillError `configuration-invalid` */
export function runEnvironment(
  own: Readonly<Record<string, string>>,
  passed: Readonly<Record<string, string>> | undefined,
  grants: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const environment: Record<string, string> = { ...own };
  for (const [kind, variables] of [
    ["passed", passed],
    ["granted", grants],
  ] as const) {
    for (const [name, value] of Object.entries(variables ?? {})) {
      const reason = refuseVariable(name, value);
      if (reason !== undefined) {
        throw new SkillError(
          "configuration-invalid",
          `The variable ${JSON.stringify(name.slice(0, 100))} cannot be ${kind} to a run: ${reason}.`,
          {
            hint: "Leave it out, or pass the value under a name of its own that the script reads.",
            data: { variable: name.slice(0, 100) },
          },
        );
      }
      environment[name] = value;
    }
  }
  return environment;
}
