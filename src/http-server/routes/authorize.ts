// Checks the bearer token (RFC 6750). Digests are compared in constant time, so that a client can
// measure neither how much of the token is right nor its length.

import { createHash, timingSafeEqual } from "node:crypto";
import { SvcError } from "../../base/errors/errors.ts";

export interface Authorize {
  /** Checks a request. Throws UNAUTHORIZED. */
  (request: Request): void;
  /** Replaces the token. A server without a token stays without one. */
  readonly replace: (token: string) => void;
}

/** Opens the check. `token` is null if requests need no token. */
export function openAuthorize(token: string | null): Authorize {
  if (token === null) return Object.assign(() => {}, { replace: () => {} });
  let expected = digest(token);
  const authorize = (request: Request) => {
    const header = request.headers.get("authorization") ?? "";
    const sentToken = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    if (timingSafeEqual(digest(sentToken), expected)) return;
    throw new SvcError("UNAUTHORIZED", {
      message: header === "" ? "The request has no token." : "The token is wrong.",
      remedy: "Send the token of this server in the header Authorization: Bearer.",
    });
  };
  const replace = (next: string) => {
    expected = digest(next);
  };
  return Object.assign(authorize, { replace });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
