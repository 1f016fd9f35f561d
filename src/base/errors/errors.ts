// The one error class. The code fixes exit code, HTTP status and summary (error-catalogue.ts); the
// message has the values, the remedy says what to do next. Narrow on `code`, never on text.
// Invariant: what a node or a client wrote makes no message longer than a page.

import { CATALOGUE, type CatalogueEntry, type ErrorCode } from "./error-catalogue.ts";

export interface SvcErrorFields {
  /** What happened, with the values. */
  readonly message: string;
  /** One imperative sentence; a command where there is one. */
  readonly remedy: string;
  /** The remedy for a client of the daemon; the catalogue's advice for clients when not given. */
  readonly httpRemedy?: string;
  readonly cause?: unknown;
  /** Values for machines; never secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Lists of fields and files are shorter; a name or a value that somebody else wrote may not be. */
const LONGEST_MESSAGE = 4_000;

/** The only error svc throws on purpose: it means that svc has no answer. */
export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  /** For a client of the daemon, who has no command line. */
  readonly httpRemedy: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, fields: SvcErrorFields) {
    super(
      cutMessage(fields.message),
      fields.cause === undefined ? undefined : { cause: fields.cause },
    );
    this.name = "SvcError";
    this.code = code;
    this.remedy = fields.remedy;
    const { httpAdvice }: CatalogueEntry = CATALOGUE[code];
    this.httpRemedy = fields.httpRemedy ?? httpAdvice ?? fields.remedy;
    this.details = fields.details ?? {};
  }

  get exitCode(): number {
    return CATALOGUE[this.code].exitCode;
  }

  get httpStatus(): number {
    return CATALOGUE[this.code].httpStatus;
  }
}

function cutMessage(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}
