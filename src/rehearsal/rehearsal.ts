// The answer of `svc rehearse`: what a new build of a contract would have done with calls that
// were made.

import type { CauseKind } from "../model/cause-kinds.ts";
import type { UnknownProtocol } from "../model/verification.ts";
import type { DecidedReport } from "../report/json.ts";
import type { CallDifference, FailedFunction, NotJudgedReason, RunEnd } from "./call-difference.ts";
import type { InterfaceDifference } from "./interface-difference.ts";
import type { StoredMisfit } from "./stored-types.ts";

/** In the order in which a call is put into a group. */
export const GROUPS = {
  "no-result": "no result",
  "first-fails": "the call of --first fails",
  "state-unknown": "reads an entry whose state is unknown",
  "function-gone": "a function is gone",
  "arguments-misfit": "the arguments no longer fit",
  "newly-failing": "newly failing",
  "newly-succeeding": "newly succeeding",
  "other-failure": "fails for another reason",
  "needs-signatures": "needs new signatures",
  "other-result": "another result",
  "other-state": "other state",
  "other-events": "other events",
  "declared-too-little": "the same, if simulated again",
  same: "the same",
} as const;

export type GroupKind = keyof typeof GROUPS;

/** The groups of calls that did not run to an end with the new code: what it does is not known. */
const WITHOUT_ANSWER: ReadonlySet<GroupKind> = new Set([
  "no-result",
  "first-fails",
  "state-unknown",
]);

/** True if the call ran to an end with the new code. */
export function hasAnswer({ group }: Pick<RehearsedCall, "group">): boolean {
  return !WITHOUT_ANSWER.has(group);
}

export interface RehearsedCall {
  readonly hash: string;
  readonly ledger: number;
  /** The position in its ledger, from 1; null if no source has it. */
  readonly applicationOrder: number | null;
  /** The contract and function that the transaction calls; null if it calls none. */
  readonly contract: string | null;
  readonly function: string | null;
  /** The functions of contracts with new builds that the transaction called, once each. */
  readonly reached: readonly ReachedFunction[];
  readonly group: GroupKind;
  /** Empty for a call that is the same. */
  readonly differences: readonly CallDifference[];
  /** What its sender would have to declare anew. */
  readonly redeclared: readonly string[];
  readonly signers: readonly string[];
  /** The protocol that the new code needed and ran under; null if it was that of the ledger. */
  readonly raisedProtocol: number | null;
  /** True if a part of the state of the replay is only what a node or a capsule says. */
  readonly unconfirmed: boolean;
  /** Null if one of the runs has no cost to compare. */
  readonly costs: Readonly<Record<CostName, CostPair>> | null;
  /** The files with the call; null if it is from nodes or from an archive. */
  readonly files: CallFiles | null;
}

export type CallFiles =
  | { readonly kind: "capsule"; readonly file: string }
  | {
      readonly kind: "ledgers";
      /** The last file has the call. Those before it continue to it, and show its state. */
      readonly files: readonly string[];
      readonly networkPassphrase: string;
    };

/** A function of a contract with a new build. */
export interface ReachedFunction {
  readonly contract: string;
  readonly function: string;
  /** True if another contract called it. */
  readonly nested: boolean;
}

export const COSTS = {
  instructions: "CPU instructions",
  memoryBytes: "memory bytes",
  readBytes: "read bytes",
  writeBytes: "write bytes",
  feeStroops: "resource fee, stroops",
} as const;

export type CostName = keyof typeof COSTS;
export type CostPair = readonly [before: number, after: number];

/** The share by which the second cost is higher, such as 0.1 for 10 %. */
export function dearerBy([before, after]: readonly [number, number]): number {
  if (before === 0) return after === 0 ? 0 : 1;
  return after / before - 1;
}

