// Restricts work to programs, to the server's own pages, and to the pages that the settings allow.
// Another page can send requests from a browser inside the network, even if it cannot read the
// answers.

import { SvcError } from "../../base/errors/errors.ts";
import type { ServerConfig } from "../server-settings.ts";

/**
 * Opens the check. Browsers send one of two headers; other clients need none. Throws
 * REQUEST_INVALID.
 */
export function openSiteCheck({ allowedOrigins }: Pick<ServerConfig, "allowedOrigins">) {
  if (allowedOrigins.includes("*")) return () => {};
  return ({ headers }: Request) => {
    const site = headers.get("sec-fetch-site");
    if (site === "same-origin" || site === "none") return;
    const origin = headers.get("origin");
    // Browsers send the first header only to addresses that they trust.
    if (site === null && (origin === null || hostOf(origin) === headers.get("host"))) return;
    if (origin !== null && allowedOrigins.some((each) => isOrigin(each, origin))) return;
    throw new SvcError("REQUEST_INVALID", {
      message: "The request comes from a page of another site.",
      remedy: "Send it from a program, or from a page whose origin this server allows.",
    });
  };
}

/**
 * Says whether an origin is allowed. `allowed` is an origin, or `http://localhost:*` for any port.
 */
export function isOrigin(allowed: string, origin: string): boolean {
  if (!allowed.endsWith(":*")) return allowed === origin;
  const { protocol, hostname } = URL.parse(origin) ?? {};
  return `${protocol}//${hostname}` === allowed.slice(0, -2);
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
