// The answer of /health: this process is alive, and the last known state of its simulator and its
// nodes. It makes no requests, so that a failing node does not make the server look broken.

import * as v from "valibot";
import { BUILD_INFO } from "../base/build-info.ts";
import type { Clock } from "../base/clock.ts";
import type { HttpAttempt } from "../base/http/http.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const nodeSchema = v.strictObject({
  /** The same value as `node_address` in the metrics. */
  address: v.string(),
  /** The result of the last attempt. */
  state: v.picklist(["answers", "fails"]),
  /** The HTTP status, or `timeout` or `unreachable`. */
  lastStatus: v.string(),
  lastAttemptUnixSeconds: count,
  /** Null if the node never answered. */
  lastSuccessUnixSeconds: v.nullable(count),
});
const simulatorSchema = v.strictObject({
  version: v.string(),
  protocols: v.array(count),
  workers: count,
  queued: count,
  inFlight: count,
  lost: count,
});
export const healthSchema = v.strictObject({
  status: v.picklist(["alive", "stopping"]),
  version: v.string(),
  commit: v.string(),
  network: v.picklist(["testnet", "mainnet", "futurenet", "custom"]),
  networkPassphrase: v.string(),
  uptimeSeconds: count,
  simulator: simulatorSchema,
  /** The nodes that received requests since the server started. */
  nodes: v.array(nodeSchema),
});
/** The answer of /ready. */
export const readySchema = v.strictObject({
  ready: v.literal(true),
  missing: v.optional(v.array(v.string())),
});

export type Health = v.InferOutput<typeof healthSchema>;

export interface HealthOptions {
  readonly network: Health["network"];
  readonly networkPassphrase: string;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}

export function openHealth(options: HealthOptions) {
  const { clock, network, networkPassphrase, stopping } = options;
  const begin = clock.monotonicMilliseconds();
  // The nodes in the settings bound its size, because svc asks no others.
  const nodes = new Map<string, Health["nodes"][number]>();
  return {
    attempted({ node, status, succeeded }: HttpAttempt) {
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
    read: (simulator: Health["simulator"]): Health => ({
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
