// Headings that say so where only a replay tells what stands below them, and nothing proves that it
// is what the chain did.

import type { Explanation, ReplayedFact } from "../model/explanation.ts";

export function headingOf(
  heading: string,
  fact: ReplayedFact,
  { replayOnly }: Pick<Explanation, "replayOnly">,
): string {
  return replayOnly.includes(fact) ? `${heading}, only as the replay has it` : heading;
}
