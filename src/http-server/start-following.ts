// Starts the following of a network beside the daemon. The daemon gives it its log, its metrics and
// its nodes, and knows nothing else about it.

import type { Registry } from "prom-client";
import type { SimulatorSurroundings } from "../debugger/setup/find-simulator.ts";
import type { SharedHttp } from "../debugger/setup/open-nodes.ts";
import type { Following } from "../model/follow.ts";
import type { Config } from "../sources/network-settings.ts";
import type { Standings } from "../sources/standing.ts";
import type { Metrics } from "./metrics.ts";
import type { EventLog } from "./request-log.ts";

export interface BesideFollowing extends Required<Pick<SharedHttp, "observe" | "answers">> {
  readonly config: Config;
  readonly surroundings: SimulatorSurroundings;
  readonly log: EventLog["write"];
  readonly registry: Registry;
  readonly standings: Standings;
  /** Called once for each run of svc-sim. */
  readonly simulated: Metrics["simulated"];
  /** Called for each lost process of svc-sim outside a pool. */
  readonly lost: (() => void) | undefined;
  /** Aborted when the server shuts down. */
  readonly stop: AbortSignal;
}

export type StartFollowing = (beside: BesideFollowing) => Promise<Following>;
