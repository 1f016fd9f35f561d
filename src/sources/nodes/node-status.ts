// The status of a node for `svc doctor`: its software, its network, the ledgers that it has.

import * as v from "valibot";
import { parseJson } from "../../base/http/http-body.ts";
import { awaitInOrder } from "../../base/in-parallel.ts";
import { beginningOf } from "../../base/own-text.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { FetchContext } from "../source.ts";
import { badAnswer } from "./bad-answer.ts";
import type { HorizonDependencies } from "./horizon.ts";
import { callJsonRpc, type JsonRpcDependencies, unlessRefused } from "./json-rpc.ts";

export interface NodeStatus {
  /** Name and version; null when the node does not report them. */
  readonly software: string | null;
  readonly networkPassphrase: string;
  readonly latestLedger: number | null;
  readonly oldestLedger: number | null;
}

const MAXIMUM_BYTES = 1024 * 1024;
const rootSchema = v.object({
  network_passphrase: v.string(),
  horizon_version: v.nullish(v.string()),
  history_latest_ledger: v.nullish(v.number()),
  history_elder_ledger: v.nullish(v.number()),
});
const networkSchema = v.object({ passphrase: v.string() });
const versionSchema = v.object({ version: v.string() });
const healthSchema = v.object({
  latestLedger: v.nullish(v.number()),
  oldestLedger: v.nullish(v.number()),
});

/** Throws NETWORK_*. */
export async function fetchHorizonStatus(
  { http, url }: HorizonDependencies,
  context: FetchContext,
): Promise<NodeStatus> {
  const root = await http.ask(
    { url, method: "GET", maximumBytes: MAXIMUM_BYTES },
    (answer) => {
      const parsed = v.safeParse(rootSchema, parseJson(answer));
      if (parsed.success) return parsed.output;
      throw badAnswer(answer.node, "Horizon", "its root document", parsed.issues);
    },
    context,
  );
  return {
    software: software("Horizon", root.horizon_version),
    networkPassphrase: root.network_passphrase,
    latestLedger: root.history_latest_ledger ?? null,
    oldestLedger: root.history_elder_ledger ?? null,
  };
}

/** Only the network is required; the rest is null where the node refuses. Throws NETWORK_*. */
export async function fetchRpcStatus(
  dependencies: JsonRpcDependencies,
  context: FetchContext,
): Promise<NodeStatus> {
  const ask = <T>(method: string, schema: v.GenericSchema<unknown, T>) =>
    callJsonRpc(dependencies, { method, schema, maximumBytes: MAXIMUM_BYTES }, context);
  const [network, version, health] = await awaitInOrder([
    ask("getNetwork", networkSchema),
    unlessRefused(ask("getVersionInfo", versionSchema)),
    unlessRefused(ask("getHealth", healthSchema)),
  ]);
  return {
    software: software("Stellar RPC", version?.version),
    networkPassphrase: network.passphrase,
    latestLedger: health?.latestLedger ?? null,
    oldestLedger: health?.oldestLedger ?? null,
  };
}

function software(name: string, version: string | null | undefined): string | null {
  return version ? `${name} ${neutralise(beginningOf(version, 60))}` : null;
}
