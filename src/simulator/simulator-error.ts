// Every failure of svc-sim as a SvcError with its remedy. Invariants: texts of svc-sim (messages,
// stderr, stdout) are shortened and neutralized before they become part of a message, because they
// may repeat what a contract wrote. A client over HTTP receives neither the path of svc-sim nor its
// stderr.

import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { beginningOf, endingOf } from "../base/own-text.ts";
import { AGAIN, flag, phrase, svc, type Wording } from "../base/phrase.ts";
import { neutraliseLines, quotedText, SHOWN_QUOTE } from "../base/text/neutralise.ts";
import { sentenceStart } from "../base/text/sentence.ts";
import { durationInWords } from "../base/text/time.ts";
import type { SimulatorErrorCode, WireError } from "./wire-schema.ts";

const SHOWN_CHARACTERS = 2_000;

/** The process, as messages describe it. */
export interface SimulatorRun {
  /** Path of the executable. */
  readonly path: string;
  /** The end of its stderr output. */
  readonly stderr: string;
}

const OWN_FAULT = phrase`${AGAIN} with ${flag("debug")}, and report the simulator's stderr.`;
export const INSTALL_AGAIN = phrase`Install svc-sim again, of the same release as svc; ${svc("doctor")} checks it.`;
const MORE_TIME = phrase`Raise ${flag("timeout")}, or try again when the machine is less loaded.`;

/** The error of the catalogue for svc-sim's `error` object. */
export function simulatorError(error: WireError, run: SimulatorRun): SvcError {
  const message = shown(error.message);
  const details = {
    simulatorCode: error.code,
    ...(error.field === null ? {} : { field: error.field }),
    ...(error.key_xdr === null ? {} : { keyXdr: error.key_xdr }),
  };
  switch (error.code as SimulatorErrorCode) {
    case "BAD_XDR":
      return badXdr(error, message, details);
    case "BAD_REQUEST":
    case "NOT_SOROBAN":
      return requestInvalid([{ field: error.field ?? "request", problem: message }], details);
    case "WASM_DIFFERS":
      return new SvcError("WASM_DIFFERS", {
        message: `The wasm file is not a build of the contract's code: ${message}.`,
        remedy:
          "Build the contract's exact source with the same toolchain, with debug information added.",
        details,
      });
    case "UNSUPPORTED_PROTOCOL":
      return new SvcError("PROTOCOL_UNSUPPORTED", {
        message: `svc-sim at ${run.path} has ${message}.`,
        httpMessage: `svc-sim has ${message}.`,
        remedy: phrase`Use a protocol that ${svc("version")} lists.`,
        details,
      });
    case "UNKNOWN_PROTOCOL":
      return new SvcError("PROTOCOL_UNKNOWN", {
        message: `svc-sim at ${run.path} does not know ${message}.`,
        httpMessage: `svc-sim does not know ${message}.`,
        remedy: "Update svc and svc-sim: install a newer release (docs/install.md).",
        details,
      });
    case "DEADLINE":
      return new SvcError("SIMULATOR_TIMEOUT", {
        message: `The simulator stopped at its deadline: ${message}`,
        remedy: MORE_TIME,
        details,
      });
    default:
      return new SvcError("SIMULATOR_FAILED", {
        ...messages(
          () =>
            `The simulator failed (${shown(error.code)}): ${quotedText(error.message, SHOWN_QUOTE)}.`,
          run,
        ),
        remedy: OWN_FAULT,
        details: { ...details, stderr: shown(run.stderr) },
      });
  }
}

function badXdr(
  error: WireError,
  message: string,
  details: Readonly<Record<string, unknown>>,
): SvcError {
  if (error.key_xdr === null) {
    return requestInvalid([{ field: error.field ?? "request", problem: message }], details);
  }
  return new SvcError("LEDGER_ENTRY_INVALID", {
    message: `The ledger entry of key ${shown(error.key_xdr)} cannot be decoded: ${message}`,
    remedy: "Fetch the entries at the transaction's ledger from a node of the same network.",
    details,
  });
}

/** REQUEST_INVALID with every invalid field. */
export function requestInvalid(
  problems: readonly { readonly field: string; readonly problem: string }[],
  details: Readonly<Record<string, unknown>> = {},
): SvcError {
  const list = problems.map(({ field, problem }) => `${field}: ${problem}`).join("; ");
  return new SvcError("REQUEST_INVALID", {
    message: `The request is not valid: ${shown(list)}`,
    remedy: phrase`Check the request field by field with ${flag("strictValidation")}; envelope_xdr and result_meta_xdr are required.`,
    httpRemedy:
      "Correct these fields. Only envelope_xdr is required; GET /openapi.json has the schema.",
    details: { ...details, fields: problems },
  });
}

