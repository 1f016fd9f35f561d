// Tracks how a node has answered lately. A node that cannot be reached, or that refuses work by its
// status, rests while another of its kind answers. A node that times out goes last. Only the order
// of requests depends on this. Invariants: a rest is short at first and doubles with each failure
// after it. After a rest, one request at a time shows whether the node answers again. The last node
// of its kind that may answer never rests: it goes last, after nodes of other kinds.

import type { Clock } from "../base/clock.ts";
import type { SvcError } from "../base/errors/errors.ts";
import { nodeLabel } from "../base/http/node-address.ts";
import { isFailureOfNode, type Standing } from "./source.ts";

/** Nodes of one kind answer the same requests. */
export type NodeKind = "horizon" | "rpc" | "ledgers";

export interface NodeEvent {
  /** The node's name, in the form of `nodeLabel`. */
  readonly node: string;
  /** Null if the node answers again. */
  readonly failure: SvcError | null;
  /** Null if the node does not rest. */
  readonly restMilliseconds: number | null;
}

export interface StandingOptions {
  readonly clock: Clock;
  /** The time of one call with all its attempts (default: a minute). */
  readonly timeoutMilliseconds?: number;
  readonly observe?: ((event: NodeEvent) => void) | undefined;
}

/**
 * Statuses that mean trouble in the node, or that it wants nothing from this client, whatever the
 * request is.
 */
const STATUSES_OF_NODE = new Set([401, 403, 408, 425, 429]);
const FIRST_REST_MILLISECONDS = 1_000;
const LONGEST_REST_MILLISECONDS = 30_000;
/** A node may ask for more time with `Retry-After`, and some ask for a day. */
const LONGEST_ASKED_REST_MILLISECONDS = 300_000;
/** A request that tries a silent node waits OVERDUE_MILLISECONDS for it. */
const LAST_MILLISECONDS = 30_000;
/** Nodes answer within a second, and those with old ledgers within some seconds. */
const OVERDUE_MILLISECONDS = 3_000;
const OVERDUE_SHARE = 8;

/** The standing of each node. All callers that ask a node share it. */
export interface Standings {
  (kind: NodeKind, url: string): Standing;
  /** For each node, by `nodeLabel`, whether it rests now. */
  resting(): ReadonlyMap<string, boolean>;
  /**
   * For each node, by `nodeLabel`, the others that answer the same requests, for each of its kinds.
   */
  others(): ReadonlyMap<string, readonly (readonly string[])[]>;
}

export function openStandings(options: StandingOptions): Standings {
  const nodes = new Map<string, { readonly kinds: Set<NodeKind>; readonly standing: Standing }>();
  const open = (url: string) => {
    const kinds = new Set<NodeKind>();
    const mayOthersAnswer = () =>
      [...kinds].every((kind) =>
        [...nodes.values()].some((other) => other.kinds.has(kind) && !other.standing.failing),
      );
    const node = { kinds, standing: openStanding(nodeLabel(url), options, mayOthersAnswer) };
    nodes.set(url, node);
    return node;
  };
  const standings = (kind: NodeKind, url: string) => {
    const { kinds, standing } = nodes.get(url) ?? open(url);
    kinds.add(kind);
    return standing;
  };
  return Object.assign(standings, {
    resting() {
      const resting = new Map<string, boolean>();
      for (const [url, { standing }] of nodes) {
        const node = nodeLabel(url);
        resting.set(node, resting.get(node) === true || standing.resting);
      }
      return resting;
    },
    others() {
      const others = new Map<string, string[][]>();
      for (const [url, { kinds }] of nodes) {
        const node = nodeLabel(url);
        const ofKinds = [...kinds].map((kind) =>
          [...nodes]
            .filter(([other, { kinds: of }]) => other !== url && of.has(kind))
            .map(([other]) => nodeLabel(other)),
        );
        others.set(node, [...(others.get(node) ?? []), ...ofKinds]);
      }
      return others;
    },
  });
}

/**
 * Opens a standing. `mayOthersAnswer` says whether, in each of its kinds, another node did not fail
 * at its last request.
 */
