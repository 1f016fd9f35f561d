// The error codes that every folder may throw, and the shape of a row in the catalogue. The codes
// of a feature are in the errors.ts of its folder, and src/error-catalogue.ts joins them all. A
// released code keeps its meaning.

import { AGAIN, atClient, flag, phrase, svc, type Wording } from "../phrase.ts";
import { EXIT } from "./exit-codes.ts";

export interface ErrorRow {
  readonly exitCode: number;
  readonly httpStatus: number;
  readonly summary: string;
  /** The usual remedy. An error that knows the values has a more exact one. */
  readonly advice: Wording;
  /** The remedy for an HTTP client, if it differs from that for a person at a command line. */
  readonly httpAdvice?: Wording;
}

export { EXIT };

const ANSWER = atClient("the X-Request-Id of this answer", "this error and its time");
export const REPORT = phrase`Report ${ANSWER} to the operator of the server.`;
export const RETRY = phrase`Try again later. If the error persists, report ${ANSWER} to the operator of the server.`;

export function row(
  exitCode: number,
  httpStatus: number,
  words: Omit<ErrorRow, "exitCode" | "httpStatus">,
): ErrorRow {
  return { exitCode, httpStatus, ...words };
}

/** The failures of one node: another node may answer. */
export const NODE_ERRORS = {
  NETWORK_UNREACHABLE: row(EXIT.remote, 502, {
    summary: "A remote node refused the connection, or its name cannot be resolved.",
    advice: phrase`Check the node with ${svc("doctor")}, or set another node or ${flag("network")}.`,
    httpAdvice: RETRY,
  }),
  NETWORK_TIMEOUT: row(EXIT.remote, 504, {
    summary:
      "A remote node did not answer in time. " +
      "Each request has its limit, and with `--timeout` the whole run has one.",
    advice: phrase`Check the node with ${svc("doctor")}, set another node, or raise ${flag("timeout")}.`,
    httpAdvice: RETRY,
  }),
  NETWORK_RATE_LIMITED: row(EXIT.remote, 503, {
    summary: "A remote node refused the request: its rate limit was reached.",
    advice: "Wait for the time in the node's rate-limit headers, or set another node.",
    httpAdvice: RETRY,
  }),
  NETWORK_BAD_STATUS: row(EXIT.remote, 502, {
    summary:
      "A remote node answered with an error status. " +
      "It is overloaded or down (5xx), or it does not serve this path (4xx).",
    advice: "Check the node's status page and URL, or set another node.",
    httpAdvice: RETRY,
  }),
  NETWORK_BAD_ANSWER: row(EXIT.remote, 502, {
    summary:
      "A remote node's answer does not follow its API. " +
      "It is not JSON, lacks a field, or comes from a proxy in the place of the node.",
    advice: phrase`Check that ${flag("horizonUrl")} is a Horizon and ${flag("rpcUrl")} is a Stellar RPC node.`,
    httpAdvice: RETRY,
  }),
  NETWORK_ANSWER_TOO_LARGE: row(EXIT.remote, 502, {
    summary: "A remote node's answer exceeds the size limit.",
    advice: "Set another node.",
    httpAdvice: REPORT,
  }),
};

export const BASE_ERRORS = {
  USAGE: row(EXIT.usage, 400, {
    summary:
      "The command line is not valid. " +
      "A flag is unknown or lacks its value, or two of them exclude each other.",
    advice: phrase`Run the command with ${flag("help")}.`,
    httpAdvice: phrase`${atClient("Correct the request; GET /openapi.json describes it.", "Correct what the message names, and send the form again.")}`,
  }),
  HASH_INVALID: row(EXIT.usage, 400, {
    summary: "A transaction hash must be 64 hexadecimal characters.",
    advice: "Copy all 64 characters of the hash, or the URL of the transaction.",
    httpAdvice: phrase`${atClient("Send", "Enter")} all 64 characters of the hash, without a prefix or quotes.`,
  }),
  FILE_UNREADABLE: row(EXIT.usage, 400, {
    summary:
      "A file cannot be read. " +
      "It does not exist, is a directory, or its permissions do not allow it.",
    advice: "Check the path and its permissions.",
  }),
  FILE_INVALID: row(EXIT.usage, 400, {
    summary:
      "A file is not of the expected format. " +
      "It is cut off, of another kind, or was changed: a capsule, an envelope, overrides, expectations or a signature.",
    advice: "Check that the file is complete, and that it is what the command expects.",
  }),
  OUTPUT_UNWRITABLE: row(EXIT.configuration, 500, {
    summary:
      "Output cannot be written. " +
      "The directory does not exist or is not writable, the disk is full, or the file exists already.",
    advice: "Check the directory, its permissions and the free space.",
  }),
  CONFIG_INVALID: row(EXIT.configuration, 500, {
    summary:
      "A setting has no valid value. " +
      "It is wrong in a flag, the environment or the settings file, or one that is needed is missing.",
    advice: phrase`Run ${svc("doctor")} to show each setting and where its value comes from.`,
    httpAdvice: REPORT,
  }),
  ...NODE_ERRORS,
  ANSWER_ROOM_FULL: row(EXIT.remote, 503, {
    summary:
      "The answers that are read and sent at the same time need more memory than they may have. " +
      "The largest of the client that has most of it gives way.",
    advice: "Run fewer commands at the same time, or ask for less at once.",
    httpAdvice: phrase`Try again ${atClient("after the time in the Retry-After header", "in a second")}, and ask for less at once.`,
  }),
  PROTOCOL_UNKNOWN: row(EXIT.outdated, 501, {
    summary:
      "The ledger is of a later protocol than this svc knows. " +
      "The network was upgraded after this release was made; what svc cannot read or run, it does not judge.",
    advice: phrase`Update svc. ${svc("version")} prints the latest protocol that it knows.`,
    httpAdvice: "Ask the operator of the server to update svc.",
  }),
  INTERRUPTED: row(EXIT.interrupted, 499, {
    summary:
      "The work was interrupted. " +
      "Ctrl-C or a signal ended it, the client disconnected, or its time limit was reached.",
    advice: phrase`${AGAIN}.`,
    httpAdvice: phrase`${AGAIN}.`,
  }),
  INTERNAL: row(EXIT.internal, 500, {
    summary: "Internal error in svc (a bug).",
    advice: phrase`${AGAIN} with ${flag("debug")}, and report the output.`,
    httpAdvice: REPORT,
  }),
};
