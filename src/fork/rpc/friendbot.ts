// GET /friendbot?addr=…: sends 10,000 XLM in a transaction of the fork's own, and answers as the
// friendbots of test networks do. An account is created with it; a contract receives it from the
// contract of lumens.

import { SvcError } from "../../base/errors/errors.ts";
import { addressHint, decodeAccountKey, decodeContractId } from "../../base/text/strkey.ts";
import type { Handler } from "../../http-server/routes/handle-request.ts";
import { textOf } from "../../http-server/routes/reply.ts";
import type { Services } from "../../http-server/services.ts";
import { BASE_FEE_STROOPS } from "../../model/networks.ts";
import type { rpcSimulation } from "../../report/rpc-simulation.ts";
import type { Run } from "../../tools/tools.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import {
  withAuthorizations,
  withFee,
  withSorobanTransactionData,
} from "../../xdr/envelope/patch-envelope.ts";
import { addSignature } from "../../xdr/envelope/signatures.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { encode } from "../../xdr/reader/value.ts";
import { nativeContractId } from "../../xdr/values/asset-contract.ts";
import { type ForkAccount, forkAccount, GIVEN_STROOPS } from "../accounts.ts";
import type { Fork } from "../fork.ts";
import type { Body } from "../ledger/operation.ts";

export function friendbotHandler(fork: Fork, { rpcMethods }: Services): Handler {
  // The last transaction. The next one waits for it, because it needs the next sequence number.
  let turn: Promise<unknown> = Promise.resolve();
  return ({ request, run }) => {
    const address = new URL(request.url).searchParams.get("addr") ?? "";
    const answer = turn.then(async () => {
      const { networkPassphrase } = fork.chain;
      const friendbot = forkAccount(networkPassphrase, "friendbot");
      const body = bodyOf(address, friendbot.publicKey, networkPassphrase);
      if (body === null)
        return problem(`addr is not an account, G…, or a contract, C…${addressHint(address)}.`);
      const envelope = await unsigned(fork, friendbot, body, run);
      if ("createAccountOp" in body) return send(fork, envelope, run);
      const result = await simulated(rpcMethods.simulateTransaction, envelope, run);
      if (result === null) return problem("The fork has no contract of lumens.");
      return send(fork, result, run);
    });
    turn = answer.catch(() => {});
    return answer;
  };
}

/** Null for a text that is not an address. */
function bodyOf(address: string, from: Uint8Array, networkPassphrase: string): Body | null {
  const account = decodeAccountKey(address);
  if (account !== null) {
    const destination = { type: 0, ed25519: account } as const;
    return { type: 0, createAccountOp: { destination, startingBalance: GIVEN_STROOPS } };
  }
  const contractId = decodeContractId(address);
  if (contractId === null) return null;
  const accountId = { type: 0, ed25519: from } as const;
  const invokeContract = {
    contractAddress: { type: 1, contractId: nativeContractId(networkPassphrase) },
    functionName: Buffer.from("transfer"),
    args: [
      { type: SCV.address, address: { type: 0, accountId } },
      { type: SCV.address, address: { type: 1, contractId } },
      { type: SCV.i128, i128: { hi: 0n, lo: GIVEN_STROOPS } },
    ],
  } as const;
  return {
    type: 24,
    invokeHostFunctionOp: { hostFunction: { type: 0, invokeContract }, auth: [] },
  };
}

/** The account's next transaction, without signatures. */
export async function unsigned(
  { chain }: Fork,
  { address, publicKey }: Pick<ForkAccount, "address" | "publicKey">,
  body: Body,
  { signal }: Pick<Run, "signal">,
): Promise<Envelope> {
  const keyXdr = accountKeyOf(address);
  const entry = (await chain.read([keyXdr], { signal })).get(keyXdr);
  const sequence = entry ? (readAccount(entry.entryXdr)?.sequence ?? 0n) : 0n;
  const envelope = encode("TransactionEnvelope", {
    type: 2,
    v1: {
      tx: {
        sourceAccount: { type: 0, ed25519: publicKey },
        fee: BASE_FEE_STROOPS,
        seqNum: sequence + 1n,
        cond: { type: 0 },
        memo: { type: 0 },
        operations: [{ sourceAccount: null, body }],
        ext: { v: 0 },
      },
      signatures: [],
    },
  });
  return openEnvelope(envelope, chain.networkPassphrase);
}

/** The envelope with the resources of its simulation; null if it would fail. */
async function simulated(
  simulate: Services["rpcMethods"][string] | undefined,
  envelope: Envelope,
  run: Run,
): Promise<Envelope | null> {
  const text = await simulate?.({ transaction: envelope.xdr }, run);
  const result: ReturnType<typeof rpcSimulation> = JSON.parse(textOf(text ?? "{}"));
  const { transactionData, results, minResourceFee } = result;
  if (!transactionData || !results) return null;
  const declared = withSorobanTransactionData(envelope, transactionData);
  const authorized = withAuthorizations(declared, results[0]?.auth ?? []);
  return withFee(authorized, BigInt(BASE_FEE_STROOPS) + BigInt(minResourceFee ?? 0));
}

async function send(fork: Fork, envelope: Envelope, run: Run): Promise<Response> {
  const friendbot = forkAccount(fork.chain.networkPassphrase, "friendbot");
  const { hash } = envelope;
  const sent = await fork.send(addSignature(envelope, friendbot).envelopeXdr, run);
  if (sent.status === "ERROR")
    return problem(`${sent.refusal.code}: ${sent.refusal.problems.join(" ")}`);
  // A fork that closes ledgers by time, or only on request, has not closed this one yet.
  if (fork.history.find(hash) === null) await fork.close(run, { patienceMilliseconds: 0 });
  const placedTransaction = fork.history.find(hash);
  fork.requireNotDropped(hash);
  if (placedTransaction === null) throw notThere(hash);
  const { ledger, transaction } = placedTransaction;
  if (!transaction.isSuccess) {
    const detail = "account already funded to starting balance: createAccountAlreadyExist";
    return problem(detail, { result_xdr: transaction.resultXdr });
  }
  return Response.json({
    hash,
    successful: true,
    ledger: ledger.sequence,
    created_at: new Date(Number(ledger.closeTimeUnixSeconds) * 1000).toISOString(),
    source_account: friendbot.address,
    envelope_xdr: transaction.envelopeXdr,
    result_xdr: transaction.resultXdr,
    result_meta_xdr: transaction.metaXdr,
    fee_meta_xdr: transaction.feeChangesXdr,
  });
}

/** A problem in the form of Horizon, which clients of friendbot read. */
function problem(detail: string, extras: object = {}): Response {
  const body = { type: "bad_request", title: "Bad Request", status: 400, detail, extras };
  return Response.json(body, { status: 400 });
}

function notThere(hash: string): SvcError {
  return new SvcError("INTERNAL", {
    message: `No ledger of the fork has transaction ${hash}.`,
    remedy: "Send the request again.",
  });
}
