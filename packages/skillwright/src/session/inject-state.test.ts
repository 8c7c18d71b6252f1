import { expect, test } from "vitest";
import { fillArguments, injectState } from "./inject-state.ts";

const values: Record<string, unknown> = { name: "Ada", "app:plan": "pro", count: 3, dollar: "$& and $1", "artifact.notes.md": "kept" };
const lookup = (key: string) => values[key] as string | undefined;

test.each([
  ["a key", "Hi {name}.", "Hi Ada."],
  ["a key with a prefix", "Plan {app:plan}.", "Plan pro."],
  ["a number", "{count} birds", "3 birds"],
  ["an optional key that is missing", "[{other?}]", "[]"],
  ["an artifact", "{artifact.notes.md}", "kept"],
  ["escaped braces", "{{name}}", "{name}"],
  ["JSON", '{"name": 1} { name } {}', '{"name": 1} { name } {}'],
  ["a value that looks like a replacement", "{dollar}", "$& and $1"],
  ["fenced code", "{name}\n```js\nconst x = {name};\n```\n{name}", "Ada\n```js\nconst x = {name};\n```\nAda"],
  ["a code span", "Use `{name}` for {name}", "Use `{name}` for Ada"],
  ["a span that never closes", "a ` b {name}", "a ` b Ada"],
])("fills %s", async (_case, body, expected) => {
  expect(await injectState(body, lookup)).toEqual({ text: expected });
});

test("names the key that is missing, and fills nothing", async () => {
  expect(await injectState("{name} {user:city}", lookup)).toEqual({ missing: "user:city" });
});

test("fills code where it is declared", async () => {
  expect(await injectState("`{name}`", lookup, { code: true })).toEqual({ text: "`Ada`" });
});

test.each([
  ["all arguments", "Fix $ARGUMENTS now", 'a "b c"', [], 'Fix a "b c" now'],
  ["positions that are declared", "$1 then $2", 'one "two words"', ["first", "second"], "one then two words"],
  ["names that are declared", "Dear $who", "Ada", ["who"], "Dear Ada"],
  ["nothing for a price", "costs $1,000 or $1.50", "x", ["a"], "costs $1,000 or $1.50"],
  ["nothing for another program's fields", "awk '{print $2}'", "x", ["a"], "awk '{print $2}'"],
  ["an argument with a replacement pattern literally", "[$ARGUMENTS]", "$& $1", [], "[$& $1]"],
  ["nothing for undeclared names", "$HOME $PATH", "x", ["who"], "$HOME $PATH"],
])("fills %s", (_case, body, args, names, expected) => {
  expect(fillArguments(body, args, names)).toBe(expected);
});
