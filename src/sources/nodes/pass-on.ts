// Methods of Stellar RPC that svc does not answer itself: the nodes are asked in turn, and the
// first answer is passed on. Only its form and its network are checked.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { type FetchContext, isFailureOfNode } from "../source.ts";
import { callJsonRpc } from "./json-rpc.ts";

export interface PassOnDependencies {
  readonly http: Http;
  /** In the order of requests. */
  readonly rpcUrls: readonly string[];
  readonly networkPassphrase: string;
}

/** With the ledger's metadata, an answer can have megabytes. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

const SCHEMAS = {
  getHealth: v.looseObject({ status: v.string() }),
  getNetwork: v.looseObject({ passphrase: v.string() }),
  getLatestLedger: v.looseObject({ sequence: v.number() }),
} as const;

export type PassedOn = keyof typeof SCHEMAS;
export const PASSED_ON = Object.keys(SCHEMAS) as readonly PassedOn[];

/** Throws the failure of the first node when none answers; NODE_LIED, CONFIG_INVALID. */
export async function passOn(
  { http, rpcUrls, networkPassphrase }: PassOnDependencies,
  method: PassedOn,
  context: FetchContext,
): Promise<unknown> {
  const failures: SvcError[] = [];
  for (const url of rpcUrls) {
    try {
      const call = { method, schema: SCHEMAS[method], maximumBytes: MAXIMUM_BYTES };
      const answer = await callJsonRpc<Record<string, unknown>>({ http, url }, call, context);
      if (answer.kind === "refused") throw answer.error;
      const { passphrase = networkPassphrase } = answer.result;
      if (passphrase === networkPassphrase) return answer.result;
      throw lied(url, networkPassphrase);
    } catch (error) {
      if (context.signal.aborted || !isFailureOfNode(error)) throw error;
      failures.push(error);
    }
  }
  if (failures[0] !== undefined) throw failures[0];
  throw new SvcError("CONFIG_INVALID", {
    message: `No Stellar RPC node is configured for ${method}.`,
    remedy: "Start the daemon with `--rpc-url`.",
  });
}

function lied(url: string, networkPassphrase: string): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${nodeAddress(url)} does not serve the network "${networkPassphrase}".`,
    remedy: "Set `--rpc-url` to a node of this network, or `--network` to the network of the node.",
  });
}
