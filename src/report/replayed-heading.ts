// Headings that say so where only a replay tells what stands below them, and nothing proves that it
// is what the chain did.

import type { Explanation, ReplayedFact } from "../model/explanation.ts";

export function headingOf(
  heading: string,
  fact: ReplayedFact,
  { onlyReplayed }: Pick<Explanation, "onlyReplayed">,
): string {
  return onlyReplayed.includes(fact) ? `${heading}, only as the replay has it` : heading;
}
