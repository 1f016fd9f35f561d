// The two shapes a comparison can have.

import type { Comparison, ComparisonSubject } from "../model/verdict.ts";

/** Equal or different, by the text itself: XDR and decimal numbers have one form only. */
export function compareTexts(
  subject: ComparisonSubject,
  item: string | null,
  chain: string | null,
  replay: string | null,
  detail: string | null = null,
): Comparison {
  return { subject, item, result: chain === replay ? "equal" : "different", chain, replay, detail };
}

/** The recording, or the replay, holds nothing to compare; `detail` says why. */
export function notCompared(
  subject: ComparisonSubject,
  item: string | null,
  detail: string,
  values: { readonly chain?: string | null; readonly replay?: string | null } = {},
): Comparison {
  const { chain = null, replay = null } = values;
  return { subject, item, result: "unavailable", chain, replay, detail };
}
