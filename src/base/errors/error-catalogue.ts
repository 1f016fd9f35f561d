// The catalogue of stable codes: code → exit code, HTTP status, what it means, what to do.
// docs/errors.md and `svc explain` show it. A released code keeps its meaning.

import { AGENT_ERRORS } from "./agent-errors.ts";
import { DAEMON_ERRORS } from "./daemon-errors.ts";
import { EDITOR_ERRORS } from "./editor-errors.ts";
import { FOLLOW_ERRORS } from "./follow-errors.ts";
import { SIGNING_ERRORS } from "./signing-errors.ts";

export interface CatalogueEntry {
  readonly exitCode: number;
  readonly httpStatus: number;
  readonly summary: string;
  /** What usually helps. The remedy of an error is more exact, since it knows the values. */
  readonly advice: string;
  /** What a client of the daemon can do, where the advice is for the daemon's operator. */
  readonly httpAdvice?: string;
}

const USAGE = 2;
const CONFIGURATION = 3;
const REMOTE = 4;
const SIMULATOR = 5;
const INCONCLUSIVE = 6;
const INTERNAL = 70;
const INTERRUPTED = 130;

const TO_OPERATOR = "the X-Request-Id of this answer to the operator of the daemon.";
const REPORT = `Report ${TO_OPERATOR}`;
const RETRY = `Try again later. If the error persists, report ${TO_OPERATOR}`;

