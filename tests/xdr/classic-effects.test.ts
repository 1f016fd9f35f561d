// What a path payment moves, as its envelope and its result show it.

import { expect, test } from "bun:test";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { classicEffects } from "../../src/xdr/ledger/classic-effects.ts";
import { decode, encode, type Value } from "../../src/xdr/reader/value.ts";

const key = (fill: number) => new Uint8Array(32).fill(fill);
const [FROM, TO, ISSUER, SELLER] = [1, 2, 3, 4].map(key) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const NATIVE = { type: 0 } as const;

function asset(code: number): Value<"Asset"> {
  const issuer = { type: 0, ed25519: ISSUER } as const;
  return { type: 1, alphaNum4: { assetCode: new Uint8Array(4).fill(code), issuer } };
}

function atom(assetBought: Value<"Asset">, amountBought: bigint): Value<"ClaimAtom"> {
  const seller = { sellerId: { type: 0, ed25519: SELLER } as const, offerId: 1n };
  const sold = { assetSold: asset(9), amountSold: 1n };
  return { type: 1, orderBook: { ...seller, ...sold, assetBought, amountBought } };
}

function effects(body: Value<"Operation">["body"], result: Value<"OperationResult"> | null) {
  const source = { type: 0, ed25519: FROM } as const;
  const xdr = encode("TransactionEnvelope", {
    type: 2,
    v1: {
      tx: {
        ...{ sourceAccount: source, fee: 100, seqNum: 1n, cond: { type: 0 }, memo: { type: 0 } },
        ...{ operations: [{ sourceAccount: null, body }], ext: { v: 0 } },
      },
      signatures: [],
    },
  });
  const results = result === null ? [] : [encode("OperationResult", result)];
  return classicEffects(openEnvelope(xdr, "a network"), 7, results).map((effect) => {
    const { kind } = effect;
    const owned = "keyXdr" in effect ? decode("LedgerKey", effect.keyXdr) : null;
    const account =
      owned?.type === 0 ? owned.account : owned?.type === 1 ? owned.trustLine : { accountId: null };
    const stroops = kind === "gain" ? effect.stroops : null;
    return [kind as string, account.accountId?.ed25519[0], stroops];
  });
}

const destination = { type: 0, ed25519: TO } as const;
const last = { destination: { type: 0, ed25519: TO } as const, asset: asset(5), amount: 40n };

test("of a strict send both amounts, the second from the result", () => {
  const amounts = { sendAsset: NATIVE, sendAmount: 100n, destAsset: asset(5), destMin: 1n };
  const body = {
    type: 13,
    pathPaymentStrictSendOp: { ...amounts, destination, path: [asset(6)] },
  } as const;
  const success = { offers: [atom(NATIVE, 100n)], last };
  const pathPaymentStrictSendResult = { code: 0, success } as const;
  const result = { code: 0, tr: { type: 13, pathPaymentStrictSendResult } } as const;
  const sent = ["gain", 1, -100n];
  expect(effects(body, result)).toEqual([sent, ["gain", 2, 40n]]);
  expect(effects(body, null)).toEqual([sent, ["changed", 2, null]]);
});

test("of a strict receive what offers took of the asset that was sent, if no other hop takes it", () => {
  const received = ["gain", 2, 40n];
  const pay = (path: readonly Value<"Asset">[], offers: readonly Value<"ClaimAtom">[]) => {
    const amounts = { sendAsset: NATIVE, sendMax: 900n, destAsset: asset(5), destAmount: 40n };
    const pathPaymentStrictReceiveOp = { ...amounts, destination, path };
    const pathPaymentStrictReceiveResult = { code: 0, success: { offers, last } } as const;
    const tr = { type: 2, pathPaymentStrictReceiveResult } as const;
    return effects({ type: 2, pathPaymentStrictReceiveOp }, { code: 0, tr });
  };
  const offers = [atom(asset(6), 7n), atom(NATIVE, 60n), atom(NATIVE, 5n)];
  expect(pay([asset(6)], offers)).toEqual([["gain", 1, -65n], received]);
  expect(pay([asset(6), NATIVE], offers)).toEqual([["changed", 1, null], received]);
});
