// Work is only for programs and for the daemon's own pages: a page of another site can send requests
// to the daemon from a browser inside the network, even if it cannot read the answers.

import { SvcError } from "../../base/errors/errors.ts";

/** Browsers send one of these headers; other clients need none. Throws REQUEST_INVALID. */
export function checkSite({ headers }: Request): void {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = headers.get("origin");
  // Browsers send the first header only to addresses that they trust.
  if (site === null && (origin === null || hostOf(origin) === headers.get("host"))) return;
  throw new SvcError("REQUEST_INVALID", {
    message: "The request comes from a page of another site.",
    remedy: "Send it from a program, or from the daemon's own page.",
  });
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
