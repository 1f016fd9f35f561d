// The codes of svc-sim and its requests: part of the catalogue.

import { EXIT, REPORT, RETRY, row } from "../base/errors/base-errors.ts";
import { AGAIN, atClient, flag, phrase, svc } from "../base/phrase.ts";

export const SIMULATOR_ERRORS = {
  REQUEST_INVALID: row(EXIT.usage, 400, {
    summary:
      "A request failed validation. " +
      "A field is missing, of the wrong type or out of range; the message names each.",
    advice:
      "Correct the fields that the message names. svc-sim requires envelope_xdr and " +
      "result_meta_xdr; the daemon requires only envelope_xdr.",
  }),
  SIMULATOR_OUT_OF_MEMORY: row(EXIT.simulator, 422, {
    summary: "svc-sim needed more memory for one transaction than it may use.",
    advice: phrase`Raise ${flag("workerMemory")} of the daemon, or free memory of the machine.`,
    httpAdvice: phrase`${atClient("Send", "Enter")} a transaction that needs less memory.`,
  }),
  WASM_DIFFERS: row(EXIT.usage, 422, {
    summary:
      "The wasm file is not a build of the contract's code. " +
      "Its code differs from what ran: another version, profile, compiler or optimizer.",
    advice:
      "Pass a build whose code section equals the contract's: the same source, toolchain and " +
      'optimization, with only debug information added (debug = 2, strip = "none").',
  }),
  SIMULATOR_NOT_FOUND: row(EXIT.simulator, 503, {
    summary: "svc did not find the svc-sim program.",
    advice: phrase`Keep svc-sim next to svc, or set its path with ${flag("simPath")} or SVC_SIM_PATH.`,
    httpAdvice: REPORT,
  }),
  SIMULATOR_REPLACED: row(EXIT.simulator, 503, {
    summary:
      "svc-sim was replaced while the daemon runs. " +
      "Its file is of another build than the one that the daemon was started with.",
    advice: "Restart the daemon, with svc and svc-sim of the same release.",
    httpAdvice: "Try again later, or use another replica.",
  }),
  SIMULATOR_INVALID_JSON: row(EXIT.simulator, 502, {
    summary: "The answer of svc-sim does not follow its protocol.",
    advice: phrase`Use svc-sim and svc of the same release. ${AGAIN} with ${flag("debug")}.`,
    httpAdvice: REPORT,
  }),
  SIMULATOR_FAILED: row(EXIT.simulator, 502, {
    summary:
      "svc-sim could not run the transaction. " +
      "The host refused the state or the settings, or panicked.",
    advice: phrase`${AGAIN} with ${flag("debug")} to see the error output of svc-sim.`,
    httpAdvice: REPORT,
  }),
  SIMULATOR_DIED: row(EXIT.simulator, 502, {
    summary:
      "svc-sim ended before it answered. " +
      "It crashed, or the system killed it: often for its memory.",
    advice: phrase`Check the machine's memory limits. ${AGAIN} with ${flag("debug")}.`,
    httpAdvice: RETRY,
  }),
  SIMULATOR_TIMEOUT: row(EXIT.simulator, 504, {
    summary:
      "svc-sim did not answer in time. " +
      "The transaction takes longer than its deadline, or the machine is overloaded.",
    advice: phrase`Raise ${flag("timeout")}. Run ${svc("doctor")} to check svc-sim.`,
    httpAdvice: phrase`Try again later${atClient(", or with a higher deadline_milliseconds", "")}.`,
  }),
  DEADLINE_TOO_EARLY: row(EXIT.simulator, 422, {
    summary:
      "A run did not end within the deadline that its request set. " +
      "The deadline is earlier than the limits of the daemon.",
    advice: phrase`${atClient("Send a later `options.deadline_milliseconds`, or none.", "Try again later.")}`,
  }),
  PROTOCOL_UNSUPPORTED: row(EXIT.simulator, 422, {
    summary:
      "svc-sim has no contract host for a protocol. " +
      "The ledger is older than protocol 20, which brought contracts, or svc-sim is of another release.",
    advice: phrase`Run ${svc("version")} to list the protocols of svc-sim.`,
    httpAdvice: phrase`${atClient("GET /health lists", "The path /health of this daemon lists")} the protocols that the daemon can run.`,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof SIMULATOR_ERRORS> {}
}
