// Methods of Stellar RPC that svc does not answer itself: svc asks the nodes in turn, and passes
// the first answer on. It checks only the form of the answer and its network. send-transaction.ts
// has the one method with an effect.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { askInTurn } from "../ask-in-turn.ts";
import type { FetchContext } from "../source.ts";
import type { Standings } from "../standing.ts";
import { INVALID_PARAMETERS, isRefusal, METHOD_NOT_FOUND, passJsonRpc } from "./json-rpc.ts";

export interface PassOnDependencies {
  readonly http: Http;
  readonly standings: Standings;
  /** In the order of requests. */
  readonly rpcUrls: readonly string[];
  readonly networkPassphrase: string;
}

export interface PassedOnCall {
  readonly method: PassedOn;
  /** The parameters, which svc does not check: only the node knows them. */
  readonly parameters: unknown;
}

/** With the ledger's metadata, an answer can have megabytes. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

const SCHEMAS = {
  getEvents: v.looseObject({ events: v.nullish(v.array(v.unknown())) }),
  getFeeStats: v.looseObject({ sorobanInclusionFee: v.unknown() }),
  getHealth: v.looseObject({ status: v.string() }),
  getLatestLedger: v.looseObject({ sequence: v.number() }),
  getLedgerEntries: v.looseObject({ entries: v.nullish(v.array(v.unknown())) }),
  getLedgers: v.looseObject({ ledgers: v.nullish(v.array(v.unknown())) }),
  getNetwork: v.looseObject({ passphrase: v.string() }),
  getTransaction: v.looseObject({ status: v.string() }),
  getTransactions: v.looseObject({ transactions: v.nullish(v.array(v.unknown())) }),
  getVersionInfo: v.looseObject({ version: v.string() }),
  simulateTransaction: v.looseObject({ latestLedger: v.number() }),
} as const;

export type PassedOn = keyof typeof SCHEMAS;

/** The methods. svc answers simulateTransaction itself if it can. */
export const PASSED_ON = Object.keys(SCHEMAS) as readonly PassedOn[];

/**
 * Returns the result as the node wrote it. Throws REQUEST_INVALID if a node refuses the call
 * itself, or if its answer is too large; otherwise the failure of the first node if none answers;
 * NODE_LIED, CONFIG_INVALID.
 */
export async function passOn(
  { http, standings, rpcUrls, networkPassphrase }: PassOnDependencies,
  { method, parameters }: PassedOnCall,
  context: FetchContext,
): Promise<Uint8Array> {
  const nodes = rpcUrls.map((url) => ({ url, standing: standings("rpc", url) }));
  const { answer, failures } = await askInTurn(nodes, context, ({ url, standing }, asking) =>
    standing.run(() => {
      const schema = v.pipe(SCHEMAS[method], v.transform(ofNetwork(url, networkPassphrase)));
      const call = { method, parameters, schema, maximumBytes: MAXIMUM_BYTES, anySize: true };
      return passJsonRpc({ http, url }, call, asking).catch((error) => {
        throw isTooLarge(error) ? tooMuch(method, error) : error;
      });
    }),
  );
  if (answer !== null) return answer;
  throw failureOf(method, failures);
}

function isTooLarge(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === "NETWORK_ANSWER_TOO_LARGE";
}

function tooMuch(method: string, cause: SvcError): SvcError {
  return new SvcError("REQUEST_INVALID", {
    message: `The answer of ${method} has more than ${MAXIMUM_BYTES} bytes.`,
    remedy: "Ask for less at once: set pagination.limit, or a smaller one.",
    cause,
    details: { rpcCode: INVALID_PARAMETERS },
  });
}

/** A node that refuses the call itself knows more about it than one that cannot be reached. */
function failureOf(method: string, failures: readonly SvcError[]): SvcError {
  const refusal = failures.find(isRefusal);
  return refusal === undefined ? (failures[0] ?? noNode(method)) : refusedCall(refusal);
}

/** The error of a refused call, with the node's own code and words, which clients know. */
export function refusedCall({ details, message: cause }: SvcError): SvcError {
  const { code, node, method, said } = details;
  return new SvcError("REQUEST_INVALID", {
    message: said === "" || code === METHOD_NOT_FOUND ? cause : String(said),
    remedy: `Correct the call. ${node} refused ${method} with this message.`,
    details: { rpcCode: code },
  });
}

export function noNode(method: string): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `No Stellar RPC node is configured for ${method}.`,
    remedy: phrase`Start the daemon with ${flag("rpcUrl")}.`,
  });
}

function ofNetwork(url: string, networkPassphrase: string) {
  return (result: Record<string, unknown>) => {
    const { passphrase = networkPassphrase } = result;
    if (passphrase === networkPassphrase) return result;
    throw new SvcError("NODE_LIED", {
      message: `${nodeAddress(url)} does not serve the network "${networkPassphrase}".`,
      remedy: phrase`Set ${flag("rpcUrl")} to a node of this network, or ${flag("network")} to the network of the node.`,
    });
  };
}
