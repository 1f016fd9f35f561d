// Names of calls in facts. A sentence has each call in full or in the short form, so the facts keep
// both until the sentence is worded.

/** A call that a sentence names. */
export interface CallName {
  readonly contract: string | null;
  readonly function: string | null;
  readonly argumentsXdr: readonly string[];
  /** The name with the arguments: `fail(code: 1) of contract C…`. */
  readonly whole: string;
  /** The name in a report that shows the calls: `` `fail` of contract C… ``. */
  readonly short: string;
}

/** How sentences name calls. */
export type CallForm = "whole" | "short";

type Word<Fact> = Fact extends CallName
  ? string
  : Fact extends readonly CallName[]
    ? readonly string[]
    : Fact extends { readonly call: CallName }
      ? Omit<Fact, "call"> & { readonly call: string }
      : Fact;

/** Facts in which each call is the words for it. */
export type Spoken<Facts> = Facts extends unknown
  ? { readonly [Name in keyof Facts]: Word<Facts[Name]> }
  : never;

/** Puts the words for each call in its place. */
export function spoken<Facts extends object>(facts: Facts, form: CallForm): Spoken<Facts> {
  const words = Object.entries(facts).map(([name, fact]) => [name, wordOf(fact, form)]);
  return Object.fromEntries(words) as Spoken<Facts>;
}

function wordOf(fact: unknown, form: CallForm): unknown {
  if (Array.isArray(fact)) return fact.map((each) => (isCallName(each) ? each[form] : each));
  if (isCallName(fact)) return fact[form];
  const isAbout = typeof fact === "object" && fact !== null && "call" in fact;
  return isAbout && isCallName(fact.call) ? { ...fact, call: fact.call[form] } : fact;
}

function isCallName(fact: unknown): fact is CallName {
  return typeof fact === "object" && fact !== null && "whole" in fact && "short" in fact;
}
