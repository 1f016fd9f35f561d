// The title of a session: its transaction, and how far the replay is proven.

import type { Recording } from "../time-travel/recording.ts";

const VERDICTS = {
  exact: "exact: the replay equals the chain in everything that was compared",
  equivalent: "equivalent: the replay has the chain's result, with caveats",
  diverged: "DIVERGED: this replay is not what happened on chain",
  inconclusive: "INCONCLUSIVE: it is not known whether this replay is what happened on chain",
} as const;

export function title({ hash, verdict }: Recording): string {
  return `${hash.slice(0, 8)}… ${VERDICTS[verdict]}`;
}
