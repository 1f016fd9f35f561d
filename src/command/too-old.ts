// Warns that this svc is too old for the network, at most once a day. It makes no request: answers
// to other requests show the protocol.

import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { cacheDirectory } from "../base/files/cache-directory.ts";
import { ifVisible } from "../base/files/read-file.ts";
import { isLaterProtocol, NEWEST_PROTOCOL, updateFor } from "../model/protocols.ts";
import type { Source } from "../sources/source.ts";
import type { Shell } from "./shell.ts";

const DAY_MILLISECONDS = 86_400_000;

/** Warns if a source has shown a protocol that this svc does not know. */
export function warnIfTooOld(
  { facts, log }: Pick<Shell, "facts" | "log">,
  sources: readonly Pick<Source, "protocolVersion">[],
  clock: Pick<Clock, "unixMilliseconds">,
): void {
  const latest = Math.max(0, ...sources.map((source) => source.protocolVersion?.() ?? 0));
  if (!isLaterProtocol(latest) || !isDue(facts.environment, clock)) return;
  log.warn(
    `A node reports that the network runs protocol ${latest}; this svc knows protocols up to ${NEWEST_PROTOCOL}. ` +
      updateFor(latest),
  );
}

/** True once a day. The time of a file in the cache is the time of the last warning. */
function isDue(
  environment: Shell["facts"]["environment"],
  clock: Pick<Clock, "unixMilliseconds">,
): boolean {
  const file = join(cacheDirectory(environment), "too-old");
  const last = ifVisible(() => statSync(file))?.mtimeMs ?? 0;
  if (clock.unixMilliseconds() - last < DAY_MILLISECONDS) return false;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
  } catch {
    // Without a cache, such as in a read-only container, svc warns in each run.
  }
  return true;
}
