const specKeys: ReadonlySet<string> = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);
const textKeys: ReadonlySet<string> = new Set(["name", "description", "license", "compatibility"]);
/** Keys beyond it that clients of the field share. */
const clientKeys: ReadonlySet<string> = new Set([
  "user-invocable",
  "disable-model-invocation",
  "argument-hint",
  "arguments",
  "model",
  "context",
  "agent",
  "hooks",
]);

const canonical: ReadonlyMap<string, string> = new Map([
  ...[...specKeys, ...clientKeys].map((key): [string, string] => [squeeze(key), key]),
  ["userinvokable", "user-invocable"],
  ["licence", "license"],
  ["compatability", "compatibility"],
  ["desciption", "description"],
  ["descripton", "description"],
  ["discription", "description"],
  ["allowedtool", "allowed-tools"],
  ["allowtools", "allowed-tools"],
]);

/** Whether agentskills.io defines the key. */
export function isSpecKey(key: string): boolean {
  return specKeys.has(key);
}

/** Whether its value is text and nothing else. */
export function isTextKey(key: string): boolean {
  return textKeys.has(key);
}

/** Whether clients share the key, though the specification does not define it. */
export function isClientKey(key: string): boolean {
  return clientKeys.has(key);
}

/** The known key that another one is a spelling of (`allowedTools`, `allowed_tools`, `user-invokable`); undefined for right and unknown ones. */
export function canonicalKey(key: string): string | undefined {
  const known = canonical.get(isSqueezed(key) ? key : squeeze(key));
  return known === key ? undefined : known;
}

function squeeze(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, "");
}

function isSqueezed(key: string): boolean {
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index);
    if (code < 97 || code > 122) return false;
  }
  return true;
}
