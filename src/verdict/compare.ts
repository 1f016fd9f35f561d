// The two forms of a comparison.

import type { Comparison, ComparisonSubject } from "../model/verdict.ts";

/** Compares the texts themselves, because XDR and decimal numbers have only one form. */
export function compareTexts(
  subject: ComparisonSubject,
  item: string | null,
  chain: string | null,
  replay: string | null,
  detail: string | null = null,
): Comparison {
  return { subject, item, result: chain === replay ? "equal" : "different", chain, replay, detail };
}

/** Compares kinds of changes, TTLs or codes of a subject whose other values are XDR. */
export function comparePlain(...compared: Parameters<typeof compareTexts>): Comparison {
  return { ...compareTexts(...compared), plain: ["chain", "replay"] };
}

/**
 * Makes a comparison for which the chain record or the replay has nothing. `detail` states the
 * reason.
 */
export function notCompared(
  subject: ComparisonSubject,
  detail: string,
  values: { readonly chain?: string | null; readonly replay?: string | null } = {},
): Comparison {
  const { chain = null, replay = null } = values;
  return { subject, item: null, result: "unavailable", chain, replay, detail };
}
