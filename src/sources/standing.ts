// How a node has answered lately, and what follows: a node that cannot be reached rests, and one
// that times out goes last. This is about order alone: a node that has no other in its place gets
// every request.
// Invariants: a rest is short at first and doubles with each failure after it. When it is over, one
// request at a time shows whether the node answers again.

import type { Clock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { nodeOrigin } from "../base/http/node-address.ts";
import { isFailureOfNode, type Standing } from "./source.ts";

export interface NodeEvent {
  /** Scheme, host and port. */
  readonly node: string;
  /** Null: the node answers again after a rest. */
  readonly rest: { readonly error: SvcError; readonly milliseconds: number } | null;
}

export interface StandingOptions {
  readonly clock: Clock;
  /** Of one call with all its attempts; a minute when not given. */
  readonly timeoutMilliseconds?: number;
  readonly observe?: ((event: NodeEvent) => void) | undefined;
}

/** The failures in a row after which a node rests. */
const PATIENCE = { NETWORK_UNREACHABLE: 1, NETWORK_TIMEOUT: 2 } as const;
const FIRST_REST_MILLISECONDS = 1_000;
const LONGEST_REST_MILLISECONDS = 30_000;
/** A silent node costs the request that tries it OVERDUE_MILLISECONDS. */
const LAST_MILLISECONDS = 30_000;
/** Nodes answer within a second; those with old ledgers take some seconds. */
const OVERDUE_MILLISECONDS = 3_000;
const OVERDUE_SHARE = 8;

/** The standing of each node, by its URL; all that ask one node share it. */
export type Standings = (url: string) => Standing;

export function openStandings(options: StandingOptions): Standings {
  const standings = new Map<string, Standing>();
  return (url) => {
    const standing = standings.get(url) ?? openStanding(nodeOrigin(url), options);
    standings.set(url, standing);
    return standing;
  };
}

export function openStanding(
  node: string,
  { clock, timeoutMilliseconds = 60_000, observe = () => {} }: StandingOptions,
): Standing {
  let failures = 0;
  let rests = 0;
  let failure: SvcError | null = null;
  let restsUntil = 0;
  let lastUntil = 0;
  /** When each request began that is on its way, the oldest first. */
  const asked = new Set<{ readonly since: number }>();
  const now = () => clock.monotonicMilliseconds();
  const overdueMilliseconds = Math.min(OVERDUE_MILLISECONDS, timeoutMilliseconds / OVERDUE_SHARE);
  const isLate = () => {
    const [oldest] = asked;
    return oldest !== undefined && now() - oldest.since >= overdueMilliseconds;
  };

  const succeed = () => {
    if (rests > 0) observe({ node, rest: null });
    failures = 0;
    rests = 0;
    failure = null;
    restsUntil = 0;
    lastUntil = 0;
  };
  const fail = (error: SvcError, code: keyof typeof PATIENCE) => {
    failures += 1;
    if (code === "NETWORK_TIMEOUT") lastUntil = now() + LAST_MILLISECONDS;
    // Requests that were on their way when the rest began say nothing new.
    if (failures < PATIENCE[code] || now() < restsUntil) return;
    const milliseconds = Math.min(FIRST_REST_MILLISECONDS * 2 ** rests, LONGEST_REST_MILLISECONDS);
    failure = error;
    rests += 1;
    restsUntil = now() + milliseconds;
    observe({ node, rest: { error, milliseconds } });
  };

  return {
    get failure() {
      return now() < restsUntil || asked.size > 0 ? failure : null;
    },
    get timedOut() {
      return now() < lastUntil;
    },
    rank() {
      if (failures === 0) return isLate() ? "last" : "first";
      // The request that tries the node again is on its way.
      const tried = asked.size > 0;
      if (now() < restsUntil || (tried && failure !== null)) return "resting";
      return now() < lastUntil || tried ? "last" : "first";
    },
    async run(ask) {
      const request = { since: now() };
      asked.add(request);
      try {
        const answer = await ask();
        succeed();
        return answer;
      } catch (error) {
        if (error instanceof SvcError && isTelling(error.code)) fail(error, error.code);
        // A node that answers with an error is there; the next one is asked for this request alone.
        else if (isFailureOfNode(error)) succeed();
        throw error;
      } finally {
        asked.delete(request);
      }
    },
    overdue: (signal) => clock.sleep(overdueMilliseconds, signal),
  };
}

function isTelling(code: string): code is keyof typeof PATIENCE {
  return code in PATIENCE;
}