export interface RehearsedContract {
  readonly contract: string;
  readonly file: string;
  readonly newHash: string;
  readonly newBytes: number;
  /** Null until a call has shown the code that ran. */
  readonly oldHash: string | null;
  readonly oldBytes: number | null;
  /** How the interface of the new code differs; null if the old code is unknown. */
  readonly differences: readonly InterfaceDifference[] | null;
  /** The types of the old code that stored values have, and how many no longer decode. */
  readonly stored: readonly StoredTypeUse[];
  /** True if the calls met more entries than svc looked at for these types. */
  readonly isStoredBounded: boolean;
  /**
   * The entry of another contract from which the contract takes its code (CAP-85), with the other
   * contracts in the state of the calls that take theirs from it; null if its code is its own.
   */
  readonly sharedCode: SharedCode | null;
}

/** The number of entries of a contract whose types are looked at. */
export const MOST_STORED_ENTRIES = 50_000;

export interface StoredTypeUse {
  readonly type: string;
  /** The number of entries in the state of the calls that have a value of the type. */
  readonly entries: number;
  /** The number of those that no longer decode. */
  readonly misfits: number;
  /**
   * The name of one of the entries: of one that no longer decodes, if there is any. Null if it is
   * the contract's instance.
   */
  readonly example: string | null;
  /** Why the example no longer decodes; null if it decodes. */
  readonly misfit: StoredMisfit | null;
}

export interface SharedCode {
  /** The contract that has the entry. */
  readonly owner: string;
  readonly contracts: readonly string[];
}

/** All calls in order on one state, which the new code writes. */
export interface RehearsedSequence {
  /** The first call that is not the same; null if every call is. */
  readonly partedAt: { readonly hash: string; readonly ledger: number } | null;
  /** The number of transactions that do not call the contracts and ran on changed entries. */
  readonly others: number;
  /** The number of entries that are other than on the chain at the end. */
  readonly changedEntries: number;
  /**
   * The number of changed entries that became the chain's again, because a transaction that was not
   * run again changed them.
   */
  readonly lostEntries: number;
}

/** Calls that fail for one reason: for one kind of cause, in one function, with one error. */
export interface FailureReason {
  readonly group: GroupKind;
  readonly cause: CauseKind;
  /** The call that failed; null if the host refused more than a call. */
  readonly failed: FailedFunction | null;
  readonly after: RunEnd;
  readonly calls: number;
  readonly first: Pick<RehearsedCall, "hash" | "ledger" | "applicationOrder">;
  /** The cause of the first call's failure, as an explanation words it. */
  readonly summary: string;
  /** The value that decided it, with the cause as that value explains it; null if it is unknown. */
  readonly decided: { readonly summary: string; readonly by: DecidedReport } | null;
}

export interface SearchedLedgers {
  readonly wantedCalls: number;
  readonly first: number;
  readonly last: number;
  /** True if no source returned an earlier ledger, or if there is none. */
  readonly isAll: boolean;
}

export type FirstUnread = Pick<UnknownProtocol, "ledger" | "protocolVersion">;

/** The calls in the order of the chain. They can be many, so that they are read one by one. */
export interface RehearsedCalls extends Iterable<RehearsedCall> {
  readonly length: number;
}

export interface UpgradeRehearsal {
  readonly format: 1;
  readonly contracts: readonly RehearsedContract[];
  readonly calls: RehearsedCalls;
  /** The reasons for which calls fail, in the order of their first calls. */
  readonly reasons: readonly FailureReason[];
  /** The number of calls without a judgement, for each reason. */
  readonly notJudged: readonly (NotJudgedReason & { readonly calls: number })[];
  /** Calls on the path of another call, which were not rehearsed; null if all calls count. */
  readonly repeated: number | null;
  /** The ledgers in which the last calls were looked for; null if no number of calls is set. */
  readonly searched: SearchedLedgers | null;
  /** The call that was made first on each state, as the user wrote it; null if there is none. */
  readonly first: string | null;
  /** Null if each call ran on the state that it met. */
  readonly sequence: RehearsedSequence | null;
  /** The first ledger of a later protocol than svc knows, after which none was read; null: none. */
  readonly laterProtocol: FirstUnread | null;
  /** The protocol that a build needs, if a call ran under an earlier one; null otherwise. */
  readonly raisedProtocol: number | null;
}

/** A rehearsal with its calls as a list, as JSON has it. */
export interface ListedRehearsal extends UpgradeRehearsal {
  readonly calls: readonly RehearsedCall[];
}
