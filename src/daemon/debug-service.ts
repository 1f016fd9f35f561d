// hash → report, for many who ask at once: the same hash is walked once at a time, and so many
// walks go on that nodes are not flooded.

import { SvcError } from "../base/errors/errors.ts";
import { Coalescer, type SharedRun, type Waiter } from "./coalesce.ts";

export interface DebugServiceOptions {
  /** Walks one transaction; the report as it is sent. */
  readonly walk: (hash: string) => SharedRun<string>;
  /** Different transactions at once. */
  readonly mostWalks: number;
}

export interface DebugService {
  /** Throws what the walk throws, and OVERLOADED. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
}

export function openDebugService({ walk, mostWalks }: DebugServiceOptions): DebugService {
  const walks = new Coalescer<string>();
  return {
    async debug(hash, waiter) {
      if (!walks.has(hash) && walks.size >= mostWalks)
        throw new SvcError("OVERLOADED", {
          message: `${walks.size} transactions are being debugged, which is as many as there may be.`,
          remedy: "Try again after the time in the Retry-After header, or run more replicas.",
        });
      return walks.run(hash, waiter, walk(hash));
    },
  };
}
