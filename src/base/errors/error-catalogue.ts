// The one catalogue of stable codes: code → exit code, HTTP status, what it means, what to do.
// docs/errors.md and `svc explain` are made from it. A code, once released, keeps its meaning.

import { SIGNING_ERRORS } from "./signing-errors.ts";

export interface CatalogueEntry {
  readonly exitCode: number;
  readonly httpStatus: number;
  /** What the code stands for. */
  readonly summary: string;
  /** What usually helps; an error's own remedy is more exact, since it knows the values. */
  readonly advice: string;
}

const USAGE = 2;
const CONFIGURATION = 3;
const REMOTE = 4;
const SIMULATOR = 5;
const INTERNAL = 70;
const INTERRUPTED = 130;

export const CATALOGUE = {
  USAGE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "The command line is not valid.",
    advice: "Run the command with --help.",
  },
  INTERACTIVE_IMPOSSIBLE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "The interactive view cannot be shown on this terminal.",
    advice:
      "Use a terminal of at least 80x24 with TERM set (NO_COLOR=1 turns colours off), or run " +
      "`svc debug` without -i.",
  },
  HASH_INVALID: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A transaction hash must be 64 hexadecimal characters.",
    advice: "Copy the whole hash, without a prefix or quotes.",
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
    advice: "Check that the file is what the command expects and that it was copied whole.",
  },
  OVERRIDE_IMPOSSIBLE: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "The transaction has nothing that an override fits.",
    advice: "Override what the transaction has; docs/what-if.md shows every form.",
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
    advice: "Run `svc doctor`: it shows each setting and where its value comes from.",
  },
  REQUEST_INVALID: {
    exitCode: USAGE,
    httpStatus: 400,
    summary: "A simulation request failed validation.",
    advice:
      "Give envelope_xdr and result_meta_xdr; run with --strict-validation to see every field.",
  },
  ADDRESS_UNAVAILABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The daemon cannot listen where it was told to.",
    advice:
      "Name a free --port, a --host of this machine, or a --unix-socket in a directory of yours.",
  },
  ROUTE_NOT_FOUND: {
    exitCode: USAGE,
    httpStatus: 404,
    summary: "The daemon has nothing at this path.",
    advice: "See / or /openapi.json for what there is.",
  },
  METHOD_NOT_ALLOWED: {
    exitCode: USAGE,
    httpStatus: 405,
    summary: "The daemon does not take this method at this path.",
    advice: "Use a method that the Allow header names.",
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
    summary: "A request's body is not declared as JSON.",
    advice: "Send JSON in UTF-8, with the header Content-Type: application/json.",
  },
  BODY_TOO_LARGE: {
    exitCode: USAGE,
    httpStatus: 413,
    summary: "A request's body exceeds the limit.",
    advice: "Send fewer or smaller entries; the message names the limit.",
  },
  BODY_TOO_SLOW: {
    exitCode: USAGE,
    httpStatus: 408,
    summary: "A request's body did not arrive in time.",
    advice: "Send it again, over a better connection.",
  },
  OVERLOADED: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "The daemon has as much work as it takes at once.",
    advice: "Try again after the time in the Retry-After header, or run more replicas.",
  },
  SHUTTING_DOWN: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "The daemon is about to end and takes no new work.",
    advice: "Try again: another replica, or the next one, answers.",
  },
  NETWORK_UNREACHABLE: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node refused the connection or cannot be resolved.",
    advice: "Check the endpoint with `svc doctor`, or name another node or --network.",
  },
  NETWORK_TIMEOUT: {
    exitCode: REMOTE,
    httpStatus: 504,
    summary: "A remote node did not answer in time.",
    advice: "Check the endpoint with `svc doctor`, name another node, or raise --timeout.",
  },
  DAEMON_NOT_ALIVE: {
    exitCode: REMOTE,
    httpStatus: 503,
    summary: "svc daemon --check found no daemon that is alive.",
    advice: "Give the settings that the daemon was started with, and read its log.",
  },
  NETWORK_RATE_LIMITED: {
    exitCode: REMOTE,
    httpStatus: 503,
    summary: "A remote node refused the request for its rate limit.",
    advice: "Wait as long as the node's rate-limit headers say, or name another node.",
  },
  NETWORK_BAD_STATUS: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node answered with an error status.",
    advice: "Check the endpoint's status page and URL, or name another node.",
  },
  NETWORK_BAD_ANSWER: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node's answer is not what its API promises.",
    advice: "Check that --horizon-url and --rpc-url name a Horizon and a Stellar RPC node.",
  },
  NETWORK_ANSWER_TOO_LARGE: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node's answer exceeds the size limit.",
    advice: "Name another node.",
  },
  NODE_LIED: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A remote node's answer contradicts what was asked for.",
    advice: "Check that the node serves the network you named; do not trust it otherwise.",
  },
  TRANSACTION_NOT_FOUND: {
    exitCode: REMOTE,
    httpStatus: 404,
    summary: "No source knows the transaction.",
    advice:
      "Check the hash and --network; when it was sent just now, try again in 10 to 30 seconds.",
  },
  TRANSACTION_INCOMPLETE: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "No source could give a part of the transaction that is needed.",
    advice: "Name a node that still keeps the transaction's ledger with --rpc-url.",
  },
  LEDGER_NOT_FOUND: {
    exitCode: REMOTE,
    httpStatus: 404,
    summary: "No source knows the ledger.",
    advice: "Name a node that still keeps the ledger, or give a ledger file.",
  },
  LEDGER_ENTRY_INVALID: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "A ledger entry cannot be decoded.",
    advice: "Fetch the entry named in the message again, at the transaction's ledger.",
  },
  XDR_INVALID: {
    exitCode: REMOTE,
    httpStatus: 502,
    summary: "XDR cannot be decoded.",
    advice: "Check that the value is whole, standard base64 and of the type the message names.",
  },
  WASM_DIFFERS: {
    exitCode: USAGE,
    httpStatus: 422,
    summary: "The wasm given with --wasm is not a build of the contract's code.",
    advice:
      "Give a build whose code section equals the contract's: the same source, toolchain and " +
      'optimisation, only with debug information (debug = 2, strip = "none").',
  },
  SIMULATOR_NOT_FOUND: {
    exitCode: SIMULATOR,
    httpStatus: 503,
    summary: "The svc-sim helper is not where svc looks for it.",
    advice: "Keep svc-sim beside svc, or name it with --sim-path or SVC_SIM_PATH.",
  },
  SIMULATOR_INVALID_JSON: {
    exitCode: SIMULATOR,
    httpStatus: 502,
    summary: "svc-sim answered with something that is not its protocol.",
    advice: "Check that --sim-path names the svc-sim of this release; run again with --debug.",
  },
  SIMULATOR_FAILED: {
    exitCode: SIMULATOR,
    httpStatus: 502,
    summary: "svc-sim could not carry out the simulation.",
    advice: "Run again with --debug to see svc-sim's own error output.",
  },
  SIMULATOR_DIED: {
    exitCode: SIMULATOR,
    httpStatus: 502,
    summary: "svc-sim ended before it answered.",
    advice: "Check the machine's memory limits; run again with --debug.",
  },
  SIMULATOR_TIMEOUT: {
    exitCode: SIMULATOR,
    httpStatus: 504,
    summary: "svc-sim did not answer in time.",
    advice: "Raise --timeout; run `svc doctor` to see whether svc-sim works at all.",
  },
  PROTOCOL_UNSUPPORTED: {
    exitCode: SIMULATOR,
    httpStatus: 501,
    summary: "svc-sim holds no host for the ledger's protocol.",
    advice: "Run `svc version` for the protocols it holds, and take a newer release.",
  },
  ...SIGNING_ERRORS,
  INTERRUPTED: {
    exitCode: INTERRUPTED,
    httpStatus: 499,
    summary: "The work was interrupted.",
    advice: "Run the command again.",
  },
  INTERNAL: {
    exitCode: INTERNAL,
    httpStatus: 500,
    summary: "A defect in svc.",
    advice: "Run again with --debug and report what it prints.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof CATALOGUE;
