// What a verdict means to whoever called svc. Errors carry their own exit codes.

import type { Verdict, VerdictKind } from "../model/verdict.ts";

const EXIT_CODES: Readonly<Record<VerdictKind, number>> = {
  exact: 0,
  equivalent: 0,
  diverged: 1,
  inconclusive: 6,
};

/** Null: nothing ran in the contract host, so there was nothing to reproduce. */
export function exitCodeOf(verdict: Verdict | null): number {
  return verdict === null ? 0 : EXIT_CODES[verdict.kind];
}

/** Of many: one that diverged outweighs any that could not be judged. */
export function exitCodeOfCounts(counts: Readonly<Record<VerdictKind, number>>): number {
  if (counts.diverged > 0) return EXIT_CODES.diverged;
  return counts.inconclusive > 0 ? EXIT_CODES.inconclusive : 0;
}
