// Measures and limits a tool's result. The result has the value twice: as structured content, and
// as text for clients that support only text.

import {
  cutSentence,
  neutralise,
  quotedWithoutBackticks,
  withShortQuotes,
} from "../base/text/neutralise.ts";
import { asQuoted } from "./foreign-texts.ts";

/** About 2,000 tokens, at four characters a token. */
export const MOST_CHARACTERS = 8_000;

/** The characters of a result besides its value. */
const FRAME_CHARACTERS = 250;

/** The characters that the value takes in a result. */
export function resultCharacters(value: unknown): number {
  const text = JSON.stringify(value);
  return text.length + JSON.stringify(text).length;
}

/** The steps in which texts and lists are shortened until the value is small enough. */
const STEPS = [
  { text: 1_200, items: 12 },
  { text: 800, items: 8 },
  { text: 400, items: 6 },
  { text: 300, items: 3 },
  { text: 200, items: 2 },
  { text: 100, items: 1 },
] as const;

export interface Fitted<Value> {
  readonly value: Value;
  /** True if texts end with an ellipsis, or lists miss items. */
  readonly shortened: boolean;
}

/** Shortens JSON until it fits. A foreign text is never long. */
export function fit<Value>(json: Value): Fitted<Value> {
  const text = (each: string) => withShortQuotes(each);
  const value = mapped(json, { text, items: Number.POSITIVE_INFINITY }) as Value;
  const most = MOST_CHARACTERS - FRAME_CHARACTERS;
  if (resultCharacters(value) <= most) return { value, shortened: false };
  for (const { text, items } of STEPS) {
    const shorter = mapped(value, { text: (each) => cutSentence(each, text), items });
    if (resultCharacters(shorter) <= most) return { value: shorter as Value, shortened: true };
  }
  throw new Error("An answer is too large even when it is shortened.");
}

/** The value as JSON, with every text neutralized, and foreign texts in quotes. */
export function neutralised<Value>(value: Value): Value {
  const text = (each: string) => quotedWithoutBackticks(neutralise(each));
  return mapped(asQuoted(value), { text, items: Number.POSITIVE_INFINITY }) as Value;
}

interface Mapping {
  readonly text: (text: string) => string;
  readonly items: number;
}

function mapped(value: unknown, mapping: Mapping): unknown {
  if (typeof value === "string") return mapping.text(value);
  if (Array.isArray(value))
    return value.slice(0, mapping.items).map((item) => mapped(item, mapping));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => [neutralise(name), mapped(field, mapping)]),
  );
}
