// Methods of Stellar RPC that svc does not answer itself: the nodes are asked in turn, and the
// first answer is passed on. Only its form and its network are checked.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { askInTurn } from "../ask-in-turn.ts";
import type { FetchContext } from "../source.ts";
import type { Standings } from "../standing.ts";
import { callJsonRpc } from "./json-rpc.ts";

export interface PassOnDependencies {
  readonly http: Http;
  readonly standings: Standings;
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
  { http, standings, rpcUrls, networkPassphrase }: PassOnDependencies,
  method: PassedOn,
  context: FetchContext,
): Promise<unknown> {
  const nodes = rpcUrls.map((url) => ({ url, standing: standings(url) }));
  const { answer, failures } = await askInTurn(nodes, context, ({ url, standing }, asking) =>
    standing.run(async () => {
      const call = { method, schema: SCHEMAS[method], maximumBytes: MAXIMUM_BYTES };
      const given = await callJsonRpc<Record<string, unknown>>({ http, url }, call, asking);
      if (given.kind === "refused") throw given.error;
      const { passphrase = networkPassphrase } = given.result;
      if (passphrase === networkPassphrase) return given.result;
      throw lied(url, networkPassphrase);
    }),
  );
  if (answer !== null) return answer;
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
