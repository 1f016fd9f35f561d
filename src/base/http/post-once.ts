// One POST to an endpoint that an operator has set, with a status as the answer. The caller decides
// when to try again. Redirects are not followed: an endpoint must not choose other hosts.

import { joinSignals } from "../join-signals.ts";
import { nodeAddress } from "./node-address.ts";

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMilliseconds: number;
}

export type PostAnswer =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfterMilliseconds: number | null;
    }
  /** No status. `reason` names the host and no secret part of the URL. */
  | { readonly kind: "failed"; readonly reason: string };

/** Throws only when `signal` is aborted. */
export async function postOnce(post: Post, signal: AbortSignal): Promise<PostAnswer> {
  using limited = joinSignals([signal], post.timeoutMilliseconds);
  try {
    const response = await fetch(post.url, {
      method: "POST",
      body: post.body,
      headers: { "content-type": "application/json", ...post.headers },
      redirect: "manual",
      signal: limited.signal,
    });
    await response.body?.cancel();
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const retryAfterMilliseconds = seconds >= 0 ? seconds * 1000 : null;
    return { kind: "status", status: response.status, retryAfterMilliseconds };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const address = nodeAddress(post.url);
    const { code = "no connection" } = error as { readonly code?: string };
    if (!limited.signal.aborted)
      return { kind: "failed", reason: `${address} cannot be reached (${code})` };
    const waited = post.timeoutMilliseconds / 1000;
    return { kind: "failed", reason: `${address} did not answer within ${waited} s` };
  }
}
