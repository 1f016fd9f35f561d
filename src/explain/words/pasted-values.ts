// Values that a person shortened or left out of a pasted log. The reader of the log gives each a
// value of its own, so that a cause is found as in a whole log. The facts of the cause then have
// what the person pasted, before anybody words them: no sentence is changed afterwards.

import type { CauseFinding } from "./found-cause.ts";

/** The text of a value that stands for a pasted one → the pasted text. */
export type PastedValues = ReadonlyMap<string, string>;

/** The finding whose facts name values as they were pasted. */
export function withPastedValues(finding: CauseFinding, pasted: PastedValues): CauseFinding {
  return pasted.size === 0 ? finding : (factWith(pasted, finding) as CauseFinding);
}

/** The fact, in which values stand at any depth: in a list, a call, or the text of a vector. */
function factWith(pasted: PastedValues, fact: unknown): unknown {
  if (typeof fact === "string")
    return [...pasted].reduce((text, [value, shown]) => text.replaceAll(value, () => shown), fact);
  if (Array.isArray(fact)) return fact.map((each) => factWith(pasted, each));
  if (typeof fact !== "object" || fact === null) return fact;
  // Texts are in plain data alone.
  if (Object.getPrototypeOf(fact) !== Object.prototype) return fact;
  return Object.fromEntries(
    Object.entries(fact).map(([name, each]) => [name, factWith(pasted, each)]),
  );
}
