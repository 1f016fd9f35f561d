// Sends one POST to an endpoint that an operator has set, and returns the status. The caller
// decides when to try again. Redirects are not followed: an endpoint must not choose other hosts.

import { joinSignals } from "../join-signals.ts";
import { durationInWords } from "../text/time.ts";
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
      /** The text of a short answer, on one line. Empty for a success and for a longer answer. */
      readonly text: string;
    }
  /** There is no status. `reason` names the host and no secret part of the URL. */
  | { readonly kind: "failed"; readonly reason: string };

/** Enough for a reason such as `invalid_payload`, which only the endpoint knows. */
const LONGEST_TEXT = 200;
/** Shorter parts of a URL are not secrets. */
const SHORTEST_SECRET = 4;

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
    const text = response.ok ? "" : await textOf(response, post.url).catch(() => "");
    if (response.ok) await response.body?.cancel();
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const retryAfterMilliseconds = seconds >= 0 ? seconds * 1000 : null;
    return { kind: "status", status: response.status, retryAfterMilliseconds, text };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const address = nodeAddress(post.url);
    const { code = "no connection" } = error as { readonly code?: string };
    if (!limited.signal.aborted)
      return { kind: "failed", reason: `${address} cannot be reached (${code})` };
    const waited = durationInWords(post.timeoutMilliseconds);
    return { kind: "failed", reason: `${address} did not answer within ${waited}` };
  }
}

/**
 * Returns an empty text if the answer is long, or repeats a part of the URL, which may be secret.
 */
async function textOf({ body }: Response, url: string): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_TEXT) return "";
  }
  const { pathname, search, username, password } = new URL(url);
  const parts = [...`${pathname}${search}`.split(/[/?&=]/), username, password];
  const secrets = parts.filter(({ length }) => length >= SHORTEST_SECRET);
  if (secrets.some((each) => text.includes(each) || text.includes(decodeURIComponent(each))))
    return "";
  return text.replaceAll(/\s+/g, " ").trim();
}
