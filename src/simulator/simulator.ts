// What can carry out a simulation: a fresh svc-sim for one request (one-shot.ts) or a pool of
// `svc-sim serve` workers (pool.ts). Both keep the same promises: a request ends with an Execution
// or a SvcError, never later than its deadline, and a failed transaction is an Execution.

import type { Execution } from "../model/execution.ts";
import type { ReplayRequest } from "./wire-schema.ts";

export interface RunOptions {
  readonly signal: AbortSignal;
}

export interface Simulator extends AsyncDisposable {
  replay(request: ReplayRequest, options: RunOptions): Promise<Execution>;
}

/** A response holds every change twice and the diagnostics; beyond this it is no response. */
export const RESPONSE_LIMIT_BYTES = 256 * 1024 * 1024;
/** Enough for a panic with its backtrace. */
export const STDERR_LIMIT_CHARACTERS = 16 * 1024;
/** How long stderr may stay open after the process ended: a grandchild may hold it. */
export const LAST_WORDS_MILLISECONDS = 100;
/** What svc-sim is given when the request names no deadline. */
export const DEFAULT_DEADLINE_MILLISECONDS = 30_000;
/** svc-sim keeps the deadline itself; this much later svc ends it. */
export const DEADLINE_GRACE_MILLISECONDS = 2_000;

/** What any request may say of its time. */
export interface DeadlinedRequest {
  readonly options?: { readonly deadline_milliseconds?: number | undefined } | undefined;
}

/** How long svc waits for the answer to a request. */
export function patienceOf(request: DeadlinedRequest): number {
  const deadline = request.options?.deadline_milliseconds ?? DEFAULT_DEADLINE_MILLISECONDS;
  return deadline + DEADLINE_GRACE_MILLISECONDS;
}
