// sendTransaction of Stellar RPC, the only call with an effect. A transaction may reach the network
// although its node's answer does not reach svc. A second node could then refuse it as a duplicate
// or because of its sequence number, which would look like a failure. Invariant: after a node may
// have accepted the transaction, no node receives it again. The next node receives it only if svc
// could not connect to the node before, or if that node accepts no such requests.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { inOrder } from "../ask-in-turn.ts";
import { type FetchContext, isFailureOfNode } from "../source.ts";
import { callJsonRpc, isRefusal, METHOD_NOT_FOUND } from "./json-rpc.ts";
import { noNode, type PassOnDependencies, refusedCall } from "./pass-on.ts";

const MAXIMUM_BYTES = 1024 * 1024;
const resultSchema = v.looseObject({ status: v.string(), hash: v.string() });
/**
 * Codes of a connection that was not made: the host is unknown, no server listens, or the
 * certificate is not trusted.
 */
const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket)$/;
const NO_TRUST = /TLS|SSL|CERT|SIGNATURE|ALTNAME/;

/**
 * Returns the result of the first node that accepts the transaction. Throws REQUEST_INVALID if the
 * node refuses the call itself; otherwise the failure, which says whether the transaction may have
 * been sent.
 */
export async function sendTransaction(
  { http, standings, rpcUrls }: PassOnDependencies,
  parameters: unknown,
  context: FetchContext,
): Promise<unknown> {
  const call = {
    method: "sendTransaction",
    parameters,
    schema: resultSchema,
    maximumBytes: MAXIMUM_BYTES,
    mostAttempts: 1,
  };
  let failure: SvcError | null = null;
  for (const { url, standing } of inOrder(
    rpcUrls.map((each) => ({ url: each, standing: standings("rpc", each) })),
  )) {
    try {
      return await standing.run(() => callJsonRpc({ http, url }, call, context));
    } catch (error) {
      if (!isFailureOfNode(error)) throw error;
      if (isRefusal(error) && error.details.code !== METHOD_NOT_FOUND) throw refusedCall(error);
      if (!wasNotSent(error)) throw mayBeSent(error);
      failure ??= error;
    }
  }
  if (failure === null) throw noNode("sendTransaction");
  throw isRefusal(failure) ? refusedCall(failure) : failure;
}

function wasNotSent({ code, cause, details }: SvcError): boolean {
  const isNoNode = details.refused === true && details.code === undefined;
  if (isNoNode || details.code === METHOD_NOT_FOUND) return true;
  if (code === "NETWORK_RATE_LIMITED") return true;
  const why = String((cause as { readonly code?: unknown } | undefined)?.code);
  return NO_CONNECTION.test(why) || NO_TRUST.test(why);
}

function mayBeSent(error: SvcError): SvcError {
  return new SvcError(error.code, {
    message: `${error.message} The transaction may have been sent.`,
    remedy: error.remedy,
    httpRemedy:
      "Ask for the transaction's hash with getTransaction until its time bounds have passed, before " +
      "you send another one.",
    details: error.details,
    cause: error,
  });
}
