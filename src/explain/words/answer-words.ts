// The words for a node's answer as a whole: its outcome, and what to do.

import { atShell, flag, phrase, svc, svcDebug, type Wording } from "../../base/phrase.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import type { NodeAnswer } from "../../model/node-answer.ts";
import { isApplied, type ResultFacts } from "../../xdr/outcome/result.ts";
import { isOfSimulation, isOfUnitTest } from "../../xdr/outcome/tool-origins.ts";
import type { CauseFacts } from "./cause-words.ts";
import type { CauseFinding } from "./found-cause.ts";

export const FIND_CAUSE = phrase`${svc("debug", "Run")} with the transaction's hash, or ${svc("explain")} with the node's whole answer: the code alone does not show the cause.`;

/** What only somebody with the contract's file can pass. */
export const OR_ITS_CODE = atShell(", or its code as `--wasm FILE`");

/** The outcome in one sentence. `finding` is the cause; null if it did not fail. */
export function answerHeadline(
  { kind, status, ledger, restoresFirst }: NodeAnswer,
  result: ResultFacts | null,
  finding: CauseFinding | null,
): string {
  const failed = finding !== null;
  if (finding?.by === "contradiction") return "The answer contradicts itself.";
  const inLedger = ledger === null ? "" : ` in ledger ${ledger}`;
  switch (kind) {
    case "simulateTransaction": {
      const state = ledger === null ? "" : ` on the state of ledger ${ledger}`;
      if (failed) return `The simulation failed${state}.`;
      const after = restoresFirst ? ", once archived entries are restored" : "";
      return `The simulation succeeded${state}${after}.`;
    }
    case "sendTransaction":
      if (status === "PENDING") return "The node accepted the transaction into its queue.";
      if (status === "DUPLICATE") return "The node already has the transaction.";
      // Horizon answers a submission when its transaction is in a ledger.
      if (result !== null && isApplied(result))
        return "The transaction is in a ledger, and failed: its fee was charged.";
      return "The node did not accept the transaction.";
    case "request":
      return "The node refused the request.";
    default:
      if (result !== null) return `The transaction ${failed ? "failed" : "succeeded"}${inLedger}.`;
      if (kind === "getTransaction") return "The node does not have the transaction.";
      return failed
        ? "The contract host reported an error."
        : "The diagnostic events contain no error.";
  }
}

export function restoringFirst({ restoresFirst, error }: NodeAnswer): string | null {
  if (!restoresFirst) return null;
  const again = error === null ? "" : " Then simulate again.";
  return `Send a RestoreFootprint transaction with the restorePreamble of the answer first.${again}`;
}

/** The queue of a node says nothing of what becomes of a transaction. */
export function askAgain({ status, hash }: NodeAnswer): Wording | null {
  if (status !== "PENDING") return null;
  return phrase`The answer does not show what became of the transaction. Ask for its hash until its time bounds have passed: ${svcDebug(hash ?? "HASH", null, "run")}.`;
}

/** A transaction that was only simulated has no hash that a network knows. */
const SIMULATE_IT = phrase`${svc("simulate", "Run")} with the envelope: it shows the calls, and which of them failed.`;

const REQUEST_REFUSED =
  "The words are the node's own. Check the method and its parameters; if they are right, try again or ask " +
  "another node.";

/** The facts that decide which remedy a reader of the answer needs. */
export interface BesideAnswer {
  /** The contract that raised the error; null if the answer does not show it. */
  readonly contract: string | null;
  /** True if the user has passed the contract or its code. */
  readonly knowsContract: boolean;
  /** True if the chain has the transaction, and it reached the contract host. */
  readonly isReplayable: boolean;
  /** The name of the network that the hash belongs to; null if the answer does not show it. */
  readonly network: string | null;
  /** Finds the remedy of a known message of a tool in the answer; null if there is none. */
  readonly messageRemedy: () => Wording | null;
}

/**
 * The remedy of an answer. A replay reads the contract's specification, and finds the remedy that
 * the answer lacks.
 */
export function answerRemedy(
  { kind, hash, error }: NodeAnswer,
  { cause, remedy }: Pick<CauseFacts, "cause" | "remedy">,
  { contract, knowsContract, isReplayable, network, messageRemedy }: BesideAnswer,
): Wording | null {
  if (cause.kind === "answer-contradicts-itself") return remedy;
  if (isReplayable && (remedy === null || cause.kind === "contract-error"))
    return phrase`${svcDebug(hash ?? "HASH", network, "Run")} to replay the transaction, which shows more.`;
  const inTest = CAUSES[cause.kind].inTest ?? null;
  if (inTest !== null && isOfUnitTest(error)) return inTest;
  if (cause.kind === "contract-error" && !knowsContract)
    return phrase`Read the number's name from the contract: pass it as ${flag("id", contract ?? "C…")}${atShell(" with `--network` for its network")}${OR_ITS_CODE}.`;
  if (remedy !== null) return remedy;
  const ofMessage = messageRemedy();
  if (ofMessage !== null) return ofMessage;
  // A request is not always about a transaction.
  if (kind === "request") return REQUEST_REFUSED;
  return kind === "simulateTransaction" || isOfSimulation(error) ? SIMULATE_IT : FIND_CAUSE;
}
