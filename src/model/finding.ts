// Findings are what one run of svc found out about the transactions it was asked about: for each an
// Investigation or the reason why there is none, and what of the user's expectations is not met.

import type { Investigation } from "./investigation.ts";

/** A condition of --fail-on that holds, or an expectation that is not met. */
export interface FailedExpectation {
  /** Where the user asked for it. */
  readonly origin: "--fail-on" | "--expect";
  /** As it was written: `cpu>1000`, `verdict`. */
  readonly condition: string;
  /** What was wanted and what is there, as text; may quote the chain. */
  readonly expected: string;
  readonly actual: string;
  /** One sentence with both, and by how much they differ. */
  readonly message: string;
}

/** Why there is no Investigation: an SvcError as plain data. */
export interface FoundError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

interface AnyFinding {
  /** The hash as asked for, or the capsule's path; lower-case hex when a hash. */
  readonly subject: string;
  /** What svc would end with, were this transaction the only one. */
  readonly exitCode: number;
  readonly elapsedMilliseconds: number;
}

export interface Investigated extends AnyFinding {
  readonly kind: "investigated";
  readonly investigation: Investigation;
  /** Null: nothing was expected. Empty: all is as expected. */
  readonly failedExpectations: readonly FailedExpectation[] | null;
}

export interface Unanswered extends AnyFinding {
  readonly kind: "unanswered";
  readonly error: FoundError;
}

export type Finding = Investigated | Unanswered;

export interface Findings {
  /** One transaction given by its hash or capsule: its report stands alone, in no list. */
  readonly single: boolean;
  /** In the order asked for. */
  readonly list: readonly Finding[];
  /** The most severe of the list's. */
  readonly exitCode: number;
  readonly beganUnixMilliseconds: number;
}
