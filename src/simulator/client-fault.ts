// Tells errors in a request that a client wrote from failures of svc-sim. The client has to correct
// such a request: it is not a failure of svc-sim or of a node, and not a run, so that no client can
// make an alert fire.

import { SvcError } from "../base/errors/errors.ts";
import { durationInWords } from "../base/text/time.ts";
import { requestInvalid } from "./simulator-error.ts";

/** The parts of a request that its client wrote. The client always writes the envelope. */
export interface WrittenParts {
  readonly entries: boolean;
  readonly protocol: boolean;
  /** The client's deadline if it is earlier than every limit of svc; otherwise null. */
  readonly deadlineMilliseconds: number | null;
}

/** The parts if the client wrote only the envelope. */
export const ENVELOPE_ALONE: WrittenParts = {
  entries: false,
  protocol: false,
  deadlineMilliseconds: null,
};

/** Calls `read`. If svc-sim refuses something that the client wrote, the error is the client's. */
export function blamingClient<Answer>(read: () => Answer, written: WrittenParts): Answer {
  try {
    return read();
  } catch (error) {
    throw (error instanceof SvcError && faultOfClient(error, written)) || error;
  }
}

/** Says whether the request was at fault and nothing ran. */
export function isFaultOfClient(error: unknown): boolean {
  return error instanceof SvcError && error.details.ofClient === true;
}

function faultOfClient(error: SvcError, written: WrittenParts): SvcError | null {
  const { code, message, httpMessage, details } = error;
  const problem = httpMessage ?? message;
  const ofClient = { ...details, ofClient: true };
  if (code === "REQUEST_INVALID") return again(error, ofClient);
  if (code === "LEDGER_ENTRY_INVALID" && written.entries)
    return requestInvalid([{ field: "ledger_entries", problem }], ofClient);
  const isOfProtocol = code === "PROTOCOL_UNSUPPORTED" || code === "PROTOCOL_UNKNOWN";
  if (isOfProtocol && written.protocol)
    return requestInvalid([{ field: "ledger.protocol_version", problem }], ofClient);
  if (code === "SIMULATOR_TIMEOUT" && written.deadlineMilliseconds !== null)
    return new SvcError("DEADLINE_TOO_EARLY", {
      message: `The run did not end within ${durationInWords(written.deadlineMilliseconds)}, the deadline of the request.`,
      remedy: "Send a later options.deadline_milliseconds, or none.",
      cause: error,
      details: ofClient,
    });
  return null;
}

function again(error: SvcError, details: SvcError["details"]): SvcError {
  const { code, words, httpRemedy, cause } = error;
  return new SvcError(code, {
    ...words,
    cause,
    details,
    ...(httpRemedy !== null && { httpRemedy }),
  });
}