/** The error of an answer that does not follow the protocol. */
export function badAnswer(
  problem: string,
  text: string,
  run: SimulatorRun,
  cause?: unknown,
): SvcError {
  const start = shown(beginningOf(text, 200));
  // A program that answers instead of svc-sim may write the server's paths.
  return new SvcError("SIMULATOR_INVALID_JSON", {
    ...messages(
      (simulator) => `The answer of ${simulator} ${problem}. The answer begins with "${start}".`,
      run,
    ),
    httpMessage: `The answer of the simulator ${problem}.`,
    remedy: phrase`Check that the XDR is standard base64. ${AGAIN} with ${flag("debug")} and read the simulator's stderr; ${svc("doctor")} checks the simulator.`,
    cause,
    details: { stdout: start, stderr: shown(run.stderr) },
  });
}

/** Rust's message if a process ends for lack of memory. */
const OUT_OF_MEMORY = /^memory allocation of (\d{1,20}) bytes failed/m;

/** The error of a simulator that ended before it answered. */
export function died(how: string, run: SimulatorRun, cause?: unknown): SvcError {
  const [, bytes] = OUT_OF_MEMORY.exec(run.stderr) ?? [];
  if (bytes !== undefined)
    return new SvcError("SIMULATOR_OUT_OF_MEMORY", {
      message: `The simulator needed more memory than it may use: ${bytes} bytes more in one piece.`,
      remedy: phrase`Raise ${flag("workerMemory")} of the daemon, or free memory of the machine.`,
      details: { how, bytes },
    });
  return new SvcError("SIMULATOR_DIED", {
    ...messages((simulator) => `${sentenceStart(simulator)} ${how} before it answered.`, run),
    remedy: phrase`${AGAIN} with ${flag("debug")} and read the simulator's stderr; ${svc("doctor")} checks the simulator.`,
    cause,
    details: { how, stderr: shown(run.stderr) },
  });
}

/**
 * The error of a program that the system did not start: it has been removed, or cannot be executed.
 */
export function notStarted(path: string, cause: unknown): SvcError {
  const reason = systemCodeOf(cause) ?? "unknown reason";
  return new SvcError("SIMULATOR_DIED", {
    message: `The simulator at ${path} could not be started (${reason}).`,
    httpMessage: "The simulator could not be started.",
    remedy: INSTALL_AGAIN,
    cause,
    details: { how: "could not be started" },
  });
}

export function timedOut(
  milliseconds: number,
  run: SimulatorRun,
  remedy: Wording = MORE_TIME,
): SvcError {
  return new SvcError("SIMULATOR_TIMEOUT", {
    ...messages(
      (simulator) =>
        `${sentenceStart(simulator)} did not answer within ${durationInWords(milliseconds)} and was stopped.`,
      run,
    ),
    remedy,
    details: { milliseconds, stderr: shown(run.stderr) },
  });
}

/** The error of an aborted wait: the signal's own SvcError, or one for its reason. */
export function aborted(signal: AbortSignal, run: SimulatorRun): SvcError {
  const reason: unknown = signal.reason;
  if (reason instanceof SvcError) return reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError") {
    return new SvcError("SIMULATOR_TIMEOUT", {
      ...messages(() => "The time limit of the run was reached while the simulator ran.", run),
      // It is unknown how much of the time the nodes took.
      remedy: phrase`Raise ${flag("timeout")}: it bounds the answers of nodes and the simulator together.`,
      cause: reason,
    });
  }
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted.",
    remedy: phrase`${AGAIN}.`,
    cause: reason,
  });
}

/** The message for the user and for a client. `message` makes it from the name of the simulator. */
function messages(message: (simulator: string) => string, run: SimulatorRun) {
  const stderr = shown(run.stderr.trim());
  const own = message(`the simulator at ${run.path}`);
  return {
    message: stderr === "" ? own : `${own}\nThe simulator's stderr: ${stderr}`,
    httpMessage: message("the simulator"),
  };
}

function shown(text: string): string {
  const kept = text.length <= SHOWN_CHARACTERS ? text : `…${endingOf(text, SHOWN_CHARACTERS)}`;
  return neutraliseLines(kept);
}
