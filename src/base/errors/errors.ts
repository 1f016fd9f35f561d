// The one error class. The code fixes exit code, HTTP status and summary (src/error-catalogue.ts);
// the message has the values, the remedy says what to do next. Narrow on `code`, never on text.
// Invariant: what a node or a client wrote makes no message, and no detail, longer than a page.

import { beginningOf, ownText } from "../own-text.ts";
import type { BASE_ERRORS } from "./base-errors.ts";

/** The catalogue of all rows: each folder adds those of its errors.ts. */
export interface KnownErrors extends Readonly<typeof BASE_ERRORS> {}

export type ErrorCode = keyof KnownErrors;

export interface SvcErrorFields {
  /** The event, with the values. */
  readonly message: string;
  /**
   * The event for a client over HTTP, without what only the server's operator may know, such as its
   * paths (default: the message).
   */
  readonly httpMessage?: string;
  /** One imperative sentence; a command where there is one. */
  readonly remedy: string;
  /** The remedy for a client over HTTP; the catalogue's advice for clients when not given. */
  readonly httpRemedy?: string;
  readonly cause?: unknown;
  /** Values for machines; never secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Lists of fields and files are shorter; a name or a value that somebody else wrote may not be. */
const LONGEST_TEXT = 4_000;

/** The only error svc throws on purpose: it means that svc has no answer. */
export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly httpMessage: string | null;
  readonly httpRemedy: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, fields: SvcErrorFields) {
    super(cut(fields.message), fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = "SvcError";
    this.code = code;
    this.remedy = cut(fields.remedy);
    this.httpMessage = fields.httpMessage === undefined ? null : cut(fields.httpMessage);
    this.httpRemedy = fields.httpRemedy === undefined ? null : cut(fields.httpRemedy);
    const details = Object.entries(fields.details ?? {});
    this.details = Object.fromEntries(
      details.map(([name, value]) => [name, typeof value === "string" ? cut(value) : value]),
    );
  }
}

/** Errors may be kept for long, and a text may have been cut from one of megabytes. */
function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? ownText(text) : `${beginningOf(text, LONGEST_TEXT)}…`;
}

export function usageError(message: string, remedy: string): SvcError {
  return new SvcError("USAGE", { message, remedy });
}

/** `invalid` makes the error of the reason, a clause. */
export function parseJson(
  text: string,
  invalid: (why: string, cause: unknown) => SvcError,
): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid("it is not JSON", cause);
  }
}

export function fileInvalid(
  file: string,
  message: string,
  remedy: string,
  cause?: unknown,
): SvcError {
  return new SvcError("FILE_INVALID", { message, remedy, cause, details: { file } });
}

export function configInvalid(message: string, remedy: string): SvcError {
  return new SvcError("CONFIG_INVALID", { message, remedy });
}
