// A simulator is either a new svc-sim for one request (one-shot.ts) or a pool of `svc-sim serve`
// workers (pool.ts). With both, a request ends with an Execution or a SvcError, never later than
// its deadline, and a failed transaction is an Execution.

import type { Execution } from "../model/execution.ts";
import type { ReplayRequest } from "./wire-schema.ts";

export interface RunOptions {
  readonly signal: AbortSignal;
  /** The client. In a pool, clients take turns; all callers without a client are one client. */
  readonly client?: string | undefined;
}

export interface Simulator extends AsyncDisposable {
  replay(request: ReplayRequest, options: RunOptions): Promise<Execution>;
}

/** The deadline of a request that does not set one. */
const DEFAULT_DEADLINE_MILLISECONDS = 30_000;
/** svc-sim stops at the deadline by itself. After this additional time svc kills it. */
const DEADLINE_GRACE_MILLISECONDS = 2_000;

/** The deadline of a request to either build of svc-sim. */
export interface DeadlinedRequest {
  readonly options?: { readonly deadline_milliseconds?: number | undefined } | undefined;
}

/** The longest wait for the answer to a request. */
export function patienceOf(request: DeadlinedRequest, graceMilliseconds = graceAfter()): number {
  const deadline = request.options?.deadline_milliseconds ?? DEFAULT_DEADLINE_MILLISECONDS;
  return deadline + graceMilliseconds;
}

/** The grace after the latest deadline that a request can have. */
export function graceAfter(deadlineMilliseconds = Number.POSITIVE_INFINITY): number {
  return Math.min(DEADLINE_GRACE_MILLISECONDS, deadlineMilliseconds / 2);
}

/** The request with a deadline that is not later than this. */
export function withDeadline<Request extends DeadlinedRequest>(
  request: Request,
  milliseconds: number,
): Request {
  const deadline = request.options?.deadline_milliseconds ?? DEFAULT_DEADLINE_MILLISECONDS;
  if (deadline <= milliseconds) return request;
  return { ...request, options: { ...request.options, deadline_milliseconds: milliseconds } };
}
