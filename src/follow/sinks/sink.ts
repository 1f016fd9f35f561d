// A sink delivers events to a place where people see them.

import type { PostAnswer } from "../../base/http/post-once.ts";
import type { FollowEvent } from "../../model/follow.ts";

export interface Sink {
  readonly name: string;
  /** False if the sink receives only alerts. */
  readonly wantsAll: boolean;
  /** The number of events that it accepts at once. */
  readonly batchSize: number;
  /** Throws only when `signal` is aborted. */
  deliver(events: readonly FollowEvent[], signal: AbortSignal): Promise<Delivery>;
}

export type Delivery =
  | { readonly kind: "delivered" }
  /** The delivery failed and can be tried again. */
  | { readonly kind: "failed"; readonly reason: string; readonly waitMilliseconds?: number }
  /** The sink would refuse the delivery again. */
  | { readonly kind: "refused"; readonly reason: string };

/** Statuses between 400 and 499 that ask for a later attempt. */
const LATER: readonly number[] = [408, 425, 429];

export function deliveryOf(address: string, answer: PostAnswer): Delivery {
  if (answer.kind === "failed") return answer;
  const { status, retryAfterMilliseconds, text } = answer;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  const said = text === "" ? "" : `: ${text}`;
  const reason = `${address} answered with status ${status}${said}`;
  if (status < 500 && !LATER.includes(status)) return { kind: "refused", reason };
  if (retryAfterMilliseconds === null) return { kind: "failed", reason };
  return { kind: "failed", reason, waitMilliseconds: retryAfterMilliseconds };
}
