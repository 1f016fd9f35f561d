// Checks the Host header on a server without a token. A web page can give its own name the address
// of this server (DNS rebinding), and its scripts then reach the server from inside the network.
// Their requests have that name in the Host header. The server accepts addresses, the names that
// the settings allow, and names that cannot be registered: names of one label, or below a suffix
// that is not public.

import { isIP } from "node:net";
import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { ServerConfig } from "../server-settings.ts";

export type HostSettings = Pick<ServerConfig, "token" | "unixSocket" | "host" | "allowedHosts">;

/** Suffixes of RFC 6761, 6762, 8375 and 9476, ICANN's .internal, and those that Kubernetes uses. */
const NOT_PUBLIC = /(^|\.)(localhost|local|internal|test|home\.arpa|svc|cluster)$/;

/** Opens the check, which throws HOST_NOT_ALLOWED. */
export function openHostCheck({ token, unixSocket, host, allowedHosts }: HostSettings) {
  if (token !== null || unixSocket !== null) return () => {};
  const names = new Set([host.toLowerCase(), ...allowedHosts]);
  /**
   * The last allowed header, which most requests repeat. HTTP/1.0, which no browser uses, has none.
   */
  let allowed = "";
  return ({ headers }: Request) => {
    const host = headers.get("host") ?? "";
    if (host === allowed || host === "") return;
    const name = nameOf(host);
    if (name !== null && (names.has(name) || isPrivate(name))) {
      allowed = host;
      return;
    }
    throw new SvcError("HOST_NOT_ALLOWED", {
      message: "The Host header has a name that is not allowed for this server.",
      remedy: phrase`Use the IP address of this server, or add the name to ${flag("allowedHosts")}.`,
    });
  };
}

/** The name in lower case, without the port; null if it is not a host. */
function nameOf(hostHeader: string): string | null {
  const url = `http://${hostHeader}/`;
  if (/[\s/@?#\\]/.test(hostHeader) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function isPrivate(name: string): boolean {
  return isIP(name) !== 0 || !name.includes(".") || NOT_PUBLIC.test(name);
}
