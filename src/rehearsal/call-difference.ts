// What is different between the replay of a call and its run with the new code, and why a call is
// not judged. These are facts; difference-words.ts has their sentences.

import type { BeforehandFailure } from "../debugger/what-if/call-beforehand.ts";
import type { Redeclared } from "../debugger/what-if/rehearse-build.ts";
import type { FootprintBlock } from "../fix/fix-context.ts";
import type { CauseKind } from "../model/cause-kinds.ts";
import type { VerdictKind } from "../model/verdict.ts";

export type CallDifference =
  /** `message`: the error of svc-sim. */
  | { readonly kind: "no-result"; readonly message: string }
  /** The call of `--first` fails. */
  | { readonly kind: "first-fails"; readonly failure: BeforehandFailure }
  /** The footprint cannot be extended for the new code. */
  | { readonly kind: "state-unknown"; readonly block: FootprintBlock }
  | { readonly kind: "signatures"; readonly signers: readonly string[] }
  | { readonly kind: "newly-succeeding"; readonly before: RunEnd }
  /** The first call of a function that the new code lacks. */
  | {
      readonly kind: "function-gone";
      readonly contract: string;
      readonly function: string;
      /** The function of the new code with the nearest name; null if none is near. */
      readonly near: string | null;
    }
  /** The cause of the failure, as an explanation has it. */
  | {
      readonly kind: "cause";
      readonly cause: CauseKind;
      /** The call that failed; null if the host refused more than a call. */
      readonly failed: FailedFunction | null;
      readonly after: RunEnd;
      /** The cause as an explanation words it. */
      readonly summary: string;
    }
  /** A failure without a cause. */
  | { readonly kind: "failure"; readonly after: RunEnd }
  | { readonly kind: "other-failure"; readonly before: RunEnd; readonly after: RunEnd }
  /** The returned values; null for none. */
  | { readonly kind: "result"; readonly before: string | null; readonly after: string | null }
  | EntryDifference
  /** The number of events. Their content differs if the numbers are equal. */
  | { readonly kind: "events"; readonly before: number; readonly after: number }
  | { readonly kind: "redeclared"; readonly parts: readonly Redeclared[] };

export interface FailedFunction {
  readonly contract: string;
  readonly function: string;
}

/** The first entry that the runs leave otherwise. */
export interface EntryDifference {
  readonly kind: "entry";
  /** The entry's name. */
  readonly entry: string;
  readonly before: EntryLeft;
  readonly after: EntryLeft;
  /** The number of other entries that the runs leave otherwise. */
  readonly others: number;
}

/** What a run does with an entry; `value` has the part that differs, null if there is no entry. */
export interface EntryLeft {
  readonly change: "created" | "updated" | "removed" | "restored" | "none";
  readonly value: string | null;
}

/** How a run ended. */
export type RunEnd =
  | { readonly kind: "success" }
  | { readonly kind: "internal-error"; readonly message: string }
  | { readonly kind: "host-error"; readonly type: string; readonly code: string | number }
  /** A result code of stellar-core. */
  | { readonly kind: "result-code"; readonly code: string };

/** The reason why a transaction is not judged. */
export type NotJudgedReason =
  | { readonly kind: "other-contract" }
  | { readonly kind: "other-function" }
  /** No code of the contract ran that could be replaced: it was created here, or is no wasm. */
  | { readonly kind: "no-code" }
  | { readonly kind: "nothing-ran" }
  /** The state before it is not known. */
  | { readonly kind: "state-unknown" }
  /** The replay has another result than the chain. */
  | { readonly kind: "other-result" }
  | { readonly kind: "verdict"; readonly verdict: VerdictKind }
  /** `cause`: what a verification counts it under; null if nothing was replayed. */
  | { readonly kind: "not-replayed"; readonly cause: string | null };

const WITHOUT_CODE: ReadonlySet<NotJudgedReason["kind"]> = new Set([
  "other-contract",
  "other-function",
  "no-code",
  "nothing-ran",
]);

/** True if the contract's code may have run in a transaction that is not judged. */
export function mayConcernCode({ kind }: Pick<NotJudgedReason, "kind">): boolean {
  return !WITHOUT_CODE.has(kind);
}
