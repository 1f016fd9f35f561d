// An Investigation is everything that svc found out about one transaction: the values of the walk
// side by side. Renderers draw it.

import type { ChainRecord } from "./chain-record.ts";
import type { Conflict } from "./conflict.ts";
import type { Execution } from "./execution.ts";
import type { Explanation, NextStep } from "./explanation.ts";
import type { Fix } from "./fix.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Verdict } from "./verdict.ts";
import type { WhatIf } from "./what-if.ts";

export interface Investigation {
  readonly record: ChainRecord;
  /** Null when nothing ran in the contract host: classic, or refused before it. */
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly verdict: Verdict | null;
  /** True for a transaction without a Soroban operation. */
  readonly classic: boolean;
  readonly explanation: Explanation;
  /** Null when the transaction succeeded. */
  readonly fix: Fix | null;
  /**
   * The remedy, from the explanation and the fix; null when unknown or nothing is wrong, and when
   * the fix says it.
   */
  readonly remedy: string | null;
  /**
   * The commands that lead on, the most useful first. A failure has a fix, a remedy or these;
   * a success has none.
   */
  readonly next: readonly NextStep[];
  /** One sentence for each run beside the replay that failed: what it would show is missing. */
  readonly caveats: readonly string[];
  /** Absent when no other transaction is known to have made this one fail. */
  readonly conflict?: Conflict;
  /** Present when something was overridden. The verdict is about the replay without overrides. */
  readonly whatIf?: WhatIf;
}

/** How the user names this transaction and who knows it, in words for a shell. */
export interface Asked {
  /** A capsule file; null: the nodes know it. */
  readonly from: string | null;
  /** Flags for nodes, and for a network that is not public; empty: none. */
  readonly flags: string;
}
