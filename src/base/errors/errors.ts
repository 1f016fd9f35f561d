// The one error class. Its code decides the exit code, the HTTP status and the summary
// (src/error-catalogue.ts). Its message has the values, and its remedy says what to do next.
// Callers narrow on `code`, never on text.
// Invariant: a text from a node or a client makes no message and no detail longer than a page.

import { excessOfJson } from "../json-bounds.ts";
import { beginningOf, ownText } from "../own-text.ts";
import { phraseFor, SHELL, type Wording, withTexts } from "../phrase.ts";
import { withoutSecretKeys } from "../text/found-by-form.ts";
import type { BASE_ERRORS } from "./base-errors.ts";

/** The rows of the whole catalogue. Each folder adds those of its errors.ts to this interface. */
export interface KnownErrors extends Readonly<typeof BASE_ERRORS> {}

export type ErrorCode = keyof KnownErrors;

export type SvcErrorFields = SvcErrorContext & (SaidInSentences | SaidInClause);

interface SaidInSentences {
  /** Says what happened, with the values. */
  readonly message: Wording;
  readonly clause?: never;
}

/** An error that another sentence can name, in parentheses or after a colon. */
interface SaidInClause {
  /** The message without its full stop. */
  readonly clause: string;
  readonly message?: never;
}

interface SvcErrorContext {
  /**
   * The message for an HTTP client, without facts for the operator of the server only, such as
   * paths (default: the message).
   */
  readonly httpMessage?: string;
  /** One imperative sentence, with a command if there is one. */
  readonly remedy: Wording;
  /** The remedy for an HTTP client (default: the catalogue's advice for clients). */
  readonly httpRemedy?: Wording;
  readonly cause?: unknown;
  /** Values for programs. They never contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Our own lists of fields and files stay below this length. Names and values from elsewhere may
 * exceed it.
 */
const LONGEST_TEXT = 4_000;

/** The only error that svc throws on purpose: svc has no answer. */
export class SvcError extends Error {
  readonly code: ErrorCode;
  /** The remedy for a person with a command line, as the message is. */
  readonly remedy: string;
  /** Both before they are phrased for an audience. */
  readonly words: { readonly message: Wording; readonly remedy: Wording };
  readonly httpMessage: string | null;
  readonly httpRemedy: Wording | null;
  /** The message as a part of another sentence; null if it is more than a clause. */
  readonly clause: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, fields: SvcErrorFields) {
    const message = fields.clause === undefined ? fields.message : `${fields.clause}.`;
    super(
      cut(phraseFor(message, SHELL)),
      fields.cause === undefined ? undefined : { cause: fields.cause },
    );
    this.name = "SvcError";
    this.code = code;
    this.remedy = cut(phraseFor(fields.remedy, SHELL));
    this.words = { message: cutWords(message), remedy: cutWords(fields.remedy) };
    this.httpMessage = fields.httpMessage === undefined ? null : cut(fields.httpMessage);
    this.httpRemedy = fields.httpRemedy === undefined ? null : cutWords(fields.httpRemedy);
    this.clause = fields.clause === undefined ? null : cut(fields.clause);
    const details = Object.entries(fields.details ?? {});
    this.details = Object.fromEntries(
      details.map(([name, value]) => [name, typeof value === "string" ? cut(value) : value]),
    );
  }
}

/**
 * Returns a copy: errors may be kept for long, and a slice would keep the whole text that it is
 * from in memory. An error repeats what a person wrote, and goes to logs: no secret key is in it.
 */
function cut(written: string): string {
  const text = withoutSecretKeys(written);
  return text.length <= LONGEST_TEXT ? ownText(text) : `${beginningOf(text, LONGEST_TEXT)}…`;
}

function cutWords(words: Wording): Wording {
  return withTexts(words, cut);
}

export function usageError(message: Wording, remedy: Wording): SvcError {
  return new SvcError("USAGE", { message, remedy });
}

/** Parses JSON. `invalid` makes the error that is thrown, from a clause that says why. */
export function parseJsonText(
  text: string,
  invalid: (why: string, cause?: unknown) => SvcError,
): unknown {
  const excess = excessOfJson(text);
  if (excess !== null) throw invalid(`its JSON has ${excess}`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid("it is not JSON", cause);
  }
}

export function fileInvalid(
  file: string,
  message: Wording,
  remedy: Wording,
  cause?: unknown,
): SvcError {
  return new SvcError("FILE_INVALID", { message, remedy, cause, details: { file } });
}

export function configInvalid(message: Wording, remedy: Wording): SvcError {
  return new SvcError("CONFIG_INVALID", { message, remedy });
}
