// Splits a report into sections, which are lists of entries, in pages that an agent can afford. An
// entry that is larger than a page is split into pieces. Their joined texts are its JSON.

import { resultCharacters } from "./result-size.ts";

/** The sections by name. None is empty. */
export type Sections = Readonly<Record<string, readonly (readonly unknown[])[]>>;

/** The rest of MOST_CHARACTERS has room for the frame of a page. */
const PAGE_CHARACTERS = 7_000;
/** A quote takes six characters: two in the value, and four in its text. */
const PIECE_CHARACTERS = Math.floor((PAGE_CHARACTERS - 200) / 6);

/** Calls are trees, which a reader follows in order, with their depth. */
const TREES = ["calls", "diagnosticCalls"];

export function sectionsOf(report: object): Sections {
  const sections = Object.entries(report).flatMap(([name, value]) => {
    const entries = TREES.includes(name) ? flatCalls(value) : entriesOf(value);
    return entries.length === 0 ? [] : [[name, inPages(entries.flatMap(inPieces))] as const];
  });
  return Object.fromEntries(sections);
}

/** The number of pages of each section, by name. */
export function pageCounts(sections: Sections): Record<string, number> {
  return Object.fromEntries(Object.entries(sections).map(([name, pages]) => [name, pages.length]));
}

/**
 * The entries of a value: the items of a list, or the fields of an object and the items of its
 * lists.
 */
function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  // A single value, such as the ledger's number, is in other parts of the answer.
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    Array.isArray(field) ? field.map((item) => ({ [name]: item })) : [{ [name]: field }],
  );
}

interface CallTree {
  readonly calls?: readonly CallTree[];
}

/** The calls of a tree in one list. `value` is a tree, a list of trees, or null. */
function flatCalls(value: unknown): readonly unknown[] {
  const trees = [value ?? []].flat() as readonly CallTree[];
  const flat: unknown[] = [];
  const waiting = trees.map((tree) => ({ tree, depth: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { calls = [], ...call } = next.tree;
    const below = next.depth + 1;
    flat.push({ depth: next.depth, ...call });
    for (const tree of [...calls].reverse()) waiting.push({ tree, depth: below });
  }
  return flat;
}

function inPieces(entry: unknown): readonly unknown[] {
  const text = JSON.stringify(entry);
  if (resultCharacters(entry) <= PAGE_CHARACTERS) return [entry];
  const of = Math.ceil(text.length / PIECE_CHARACTERS);
  return Array.from({ length: of }, (_, i) => ({
    piece: i + 1,
    of,
    text: text.slice(i * PIECE_CHARACTERS, (i + 1) * PIECE_CHARACTERS),
  }));
}

function inPages(entries: readonly unknown[]): unknown[][] {
  const pages: unknown[][] = [[]];
  let room = PAGE_CHARACTERS;
  for (const entry of entries) {
    const size = resultCharacters(entry);
    if (size > room && pages.at(-1)?.length !== 0) {
      pages.push([]);
      room = PAGE_CHARACTERS;
    }
    room -= size;
    pages.at(-1)?.push(entry);
  }
  return pages;
}
