// The codes of forks: part of the catalogue.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase, svc } from "../base/phrase.ts";
import type { Refusal } from "./ledger/chain.ts";

export const FORK_ERRORS = {
  FORK_UNSUPPORTED: row(EXIT.usage, 501, {
    summary: "A fork does not support an operation of the transaction.",
    advice: "Send the transaction to the network, or leave that operation out.",
  }),
  FORK_STATE_UNKNOWN: row(EXIT.remote, 502, {
    summary: "The state of the forked ledger is not known well enough.",
    advice: phrase`Choose other nodes, set ${flag("ledgerLakeUrl")}, or fork a later ledger.`,
    httpAdvice: "Ask the operator of the fork for a later ledger, or for other nodes.",
  }),
  FORK_OTHER_NETWORK: row(EXIT.configuration, 502, {
    summary: "A saved fork and the nodes belong to different networks.",
    advice: phrase`Pass ${flag("offline")} to use the file alone, or fork the network anew: test networks are reset.`,
    httpAdvice: "Ask the operator to fork the network anew.",
  }),
  FORK_STATE_IN_USE: row(EXIT.configuration, 500, {
    summary: "Another running fork keeps its state in the same file.",
    advice: phrase`Stop that fork, or pass another file with ${flag("state")}.`,
    httpAdvice: REPORT,
  }),
  FORK_NOT_APPLIED: row(EXIT.simulator, 422, {
    summary: "A fork accepted a transaction and then could not apply it, so no ledger has it.",
    advice: "Read the reason in the message. The transaction can be sent again.",
  }),
  FORK_STATE_UNSAVED: row(EXIT.configuration, 503, {
    summary: "A fork cannot keep its state in the file of `--state`.",
    advice: "Free space, or correct the file's permissions. The fork tries again by itself.",
    httpAdvice: "Ask the operator to free space for the state of the fork.",
  }),
  FORK_TOO_LARGE: row(EXIT.usage, 422, {
    summary: "A fork has read and changed more than a saved fork may contain.",
    advice: "Fork again, and read or change less.",
  }),
  FORK_UNREACHABLE: row(EXIT.remote, 502, {
    summary: "No fork answers at the given URL.",
    advice: phrase`Start one with ${svc("fork")}, or pass the ${flag("url")} that it printed.`,
    httpAdvice: "Start a fork.",
  }),
  FORK_REFUSED: row(EXIT.usage, 400, {
    summary: "A running fork refused a command.",
    advice: "Read the reason in the message.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof FORK_ERRORS> {}
}

/** After a reset, a test network has the same passphrase and, in time, the same ledger numbers. */
export function otherNetwork(source: string, ledger: number): SvcError {
  return new SvcError("FORK_OTHER_NETWORK", {
    message:
      `Ledger ${ledger} has another hash at ${source} than in the file. The node belongs to another ` +
      "network, or the test network was reset since.",
    remedy: phrase`Pass ${flag("offline")} to use the file alone, or fork the network anew.`,
    details: { ledger, source },
  });
}

/**
 * The error of a transaction that could not be applied. `hash` is in hex. The sequence number of
 * its account is not used.
 */
export function transactionNotApplied(hash: string, cause: SvcError): SvcError {
  return new SvcError("FORK_NOT_APPLIED", {
    message: `The fork could not apply transaction ${hash}, and no ledger has it. ${cause.message}`,
    remedy: cause.remedy,
    cause,
    details: { hash },
  });
}

/** The error of an accepted transaction whose fee can no longer be paid. */
export function refusedByLedger(refusal: Pick<Refusal, "code" | "problems" | "remedy">): SvcError {
  const { code, problems, remedy } = refusal;
  return new SvcError("REQUEST_INVALID", {
    message: `It was refused: ${code}. ${problems.join(" ")}`,
    remedy: remedy ?? "Correct the transaction, and send it again.",
  });
}

/** The error of something unsupported. `task` completes `a fork does not know how to …`. */
export function forkUnsupported(task: string): SvcError {
  return new SvcError("FORK_UNSUPPORTED", {
    message: `A fork does not know how ${task}.`,
    remedy: "Leave it out of the transaction.",
    details: { what: task },
  });
}
