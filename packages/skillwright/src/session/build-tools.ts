import { type JsonObject, type JsonSchema, SkillError } from "../core/index.ts";
import type { Operation, ToolSpec, WordingContext } from "../dialects/index.ts";
import { decide, keepPending, type Question } from "./approvals.ts";
import { callTool, operationAction } from "./call-tool.ts";
import { planRun, planSkillTool } from "./plan-run.ts";
import { readArguments } from "./read-arguments.ts";
import { runPlanned } from "./run-operations.ts";
import { mayModelLoad, type SessionContext } from "./session-context.ts";
import type { Approval, SkillTool } from "./skill-tool.ts";
import { skillToolSpecs } from "./skill-tools.ts";

/** Which specs of a dialect are offered now, by what the session has. */
export function offeredSpecs(context: SessionContext, features: { readonly largeCatalog: boolean }): readonly ToolSpec[] {
  const promises = context.options.sandbox?.promises;
  const met = {
    sandbox: promises !== undefined,
    interactive: promises?.interactive === true,
    "large-catalog": features.largeCatalog || context.library.searchesElsewhere,
    registry: features.largeCatalog || context.library.searchesElsewhere,
    lifecycle: context.options.lifecycle !== undefined,
    code: promises !== undefined && context.options.allowCode === true,
  };
  const sections = context.options.maxBodyTokens !== undefined;
  return context.dialect.tools
    .filter((spec) => (spec.needs ?? []).every((need) => met[need]))
    .map((spec) => (sections ? spec : { ...spec, parameters: spec.parameters.filter((parameter) => parameter.needs === undefined) }));
}

/** The name of a spec as the model sees it. */
export function toolNameOf(context: Pick<SessionContext, "options">, spec: ToolSpec): string {
  return `${context.options.toolNamePrefix ?? ""}${context.options.toolNames?.[spec.operation] ?? spec.name}`;
}

/** The tools of a session: plain JSON Schema, and an execute that answers faults as results. */
export function buildTools(context: SessionContext, specs: readonly ToolSpec[], wording: WordingContext): SkillTool[] {
  const names = new Set<string>();
  return specs.flatMap((spec) => {
    const name = toolNameOf(context, spec);
    if (context.options.toolFilter?.({ name, operation: spec.operation }) === false) return [];
    if (names.has(name)) {
      throw new SkillError("configuration-invalid", `Two tools are called "${name}".`, {
        hint: "Give them different names in `toolNames`.",
      });
    }
    names.add(name);
    return [buildTool(context, spec, name, wording)];
  });
}

function buildTool(context: SessionContext, spec: ToolSpec, name: string, wording: WordingContext): SkillTool {
  const words = context.words.tools[spec.operation];
  return {
    name,
    operation: spec.operation,
    description: words?.description(wording) ?? name,
    inputSchema: schemaOf(context, spec),
    annotations: annotationsOf(spec.operation),
    approval: (input, options) => askBefore(context, spec, name, input, options),
    execute: (input, options) => callTool(context, operationAction(context, spec, name), input, options),
  };
}

/** Tells a host that asks before it executes what a run would ask. */
async function askBefore(
  context: SessionContext,
  spec: ToolSpec,
  tool: string,
  input: unknown,
  options: { readonly callId: string },
): Promise<Approval | undefined> {
  if (!runs.has(spec.operation)) return undefined;
  const read = readArguments(spec, input);
  if (!read.ok) return undefined;
  const plan = await planRun(context, { callId: options.callId, tool, operation: spec.operation, input: read.input, args: read.args });
  return "kind" in plan ? undefined : askAhead(context, plan.question);
}

async function askAhead(context: SessionContext, question: Question): Promise<Approval | undefined> {
  const verdict = await decide(context, question, undefined);
  if (verdict.kind !== "ask") return undefined;
  await keepPending(context, verdict.approval);
  return verdict.approval;
}

/** The tools that active skills bring, run in the sandbox like their scripts. */
export async function buildSkillTools(context: SessionContext, taken: ReadonlySet<string>): Promise<SkillTool[]> {
  const specs = await skillToolSpecs(context, taken);
  return specs.map((spec) => ({
    name: spec.name,
    operation: "skill",
    description: `${spec.description} (from skill "${spec.skill}")`,
    inputSchema: spec.inputSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    approval: async (input, { callId }) => {
      const plan = await planSkillTool(context, spec, input, callId);
      return "kind" in plan ? undefined : askAhead(context, plan.question);
    },
    execute: (input, options) =>
      callTool(
        context,
        {
          tool: spec.name,
          changesWorld: true,
          perform: async (given, { callId, ...rest }) => {
            const plan = await planSkillTool(context, spec, given, callId);
            return { outcome: "kind" in plan ? plan : await runPlanned(context, plan, { ...rest, args: {} }) };
          },
        },
        input,
        options,
      ),
  }));
}

const runs: ReadonlySet<Operation> = new Set(["run-script", "run-command", "run-code", "start"]);

function annotationsOf(operation: Operation): SkillTool["annotations"] {
  const running = runs.has(operation) || operation === "write" || operation === "kill";
  return { readOnlyHint: !running, destructiveHint: running, openWorldHint: false };
}

/** Few skills may be named in the schema; many would make every request carry the catalogue twice. */
const maxEnumNames = 256;

function schemaOf(context: SessionContext, spec: ToolSpec): JsonSchema {
  const words = context.words.tools[spec.operation];
  const names = context.library.catalog.skills.filter(mayModelLoad).map((skill) => skill.name);
  const properties: Record<string, JsonObject> = {};
  for (const parameter of spec.parameters) {
    const description = words?.parameters[parameter.name];
    const enumerated = parameter.namesSkill && names.length > 0 && names.length <= maxEnumNames;
    properties[parameter.name] = {
      ...parameter.schema,
      ...(enumerated ? { enum: [...names].sort() } : {}),
      ...(description === undefined ? {} : { description }),
    };
  }
  const required = spec.parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
}