export function openStanding(
  node: string,
  { clock, timeoutMilliseconds = 60_000, observe = () => {} }: StandingOptions,
  mayOthersAnswer: () => boolean = () => false,
): Standing {
  let failures = 0;
  /** The time at which the latest of them was seen. */
  let failedAt = 0;
  let rests = 0;
  let failure: SvcError | null = null;
  let restsUntil = 0;
  let lastUntil = 0;
  let timedOut = false;
  /** True if the observer was called with the failure. */
  let isKnown = false;
  /** The start of each open request, the oldest first. */
  const openRequests = new Set<{ readonly since: number }>();
  const now = () => clock.monotonicMilliseconds();
  const overdueMilliseconds = Math.min(OVERDUE_MILLISECONDS, timeoutMilliseconds / OVERDUE_SHARE);
  const isLate = () => {
    const [oldest] = openRequests;
    return oldest !== undefined && now() - oldest.since >= overdueMilliseconds;
  };

  const succeed = () => {
    if (isKnown) observe({ node, failure: null, restMilliseconds: null });
    isKnown = false;
    failures = 0;
    rests = 0;
    failure = null;
    restsUntil = 0;
    lastUntil = 0;
  };
  const fail = (error: SvcError, patience: number, since: number) => {
    // Of several requests that were open together, one failure counts.
    if (failures === 0 || since >= failedAt) {
      failures += 1;
      failedAt = now();
    }
    timedOut = error.code === "NETWORK_TIMEOUT";
    const mayRest = mayOthersAnswer();
    if (timedOut || !mayRest) lastUntil = now() + LAST_MILLISECONDS;
    // Requests that were open when the rest began show nothing new.
    if (failures < patience || now() < restsUntil || (isKnown && !mayRest)) return;
    isKnown = true;
    const usual = Math.min(FIRST_REST_MILLISECONDS * 2 ** rests, LONGEST_REST_MILLISECONDS);
    const requestedRest = Number(error.details.retryAfterMilliseconds ?? 0);
    const restMilliseconds = Math.max(
      usual,
      Math.min(requestedRest, LONGEST_ASKED_REST_MILLISECONDS),
    );
    observe({ node, failure: error, restMilliseconds: mayRest ? restMilliseconds : null });
    if (!mayRest) return;
    failure = error;
    rests += 1;
    restsUntil = now() + restMilliseconds;
  };

  return {
    get failing() {
      return failures > 0;
    },
    get resting() {
      return now() < restsUntil && mayOthersAnswer();
    },
    get failure() {
      return now() < restsUntil || openRequests.size > 0 ? failure : null;
    },
    get timedOut() {
      return timedOut && now() < lastUntil;
    },
    rank() {
      if (failures === 0) return isLate() ? "last" : "first";
      // A request that tries the node again is open.
      const tried = openRequests.size > 0;
      const rests = now() < restsUntil || (tried && failure !== null);
      if (rests && mayOthersAnswer()) return "resting";
      return rests || tried || now() < lastUntil ? "last" : "first";
    },
    async run(ask) {
      const request = { since: now() };
      openRequests.add(request);
      try {
        const answer = await ask();
        succeed();
        return answer;
      } catch (error) {
        const patience = isFailureOfNode(error) ? patienceWith(error) : null;
        if (patience !== null) fail(error as SvcError, patience, request.since);
        // A node that answers with an error can be reached. The next one is asked for this request
        // alone.
        else if (isFailureOfNode(error)) succeed();
        throw error;
      } finally {
        openRequests.delete(request);
      }
    },
    overdue: (signal) => clock.sleep(overdueMilliseconds, signal),
  };
}

/**
 * The number of failures in a row after which a node rests; null if they do not concern other
 * requests.
 */
export function patienceWith({ code, details }: SvcError): number | null {
  if (code === "NETWORK_TIMEOUT") return 2;
  if (code === "NETWORK_UNREACHABLE" || code === "NETWORK_RATE_LIMITED") return 1;
  const { status, refused } = details;
  if (code !== "NETWORK_BAD_STATUS" || typeof status !== "number" || refused === true) return null;
  return status >= 500 || STATUSES_OF_NODE.has(status) ? 1 : null;
}
