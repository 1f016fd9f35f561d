// hash → report, for many clients at once: requests for the same hash share one walk, and the
// number of walks is limited so that nodes are not overloaded.

import { SvcError } from "../base/errors/errors.ts";
import { Coalescer, type SharedRun, type Waiter } from "./coalesce.ts";

export interface DebugServiceOptions {
  /** Debugs one transaction; returns the report as JSON text. */
  readonly walk: (hash: string) => SharedRun<string>;
  /** The maximum number of different transactions at once. */
  readonly mostWalks: number;
}

export interface DebugService {
  /** Throws as the walk, and OVERLOADED. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
}

export function openDebugService({ walk, mostWalks }: DebugServiceOptions): DebugService {
  const walks = new Coalescer<string>();
  return {
    async debug(hash, waiter) {
      if (!walks.has(hash) && walks.size >= mostWalks)
        throw new SvcError("OVERLOADED", {
          message: `The daemon already debugs ${walks.size} transactions, the maximum.`,
          remedy: "Try again after the time in the Retry-After header, or run more replicas.",
        });
      return walks.run(hash, waiter, walk(hash));
    },
  };
}
