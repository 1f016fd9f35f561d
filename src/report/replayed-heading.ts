// Headings that mark content which comes only from a replay that is not proven to match the chain.

import type { Explanation, ReplayedFact } from "../model/explanation.ts";

export function headingOf(
  heading: string,
  fact: ReplayedFact,
  { replayOnly }: Pick<Explanation, "replayOnly">,
): string {
  return replayOnly.includes(fact) ? `${heading} (replay only)` : heading;
}
