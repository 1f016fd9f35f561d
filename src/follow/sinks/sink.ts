// A sink takes events to where somebody sees them.

import type { PostAnswer } from "../../base/http/post-once.ts";
import type { FollowEvent } from "../../model/follow.ts";

export interface Sink {
  readonly name: string;
  /** False: only alerts. */
  readonly wantsAll: boolean;
  /** Events that it takes at once. */
  readonly batchSize: number;
  /** Throws only when `signal` is aborted. */
  deliver(events: readonly FollowEvent[], signal: AbortSignal): Promise<Delivery>;
}

export type Delivery =
  | { readonly kind: "delivered" }
  /** It can be tried again. */
  | { readonly kind: "failed"; readonly reason: string; readonly waitMilliseconds?: number }
  /** It would be refused again. */
  | { readonly kind: "refused"; readonly reason: string };

/** Statuses in the 400s that say "later". */
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
