// The bearer token (RFC 6750). Compared by digest and in constant time: neither how much of it is
// right nor how long it is can be measured.

import { createHash, timingSafeEqual } from "node:crypto";
import { SvcError } from "../../base/errors/errors.ts";

/** Throws UNAUTHORIZED. */
export type Authorize = (request: Request) => void;

/** `token`: null when everybody may ask. */
export function openAuthorize(token: string | null): Authorize {
  if (token === null) return () => {};
  const expected = digest(token);
  return (request) => {
    const header = request.headers.get("authorization") ?? "";
    const given = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    if (timingSafeEqual(digest(given), expected)) return;
    throw new SvcError("UNAUTHORIZED", {
      message: header === "" ? "No token was given." : "The token is not the daemon's.",
      remedy: "Send the daemon's token in the header Authorization: Bearer.",
    });
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
