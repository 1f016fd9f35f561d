// The directory in which svc keeps files that it can make again.

import { homedir } from "node:os";
import { join } from "node:path";

/** The directory of svc in the user's cache (XDG Base Directory Specification). It may not exist. */
export function cacheDirectory({
  XDG_CACHE_HOME,
  HOME,
}: Readonly<Record<string, string | undefined>>): string {
  return join(XDG_CACHE_HOME || join(HOME ?? homedir(), ".cache"), "svc");
}
