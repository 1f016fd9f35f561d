// The evidence that people have of a transaction: a node's answer, or XDR copied from one; and
// what it shows about the outcome, from that alone.

import type { Explanation } from "./explanation.ts";

/** The statuses of Stellar RPC. */
export type NodeStatus =
  | "PENDING"
  | "DUPLICATE"
  | "TRY_AGAIN_LATER"
  | "ERROR"
  | "NOT_FOUND"
  | "SUCCESS"
  | "FAILED";

export interface NodeAnswer {
  /** `xdr`: base64 without the answer around it. */
  readonly kind: "sendTransaction" | "getTransaction" | "simulateTransaction" | "request" | "xdr";
  /** The status of sendTransaction or getTransaction. */
  readonly status: NodeStatus | null;
  /** Hex. */
  readonly hash: string | null;
  /** Ledger of the transaction, or the state of a simulation. */
  readonly ledger: number | null;
  readonly envelopeXdr: string | null;
  /** TransactionResult. */
  readonly resultXdr: string | null;
  /** TransactionMeta. */
  readonly resultMetaXdr: string | null;
  readonly diagnosticEventsXdr: readonly string[];
  /** The node's own words; null when it reported no error in words. */
  readonly error: string | null;
  /** A simulation succeeds only after archived entries are restored. */
  readonly restoresFirst: boolean;
}

export interface AnswerExplanation
  extends Pick<Explanation, "headline" | "cause" | "evidence" | "remedy"> {
  readonly kind: NodeAnswer["kind"];
  readonly hash: string | null;
  /** The transaction's code, the inner one's, and those of the operations. */
  readonly resultCodes: readonly string[];
}

/** The meaning of one code or word, whichever transaction or report has it. */
export interface CodeExplanation {
  /** The protocol's spelling; the user's, where several codes have the name. */
  readonly code: string;
  /** Its kind in words: `transaction result`, `host error`, `kind of cause`. */
  readonly kind: string;
  /** One sentence for each meaning. */
  readonly meaning: string;
  readonly remedy: string;
  /** Instead of the remedy, for a client over HTTP. */
  readonly httpRemedy?: string;
}

/** The topics that `svc explain --list` lists. */
export const LISTED_TOPICS = [
  "causes",
  "codes",
  "errors",
  "host-errors",
  "statuses",
  "traps",
  "words",
] as const;
export type ListedTopic = (typeof LISTED_TOPICS)[number];
