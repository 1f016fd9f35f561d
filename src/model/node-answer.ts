// The evidence that people have of a transaction: a node's answer, or XDR copied from one. This
// file also has the explanation of the outcome from that evidence alone.

import type { Wording } from "../base/phrase.ts";
import type { Explanation } from "./explanation.ts";

/** The statuses of Stellar RPC. */
export type TransactionStatus =
  | "PENDING"
  | "DUPLICATE"
  | "TRY_AGAIN_LATER"
  | "ERROR"
  | "NOT_FOUND"
  | "SUCCESS"
  | "FAILED";

export interface NodeAnswer {
  /** `xdr` is base64 without the answer around it. */
  readonly kind: "sendTransaction" | "getTransaction" | "simulateTransaction" | "request" | "xdr";
  /** The status of sendTransaction or getTransaction. */
  readonly status: TransactionStatus | null;
  /** Hex. */
  readonly hash: string | null;
  /** The ledger of the transaction, or of the state of a simulation. */
  readonly ledger: number | null;
  readonly envelopeXdr: string | null;
  /** A TransactionResult. */
  readonly resultXdr: string | null;
  /** A TransactionMeta. */
  readonly resultMetaXdr: string | null;
  readonly diagnosticEventsXdr: readonly string[];
  /** The node's own words; null if it reported no error in words. */
  readonly error: string | null;
  /** True if a simulation succeeds only after archived entries are restored. */
  readonly restoresFirst: boolean;
}

/** The parts of a cause that are in the words of a node or a tool, and not in sentences of svc. */
export interface ReportedWords {
  /** True if the summary is. */
  readonly isSummary: boolean;
  /** The positions of such lines in the evidence. */
  readonly evidence: readonly number[];
}

export const NOTHING_REPORTED: ReportedWords = { isSummary: false, evidence: [] };

export interface AnswerExplanation
  extends Pick<Explanation, "headline" | "cause" | "evidence" | "remedy"> {
  readonly kind: NodeAnswer["kind"];
  readonly hash: string | null;
  /** The transaction's code, the inner one's, and those of the operations. */
  readonly resultCodes: readonly string[];
  readonly reported: ReportedWords;
}

/** The meaning of one code or word, in whatever transaction or report it is. */
export interface CodeExplanation {
  /** The protocol's spelling, or the user's if several codes have the name. */
  readonly code: string;
  /** Its kind in words: `transaction result`, `host error`, `kind of cause`. */
  readonly kind: string;
  /** One sentence for each meaning. */
  readonly meaning: string;
  readonly remedy: Wording;
  /** The remedy for an HTTP client, if it differs. */
  readonly httpRemedy?: string;
}

/** What a text means. */
export type ExplainedText =
  /** `codes` is not empty. */
  | { readonly kind: "codes"; readonly codes: readonly CodeExplanation[] }
  /** `answers` is not empty. */
  | { readonly kind: "answers"; readonly answers: readonly AnswerExplanation[] }
  /** `names` has the codes that a mistyped one may have meant. */
  | { readonly kind: "unknown"; readonly names: readonly string[] };

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
