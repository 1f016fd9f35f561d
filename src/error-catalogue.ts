// The catalogue of stable codes: code → exit code, HTTP status, what it means, what to do. Each
// folder has its codes in its errors.ts. docs/errors.md and `svc explain` show the catalogue.

import { BASE_ERRORS, type ErrorRow } from "./base/errors/base-errors.ts";
import type { ErrorCode, SvcError } from "./base/errors/errors.ts";
import { type Audience, HTTP, phraseFor } from "./base/phrase.ts";
import { CLI_ERRORS } from "./cli/errors.ts";
import { COMMAND_ERRORS } from "./command/errors.ts";
import { DAEMON_ERRORS } from "./daemon/errors.ts";
import { DAP_ERRORS } from "./dap/errors.ts";
import { DEBUGGER_ERRORS } from "./debugger/errors.ts";
import { FOLLOW_ERRORS } from "./follow/errors.ts";
import { FORK_ERRORS } from "./fork/errors.ts";
import { ARCHIVE_ERRORS } from "./history-archive/errors.ts";
import { HTTP_SERVER_ERRORS } from "./http-server/errors.ts";
import { LEDGERS_ERRORS } from "./ledgers/errors.ts";
import { MCP_ERRORS } from "./mcp/errors.ts";
import { SIGNING_ERRORS } from "./signing/errors.ts";
import { SIMULATOR_ERRORS } from "./simulator/errors.ts";
import { SOURCES_ERRORS } from "./sources/errors.ts";
import { XDR_ERRORS } from "./xdr/errors.ts";

export const CATALOGUE: Readonly<Record<ErrorCode, ErrorRow>> = {
  ...BASE_ERRORS,
  ...CLI_ERRORS,
  ...XDR_ERRORS,
  ...SOURCES_ERRORS,
  ...ARCHIVE_ERRORS,
  ...LEDGERS_ERRORS,
  ...SIMULATOR_ERRORS,
  ...DEBUGGER_ERRORS,
  ...COMMAND_ERRORS,
  ...FOLLOW_ERRORS,
  ...FORK_ERRORS,
  ...HTTP_SERVER_ERRORS,
  ...DAEMON_ERRORS,
  ...MCP_ERRORS,
  ...DAP_ERRORS,
  ...SIGNING_ERRORS,
};

/** Null for a word that is not a code. */
export function rowOf(code: string): ErrorRow | null {
  return Object.hasOwn(CATALOGUE, code) ? CATALOGUE[code as ErrorCode] : null;
}

export function exitCodeOf({ code }: SvcError): number {
  return CATALOGUE[code].exitCode;
}

export function httpStatusOf({ code }: SvcError): number {
  return CATALOGUE[code].httpStatus;
}

/**
 * The message for a client over HTTP, who may not know the server's paths. A person who has a page
 * in the place of a program is such a client.
 */
export function httpMessageOf({ words, httpMessage }: SvcError, client: Audience = HTTP): string {
  return httpMessage ?? phraseFor(words.message, client);
}

/** The remedy for a client over HTTP, who has no command line. */
export function httpRemedyOf(error: SvcError, client: Audience = HTTP): string {
  const { code, words, httpRemedy } = error;
  return phraseFor(httpRemedy ?? CATALOGUE[code].httpAdvice ?? words.remedy, client);
}
