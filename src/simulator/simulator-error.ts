// Every way in which a simulation cannot be carried out, as a SvcError with its remedy.
// Invariant: svc-sim's own text (messages, stderr, stdout) is bounded and neutralised before it
// becomes part of a message: it may repeat what a contract wrote.

import { SvcError } from "../base/errors/errors.ts";
import { neutraliseLines } from "../base/text/neutralise.ts";
import type { SimulatorErrorCode, WireError } from "./wire-schema.ts";

const SHOWN_CHARACTERS = 2_000;

/** What is known of the process that a message should tell. */
export interface SimulatorRun {
  /** Path of the executable. */
  readonly path: string;
  /** The last of what it wrote to stderr. */
  readonly stderr: string;
}

const OWN_FAULT =
  "Run the command again with --debug and report it with the simulator's stderr shown above.";

/** svc-sim's `error` object → the catalogue. */
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
        message: `The given wasm is not the contract's code: ${message}.`,
        remedy:
          "Build the contract's exact source with its toolchain, with debug information added.",
        details,
      });
    case "UNSUPPORTED_PROTOCOL":
      return new SvcError("PROTOCOL_UNSUPPORTED", {
        message: `The simulator at ${run.path} has no host for this ledger's protocol: ${message}`,
        remedy: "Install a release of svc that knows the protocol; `svc version` lists the hosts.",
        details,
      });
    case "DEADLINE":
      return new SvcError("SIMULATOR_TIMEOUT", {
        message: `The simulator gave up at its deadline: ${message}`,
        remedy: "Give it more time with --timeout, or try when the machine is less loaded.",
        details,
      });
    default:
      return new SvcError("SIMULATOR_FAILED", {
        message: withStderr(`The simulator failed (${shown(error.code)}): ${message}`, run),
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
    remedy: "Fetch the entries at the transaction's ledger, from a node of the same network.",
    details,
  });
}

export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** REQUEST_INVALID, field by field. */
export function requestInvalid(
  problems: readonly FieldProblem[],
  details: Readonly<Record<string, unknown>> = {},
): SvcError {
  const list = problems.map(({ field, problem }) => `${field}: ${problem}`).join("; ");
  return new SvcError("REQUEST_INVALID", {
    message: `The simulation request is not valid: ${shown(list)}`,
    remedy:
      "Check it field by field with --strict-validation; " +
      "envelope_xdr and result_meta_xdr are required.",
    details: { ...details, fields: problems },
  });
}

/** It wrote something that is not the protocol. */
export function badAnswer(
  problem: string,
  text: string,
  run: SimulatorRun,
  cause?: unknown,
): SvcError {
  const start = shown(text.slice(0, 200));
  return new SvcError("SIMULATOR_INVALID_JSON", {
    message: withStderr(
      `The answer of the simulator at ${run.path} ${problem}; it begins with "${start}".`,
      run,
    ),
    remedy:
      "Check that the XDR given is standard base64, run again with --debug, and read the " +
      "simulator's stderr; `svc doctor` checks the simulator.",
    cause,
    details: { stdout: start, stderr: shown(run.stderr) },
  });
}

/** It ended, or could not be started, before it answered. */
export function died(how: string, run: SimulatorRun, cause?: unknown): SvcError {
  return new SvcError("SIMULATOR_DIED", {
    message: withStderr(`The simulator at ${run.path} ${how} before it answered.`, run),
    remedy:
      "Run again with --debug and read the simulator's stderr; `svc doctor` checks the simulator.",
    cause,
    details: { how, stderr: shown(run.stderr) },
  });
}

export function timedOut(milliseconds: number, run: SimulatorRun): SvcError {
  return new SvcError("SIMULATOR_TIMEOUT", {
    message: withStderr(
      `The simulator at ${run.path} did not answer within ${milliseconds} ms and was ended.`,
      run,
    ),
    remedy: "Give it more time with --timeout, or try when the machine is less loaded.",
    details: { milliseconds, stderr: shown(run.stderr) },
  });
}

/** What an aborted wait ends with: the SvcError that aborted it, or what the reason stands for. */
export function aborted(signal: AbortSignal, run: SimulatorRun): SvcError {
  const reason: unknown = signal.reason;
  if (reason instanceof SvcError) return reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError") {
    return new SvcError("SIMULATOR_TIMEOUT", {
      message: withStderr("The time allowed ran out while the simulator was at work.", run),
      remedy: "Give it more time with --timeout.",
      cause: reason,
    });
  }
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted.",
    remedy: "Run the command again.",
    cause: reason,
  });
}

function withStderr(message: string, run: SimulatorRun): string {
  const stderr = shown(run.stderr.trim());
  return stderr === "" ? message : `${message}\nThe simulator's stderr: ${stderr}`;
}

function shown(text: string): string {
  const kept =
    text.length <= SHOWN_CHARACTERS ? text : `…${text.slice(text.length - SHOWN_CHARACTERS)}`;
  return neutraliseLines(kept);
}
