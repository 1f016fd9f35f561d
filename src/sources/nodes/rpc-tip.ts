// The latest ledger of a Stellar RPC node, in small answers. getLatestLedger now returns the
// complete ledger, which has megabytes. In every version, getTransaction returns the latest ledger
// and its close time, even for an unknown hash.

import * as v from "valibot";
import { awaitInOrder } from "../../base/in-parallel.ts";
import { uint32 } from "../../base/wire.ts";
import { isLaterProtocol, protocolUnknown } from "../../model/protocols.ts";
import type { FetchContext, LedgerTip } from "../source.ts";
import { callJsonRpc, type JsonRpcDependencies } from "./json-rpc.ts";
import type { NetworkOfNode } from "./of-network.ts";

const MAXIMUM_BYTES = 1024 * 1024;
/** The attempts at the question that shows whether a node can be reached. */
const GREETING_ATTEMPTS = 2;
const NO_TRANSACTION = "0".repeat(64);

const statusSchema = v.object({
  latestLedger: uint32,
  latestLedgerCloseTime: v.pipe(
    v.union([v.number(), v.string()]),
    v.transform(String),
    v.regex(/^\d{1,18}$/),
  ),
});
const networkSchema = v.object({
  protocolVersion: uint32,
  impersonated: v.exactOptional(v.union([v.literal("all"), v.array(v.string())])),
});

const networkOfNodeSchema = v.object({
  passphrase: v.string(),
  protocolVersion: v.fallback(v.nullable(uint32), null),
});

/**
 * Fetches the latest ledger. Only a fork can accept a transaction without its signatures. Throws
 * the node's refusal, NETWORK_*, and PROTOCOL_UNKNOWN.
 */
export async function fetchTip(
  node: JsonRpcDependencies,
  context: FetchContext,
  isFork: boolean,
): Promise<LedgerTip> {
  const parameters = { hash: NO_TRANSACTION };
  const [network, status] = await awaitInOrder([
    ask(node, "getNetwork", {}, networkSchema, context),
    ask(node, "getTransaction", parameters, statusSchema, context),
  ]);
  const { protocolVersion, impersonated } = network;
  if (isLaterProtocol(protocolVersion))
    throw protocolUnknown({ protocolVersion, ledger: status.latestLedger });
  return {
    sequence: status.latestLedger,
    closeTimeUnixSeconds: status.latestLedgerCloseTime,
    protocolVersion,
    ...(isFork && impersonated !== undefined && { impersonated }),
  };
}

/** Fetches the network. Throws the node's refusal, and NETWORK_*. */
export function fetchNetwork(
  node: JsonRpcDependencies,
  context: FetchContext,
): Promise<NetworkOfNode> {
  return ask(node, "getNetwork", {}, networkOfNodeSchema, context, GREETING_ATTEMPTS);
}

function ask<T>(
  node: JsonRpcDependencies,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  schema: v.GenericSchema<unknown, T>,
  context: FetchContext,
  mostAttempts?: number,
): Promise<T> {
  const limits = { maximumBytes: MAXIMUM_BYTES, ...(mostAttempts && { mostAttempts }) };
  const call = { method, parameters, schema, ...limits };
  return callJsonRpc(node, call, context);
}
