// An Investigation is everything that svc found out about one transaction: the values of the walk.
// Renderers draw it.

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
  /**
   * Null if nothing ran in the contract host, because the transaction is classic or was refused
   * before.
   */
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly verdict: Verdict | null;
  /** True for a transaction without a Soroban operation. */
  readonly classic: boolean;
  readonly explanation: Explanation;
  /** Null if the transaction succeeded. */
  readonly fix: Fix | null;
  /**
   * The remedy, from the explanation and the fix. Null if it is unknown, if nothing is wrong, or if
   * the fix states it.
   */
  readonly remedy: string | null;
  /**
   * The commands that lead on, the most useful first. A failure has a fix, a remedy or these. A
   * success has none.
   */
  readonly next: readonly NextStep[];
  /** One sentence for each further run that failed, whose result is missing. */
  readonly caveats: readonly string[];
  /** Absent if no other transaction is known to have made this one fail. */
  readonly conflict?: Conflict;
  /** Present if something was overridden. The verdict is about the replay without overrides. */
  readonly whatIf?: WhatIf;
}

/** The words with which a shell command names this transaction and its nodes. */
export interface ShellReference {
  /** A capsule file, or null if the nodes have the transaction. */
  readonly from: string | null;
  /** Flags for nodes, and for a network that is not public; empty if none are needed. */
  readonly flags: string;
  /** True if the user named RPC nodes, whose URLs no command shows. */
  readonly namesRpc: boolean;
}
