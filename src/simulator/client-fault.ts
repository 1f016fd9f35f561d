// What svc-sim refuses of a request that a client wrote. That is for the client to correct: it is
// no failure of svc-sim or of a node, and no run, so that no client can make an alert fire.

import { SvcError } from "../base/errors/errors.ts";
import { durationInWords } from "../base/text/time.ts";
import { requestInvalid } from "./simulator-error.ts";

/** The parts of a request that its client wrote; its envelope always is. */
export interface WrittenParts {
  readonly entries: boolean;
  readonly protocol: boolean;
  /** The client's deadline, where it is earlier than every limit of svc; null where it is not. */
  readonly deadlineMilliseconds: number | null;
}

/** Only the envelope is the client's. */
export const ENVELOPE_ALONE: WrittenParts = {
  entries: false,
  protocol: false,
  deadlineMilliseconds: null,
};

/** `read`, whose error is one of the client where the client wrote what svc-sim refuses. */
export function blamingClient<Answer>(read: () => Answer, written: WrittenParts): Answer {
  try {
    return read();
  } catch (error) {
    throw (error instanceof SvcError && faultOfClient(error, written)) || error;
  }
}

/** The request was the client's fault, and nothing ran. */
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
  const { code, message, remedy, httpRemedy, cause } = error;
  return new SvcError(code, {
    message,
    remedy,
    cause,
    details,
    ...(httpRemedy !== null && { httpRemedy }),
  });
}
