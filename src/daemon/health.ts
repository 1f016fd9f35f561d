// The answer of /health: this process is alive, and the last known state of its simulator and its
// nodes. It makes no requests, so that a node's trouble does not look like the daemon's.

import { BUILD_INFO } from "../base/build-info.ts";
import type { Clock } from "../base/clock.ts";
import type { HttpAttempt } from "../base/http/http.ts";

export interface NodeState {
  /** Scheme, host and port. */
  readonly address: string;
  /** The result of the last attempt. */
  readonly state: "answers" | "fails";
  /** HTTP status, or `timeout` or `unreachable`. */
  readonly lastStatus: string;
  readonly lastAttemptUnixSeconds: number;
  /** Null when the node never answered. */
  readonly lastSuccessUnixSeconds: number | null;
}

export interface SimulatorState {
  readonly version: string;
  readonly protocols: readonly number[];
  readonly workers: number;
  readonly queued: number;
  readonly inFlight: number;
}

export interface Health {
  readonly status: "alive" | "stopping";
  readonly version: string;
  readonly commit: string;
  readonly network: string;
  readonly networkPassphrase: string;
  readonly uptimeSeconds: number;
  readonly simulator: SimulatorState;
  /** The nodes that had requests since the daemon started. */
  readonly nodes: readonly NodeState[];
}

export interface HealthOptions {
  readonly network: string;
  readonly networkPassphrase: string;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}

export interface HealthBook {
  readonly attempted: (attempt: HttpAttempt) => void;
  readonly read: (simulator: SimulatorState) => Health;
}

export function openHealth(options: HealthOptions): HealthBook {
  const { clock, network, networkPassphrase, stopping } = options;
  const begin = clock.monotonicMilliseconds();
  // Bounded by the nodes in the settings: there are no attempts at other nodes.
  const nodes = new Map<string, NodeState>();
  return {
    attempted({ node, status, succeeded }) {
      if (status === "aborted") return;
      const now = Math.floor(clock.unixMilliseconds() / 1000);
      nodes.set(node, {
        address: node,
        state: succeeded ? "answers" : "fails",
        lastStatus: status,
        lastAttemptUnixSeconds: now,
        lastSuccessUnixSeconds: succeeded ? now : (nodes.get(node)?.lastSuccessUnixSeconds ?? null),
      });
    },
    read: (simulator) => ({
      status: stopping.aborted ? "stopping" : "alive",
      version: BUILD_INFO.version,
      commit: BUILD_INFO.commit,
      network,
      networkPassphrase,
      uptimeSeconds: Math.floor((clock.monotonicMilliseconds() - begin) / 1000),
      simulator,
      nodes: [...nodes.values()],
    }),
  };
}
