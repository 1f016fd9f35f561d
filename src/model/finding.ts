// Findings are the results of one run of svc: for each requested transaction an Investigation, or
// the reason why there is none, and the user's expectations that failed.

import type { Investigation } from "./investigation.ts";
import type { TransactionOutline } from "./transaction-outline.ts";

/** A condition of --fail-on that is true, or an expectation of --expect that failed. */
export interface FailedExpectation {
  /** Where the user set the expectation. */
  readonly origin: "--fail-on" | "--expect";
  /** The condition as the user wrote it: `cpu>1000`, `verdict`. */
  readonly condition: string;
  /** Expected and actual value, as text; may quote the chain. */
  readonly expected: string;
  readonly actual: string;
  /** One sentence with both, and by how much they differ. */
  readonly message: string;
}

/** The reason why there is no Investigation: an SvcError as plain data. */
export interface FoundError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

interface AnyFinding {
  /** The requested hash in lower-case hex, or the capsule's path. */
  readonly subject: string;
  /** The exit code of svc if this were the only transaction. */
  readonly exitCode: number;
  readonly elapsedMilliseconds: number;
}

export interface Investigated extends AnyFinding {
  readonly kind: "investigated";
  readonly investigation: Investigation;
  /** Null if nothing was expected. Empty if all expectations passed. */
  readonly failedExpectations: readonly FailedExpectation[] | null;
}

export interface Unanswered extends AnyFinding {
  readonly kind: "unanswered";
  readonly error: FoundError;
  /** The parts of the transaction that can still be shown; absent if there are none. */
  readonly outline?: TransactionOutline;
}

export type Finding = Investigated | Unanswered;

/** The finding of a run that investigated one transaction, without expectations. */
export function soleFinding(investigation: Investigation): Investigated {
  return {
    kind: "investigated",
    subject: investigation.record.hash,
    exitCode: 0,
    elapsedMilliseconds: 0,
    failedExpectations: null,
    investigation,
  };
}

/** The findings of a run that has only this one. */
export function soleFindings(investigation: Investigation): Findings {
  const list = [soleFinding(investigation)];
  return { single: true, list, exitCode: 0, beganUnixMilliseconds: 0 };
}

export interface Findings {
  /**
   * True for one transaction that was requested by its hash or capsule. Its report is not part of a
   * list.
   */
  readonly single: boolean;
  /** One finding for each transaction, in the order of the request. */
  readonly list: readonly Finding[];
  /** The most severe exit code of the list. */
  readonly exitCode: number;
  readonly beganUnixMilliseconds: number;
}
