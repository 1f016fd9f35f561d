// Finds nodes with a text in their label or in the values of their details, in upper or lower case.

import type { Outline } from "./outline.ts";
import type { Search } from "./state.ts";

// The search runs again with each typed letter, but an outline never changes.
const TEXTS = new WeakMap<Outline, readonly string[]>();

/** Returns null for an empty text. */
export function findMatches(outline: Outline, text: string): Search | null {
  if (text === "") return null;
  const needle = text.toLowerCase();
  const matches: number[] = [];
  for (const [index, held] of textsOf(outline).entries())
    if (held.includes(needle)) matches.push(index);
  return { text, matches, kept: keptOf(outline, matches) };
}

function textsOf(outline: Outline): readonly string[] {
  const known = TEXTS.get(outline);
  if (known !== undefined) return known;
  const texts = outline.nodes.map((node) => {
    const values = node.details().map(({ name, text }) => (text === "" ? name : text));
    return [node.label, ...values].join("\n").toLowerCase();
  });
  TEXTS.set(outline, texts);
  return texts;
}

/** Returns the next or previous match from `from`, also beyond the ends, or -1. */
export function nextMatch(matches: readonly number[], from: number, direction: 1 | -1): number {
  if (matches.length === 0) return -1;
  const after =
    direction === 1
      ? matches.find((match) => match > from)
      : matches.findLast((match) => match < from);
  return after ?? (direction === 1 ? matches[0] : matches.at(-1)) ?? -1;
}

/** Returns the matches and all nodes above them, or null if nothing matches. */
export function keptOf({ nodes }: Outline, matches: readonly number[]): ReadonlySet<number> | null {
  if (matches.length === 0) return null;
  const kept = new Set<number>();
  for (const match of matches)
    for (let index = match; index !== -1 && !kept.has(index); index = nodes[index]?.parent ?? -1)
      kept.add(index);
  return kept;
}
