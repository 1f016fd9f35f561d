// Reads the status of a node for `svc doctor`: its software, its network, and its range of ledgers.

import * as v from "valibot";
import { parseAnswer } from "../../base/http/http-body.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { awaitInOrder } from "../../base/in-parallel.ts";
import { beginningOf } from "../../base/own-text.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import { isLaterProtocol, protocolUnknown } from "../../model/protocols.ts";
import type { FetchContext } from "../source.ts";
import { badNodeAnswer } from "./bad-answer.ts";
import { fetchHorizonNetwork, type HorizonDependencies, openHorizon } from "./horizon.ts";
import { callJsonRpc, type JsonRpcDependencies, unlessRefused } from "./json-rpc.ts";
import { openRpc } from "./rpc.ts";
import { fetchNetwork as fetchRpcNetwork } from "./rpc-tip.ts";

export interface NodeStatus {
  /** The name and version; null if the node does not report them. */
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

/** Fetches the status of a Horizon node. Throws NETWORK_*. */
export async function fetchHorizonStatus(
  { http, url }: HorizonDependencies,
  context: FetchContext,
): Promise<NodeStatus> {
  const root = await http.ask(
    { url, method: "GET", maximumBytes: MAXIMUM_BYTES },
    (answer) => {
      const parsed = v.safeParse(rootSchema, parseAnswer(answer));
      if (parsed.success) return parsed.output;
      throw badNodeAnswer(answer.node, "Horizon", "its root document", parsed.issues);
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

/**
 * Fetches the status of an RPC node. Only the network is required; the rest is null if the node
 * refuses it. Throws NETWORK_*.
 */
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

/**
 * The protocol of the node's network, from the header of its latest ledger; null if the node does
 * not report it. Throws NETWORK_*, and PROTOCOL_UNKNOWN if svc cannot read that header.
 */
export async function readHorizonProtocol(
  { http, url }: HorizonDependencies,
  { latestLedger }: NodeStatus,
  context: FetchContext,
): Promise<number | null> {
  const { protocolVersion } = await fetchHorizonNetwork({ http, url }, context);
  const name = `horizon ${nodeAddress(url)}`;
  const read = async () =>
    latestLedger === null
      ? null
      : ((await openHorizon({ http, url }).fetchLedgerFacts?.(latestLedger, context)) ?? null);
  return protocolOf(name, protocolVersion, await read());
}

export async function readRpcProtocol(
  node: JsonRpcDependencies,
  context: FetchContext,
): Promise<number | null> {
  const source = openRpc(node);
  const { protocolVersion } = await fetchRpcNetwork(node, context);
  return protocolOf(
    source.name,
    protocolVersion,
    (await source.fetchLatestFacts?.(context)) ?? null,
  );
}

/** The protocol in the header, which svc has read, before the one that the node only claims. */
function protocolOf(
  node: string,
  said: number | null,
  facts: Pick<LedgerFacts, "protocolVersion"> | null,
): number | null {
  if (said !== null && isLaterProtocol(said))
    throw protocolUnknown({ protocolVersion: said, ledger: null, node });
  return facts?.protocolVersion ?? said;
}

function software(name: string, version: string | null | undefined): string | null {
  return version ? `${name} ${neutralise(beginningOf(version, 60))}` : null;
}
