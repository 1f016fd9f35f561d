// A replay that was recorded for stepping, with everything that is shown beside its code.

import type { Wording } from "../base/phrase.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import type { DecidedBy } from "../model/explanation.ts";
import type { SnapshotEntry } from "../model/snapshot.ts";
import type { ExecutionTrace, TravelAnswer, TravelKind, TravelStack } from "../model/travel.ts";
import type { VerdictKind } from "../model/verdict.ts";
import type { ContractLookup } from "../xdr/contract/contract-specs.ts";

export interface Recording extends AsyncDisposable {
  readonly hash: string;
  /** The network in words: `testnet`, `fork of testnet`. */
  readonly network: string;
  readonly verdict: VerdictKind;
  /** The assumptions of the verdict and the failure, one sentence each. */
  readonly remarks: readonly Wording[];
  /**
   * The cause of the failure in a sentence; null if there was no failure or its cause is unknown.
   */
  readonly cause: string | null;
  /** Finds the value that decided the failure, at the first call. Null means that it is unknown. */
  readonly why: () => Promise<DecidedBy | null>;
  readonly ledger: LedgerFacts;
  readonly trace: ExecutionTrace;
  readonly execution: Execution;
  readonly entries: readonly SnapshotEntry[];
  readonly lookup: ContractLookup;
  /** The instructions that the transaction declared. */
  readonly declaredInstructions: bigint;
  readonly authorizations: readonly string[];
  travel<Kind extends TravelKind>(
    kind: Kind,
    query: Readonly<Record<string, unknown>>,
  ): Promise<TravelAnswer<Kind>>;
}

/** A moment of a recording. */
export interface Standpoint {
  readonly recording: Recording;
  readonly moment: number;
  /**
   * The number of innermost inlined functions that begin at the moment, and that the user has not
   * entered.
   */
  readonly hidden: number;
  stack(): Promise<TravelStack>;
}
