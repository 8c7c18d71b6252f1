/** The skills that the operations below load and unload. */
export const skillNames: readonly string[] = Array.from({ length: 12 }, (_, index) => `skill-${index}`);

/** The n-th operation of an endless sequence: most load, every fourth unloads what was loaded two before. */
export function operation(number: number): { readonly kind: "load" | "unload"; readonly name: string } {
  const at = (index: number): string => skillNames[((index % skillNames.length) + skillNames.length) % skillNames.length] ?? "";
  return number % 4 === 3 ? { kind: "unload", name: at(number - 2) } : { kind: "load", name: at(number) };
}

/** What is active after the operations before a number. */
export function activeBefore(number: number): Set<string> {
  const active = new Set<string>();
  for (let index = 0; index < number; index++) {
    const { kind, name } = operation(index);
    if (kind === "load") active.add(name);
    else active.delete(name);
  }
  return active;
}