export const CATALOGUE = {
  USAGE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "The command line is not valid.",
    advice: "Run the command with `--help`.",
    httpAdvice: "Correct the request; GET /openapi.json describes it.",
  },
  INTERACTIVE_IMPOSSIBLE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "The interactive view cannot be shown on this terminal.",
    advice: "Use a terminal of at least 80x24 with TERM set (NO_COLOR=1: no colors), or omit `-i`.",
    httpAdvice: "Send the hash to POST /v1/debug.",
  },
  HASH_INVALID: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A transaction hash must be 64 hexadecimal characters.",
    advice: "Copy all 64 characters of the hash, without a prefix or quotes.",
  },
  FILE_UNREADABLE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A file cannot be read.",
    advice: "Check the path and its permissions.",
  },
  FILE_INVALID: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A file is not of the expected format.",
    advice: "Check that the file is complete, and that it is what the command expects.",
  },
  OVERRIDE_IMPOSSIBLE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "The transaction has nothing that the override can change.",
    advice: "Override something that the transaction has; docs/what-if.md lists every form.",
  },
  PIECES_INCOMPLETE: {
    exitCode: INCONCLUSIVE,
    httpStatus: 422,
    summary: "The results of `svc verify --shard` are not all the pieces of one run.",
    advice: "Run the missing and damaged pieces again, then merge only the results of that run.",
  },
  RESULTS_DISK_FAILED: {
    exitCode: REMOTE,
    httpStatus: 500,
    summary: "The disk with the results of `svc verify --shard` is full or fails.",
    advice: "Free space there, or run the piece again on another machine.",
  },
  OUTPUT_UNWRITABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "Output cannot be written.",
    advice: "Check the directory, its permissions and the free space.",
  },
  CONFIG_INVALID: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "A setting has no valid value.",
    advice: "Run `svc doctor` to show each setting and where its value comes from.",
    httpAdvice: REPORT,
  },
  REQUEST_INVALID: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A request failed validation.",
    advice:
      "Correct the fields that the message names. svc-sim requires envelope_xdr and " +
      "result_meta_xdr; the daemon requires only envelope_xdr.",
  },
  ADDRESS_UNAVAILABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The daemon cannot listen on the configured address.",
    advice: "Set a free `--port`, a `--host` of this machine, or another `--unix-socket`.",
    httpAdvice: REPORT,
  },
  ROUTE_NOT_FOUND: {
    exitCode: USAGE,
    httpStatus: 404,
    summary: "The daemon has nothing at this path.",
    advice: "See / or /openapi.json for the list of paths.",
  },
  METHOD_NOT_ALLOWED: {
    exitCode: USAGE,
    httpStatus: 405,
    summary: "The path does not support this method.",
    advice: "Use a method from the Allow header.",
  },
  UNAUTHORIZED: {
    exitCode: CONFIGURATION,
    httpStatus: 401,
    summary: "The daemon's token is missing or wrong.",
    advice: "Send the daemon's token in the header Authorization: Bearer.",
  },
  CONTENT_TYPE_UNSUPPORTED: {
    exitCode: USAGE,
    httpStatus: 415,
    summary: "The body of a request is not declared as JSON.",
    advice: "Send JSON in UTF-8, with the header Content-Type: application/json.",
  },
  ...DAEMON_ERRORS,
  ...AGENT_ERRORS,
  NETWORK_UNREACHABLE: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node refused the connection, or its name cannot be resolved.",
    advice: "Check the node with `svc doctor`, or set another node or `--network`.",
    httpAdvice: RETRY,
  },
  NETWORK_TIMEOUT: {
    exitCode: REMOTE,
    httpStatus: 504,
    summary: "A remote node did not answer in time.",
    advice: "Check the node with `svc doctor`, set another node, or raise `--timeout`.",
    httpAdvice: RETRY,
  },
  DAEMON_NOT_ALIVE: {
    exitCode: REMOTE,
    httpStatus: 503,
    summary: "`svc daemon --check` found no live daemon.",
    advice: "Use the settings that the daemon was started with, and read its log.",
    httpAdvice: REPORT,
  },
  NETWORK_RATE_LIMITED: {
    exitCode: REMOTE,
    httpStatus: 503,
    summary: "A remote node refused the request: its rate limit was reached.",
    advice: "Wait for the time in the node's rate-limit headers, or set another node.",
    httpAdvice: RETRY,
  },
  NETWORK_BAD_STATUS: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node answered with an error status.",
    advice: "Check the node's status page and URL, or set another node.",
    httpAdvice: RETRY,
  },
  NETWORK_BAD_ANSWER: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node's answer does not follow its API.",
    advice: "Check that `--horizon-url` is a Horizon and `--rpc-url` is a Stellar RPC node.",
    httpAdvice: RETRY,
  },
  NETWORK_ANSWER_TOO_LARGE: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node's answer exceeds the size limit.",
    advice: "Set another node.",
    httpAdvice: REPORT,
  },
  NODE_LIED: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node's answer contradicts the request.",
    advice: "Check that the node serves your network. If it does, do not trust the node.",
    httpAdvice: REPORT,
  },
  TRANSACTION_NOT_FOUND: {
    exitCode: REMOTE,
    httpStatus: 404,
    summary: "No source has the transaction.",
    advice: "Check the hash and `--network`. If just sent, try again in 10 to 30 seconds.",
    httpAdvice: "Check the hash and the network (GET /health), or try again in 10 to 30 seconds.",
  },
  TRANSACTION_INCOMPLETE: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "No source has a required part of the transaction.",
    advice: "Set `--rpc-url` to a node that still has the ledger of the transaction.",
    httpAdvice: REPORT,
  },
  LEDGER_NOT_FOUND: {
    exitCode: REMOTE,
    httpStatus: 404,
    summary: "No source has the ledger.",
    advice: "Set a node that still has the ledger, or pass a ledger file.",
    httpAdvice: REPORT,
  },
  LEDGER_ENTRY_INVALID: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A ledger entry cannot be decoded.",
    advice: "Fetch the entry in the message again, at the transaction's ledger.",
  },
  XDR_INVALID: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "XDR cannot be decoded.",
    advice:
      "Check that the value is complete, is standard base64, and has the type that the message names.",
    httpAdvice: REPORT,
  },
  WASM_DIFFERS: {
    exitCode: USAGE,
    httpStatus: 422,
    summary: "The given wasm is not a build of the contract's code.",
    advice:
      "Pass a build whose code section equals the contract's: the same source, toolchain and " +
      'optimization, with only debug information added (debug = 2, strip = "none").',
  },
  SIMULATOR_NOT_FOUND: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "svc did not find the svc-sim program.",
    advice: "Keep svc-sim next to svc, or set its path with `--sim-path` or SVC_SIM_PATH.",
    httpAdvice: REPORT,
  },
  SIMULATOR_INVALID_JSON: {
    exitCode: SIMULATOR,
    httpStatus: 502,
    summary: "The answer of svc-sim does not follow its protocol.",
    advice: "Use svc-sim and svc of the same release. Run the command again with `--debug`.",
    httpAdvice: REPORT,
  },
  SIMULATOR_FAILED: {
    exitCode: SIMULATOR,
    httpStatus: 502,
    summary: "svc-sim could not run the transaction.",
    advice: "Run the command again with `--debug` to see the error output of svc-sim.",
    httpAdvice: REPORT,
  },
  SIMULATOR_DIED: {
    exitCode: SIMULATOR,
    httpStatus: 502,
    summary: "svc-sim ended before it answered.",
    advice: "Check the machine's memory limits. Run the command again with `--debug`.",
    httpAdvice: RETRY,
  },
  SIMULATOR_TIMEOUT: {
    exitCode: SIMULATOR,
    httpStatus: 504,
    summary: "svc-sim did not answer in time.",
    advice: "Raise `--timeout`. Run `svc doctor` to check svc-sim.",
    httpAdvice: "Try again later, or with a higher deadline_milliseconds.",
  },
  PROTOCOL_UNSUPPORTED: {
    exitCode: SIMULATOR,
    httpStatus: 501,
    summary: "svc-sim has no contract host for the ledger's protocol.",
    advice: "Run `svc version` to list its protocols, and install a newer release.",
    httpAdvice: "GET /health lists the protocols that the daemon can run.",
  },
  ...EDITOR_ERRORS,
  ...FOLLOW_ERRORS,
  ...SIGNING_ERRORS,
  INTERRUPTED: {
    exitCode: INTERRUPTED,
    httpStatus: 499,
    summary: "The work was interrupted.",
    advice: "Run the command again.",
    httpAdvice: "Send the request again.",
  },
  INTERNAL: {
    exitCode: INTERNAL,
    httpStatus: 500,
    summary: "Internal error in svc (a bug).",
    advice: "Run the command again with `--debug`, and report the output.",
    httpAdvice: REPORT,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof CATALOGUE;
