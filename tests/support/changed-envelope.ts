// Envelopes that differ from a given one in one thing, most of which no network takes, and ledger keys
// that no footprint may have.

import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { withFootprint } from "../../src/xdr/envelope/patch-envelope.ts";
import { encode, type Value } from "../../src/xdr/reader/value.ts";

export type Decoded = Value<"TransactionEnvelope">;
export type Tx = Extract<Decoded, { type: 2 }>["v1"]["tx"];
type Data = Value<"SorobanTransactionData">;

export function reopened(envelope: Envelope, decoded: Decoded): Envelope {
  return openEnvelope(encode("TransactionEnvelope", decoded), envelope.networkPassphrase);
}

/** Signatures stay, and no longer hold: what comes before them in stellar-core is answered first. */
export function changed(envelope: Envelope, change: (tx: Tx) => Partial<Tx>): Envelope {
  const { decoded } = envelope;
  const of = (v1: Extract<Decoded, { type: 2 }>["v1"]) => ({
    ...v1,
    tx: { ...v1.tx, ...change(v1.tx) },
  });
  if (decoded.type === 2) return reopened(envelope, { ...decoded, v1: of(decoded.v1) });
  if (decoded.type !== 5) throw new Error("a V0 envelope");
  const { tx, signatures } = decoded.feeBump;
  const innerTx = { ...tx.innerTx, v1: of(tx.innerTx.v1) };
  return reopened(envelope, { ...decoded, feeBump: { tx: { ...tx, innerTx }, signatures } });
}

export function declaring(envelope: Envelope, change: (data: Data) => Partial<Data>): Envelope {
  return changed(envelope, ({ ext }) => {
    if (ext.v !== 1) throw new Error("it declares nothing");
    return { ext: { v: 1, sorobanData: { ...ext.sorobanData, ...change(ext.sorobanData) } } };
  });
}

export const withKeys = (
  envelope: Envelope,
  readOnly: readonly string[],
  readWrite: readonly string[] = [],
  archivedEntryIndexes: readonly number[] = [],
) => withFootprint(envelope, { readOnly, readWrite, archivedEntryIndexes });

export const KEY = new Uint8Array(32).fill(7);
export const ACCOUNT = { type: 0, ed25519: KEY } as const;
const PUBLIC = { type: 0, ed25519: KEY } as const;
export const alphaNum4 = (code: string, issuer = KEY) => ({
  type: 1 as const,
  alphaNum4: {
    assetCode: Buffer.from(code.padEnd(4, "\0")),
    issuer: { ...PUBLIC, ed25519: issuer },
  },
});
const keyOf = (key: Value<"LedgerKey">) => encode("LedgerKey", key);
export const trustline = (asset: Value<"TrustLineAsset">) =>
  keyOf({ type: 1, trustLine: { accountId: PUBLIC, asset } });
export const OFFER = keyOf({ type: 2, offer: { sellerId: PUBLIC, offerId: 1n } });
export const DATA = keyOf({ type: 3, data: { accountId: PUBLIC, dataName: Buffer.from("a") } });
export const SETTING = keyOf({ type: 8, configSetting: { configSettingId: 0 } });
export const TTL = keyOf({ type: 9, ttl: { keyHash: KEY } });
export const CODE = keyOf({ type: 7, contractCode: { hash: KEY } });
const HOLDER = { type: 1, contractId: KEY } as const;
export const dataKey = (durability: 0 | 1, key: Value<"ScVal">) =>
  keyOf({ type: 6, contractData: { contract: HOLDER, durability, key } });
export const TEMPORARY = dataKey(0, { type: 3, u32: 1 });
export const LONG = dataKey(1, { type: 13, bytes: new Uint8Array(300) });
export const multiplexed = (account: Tx["sourceAccount"]): Tx["sourceAccount"] => ({
  type: 256,
  med25519: { id: 1n, ed25519: account.type === 0 ? account.ed25519 : account.med25519.ed25519 },
});
export const preconditions = (extraSigners: Value<"SignerKey">[]): Partial<Tx> => ({
  cond: {
    type: 2,
    v2: {
      ...{ timeBounds: null, ledgerBounds: null, minSeqNum: null },
      ...{ minSeqAge: 0n, minSeqLedgerGap: 0, extraSigners },
    },
  },
});
export const extendingTo = (envelope: Envelope, extendTo: number) =>
  changed(envelope, ({ operations }) => ({
    operations: operations.map((operation) => ({
      ...operation,
      body: { type: 25, extendFootprintTtlOp: { ext: { v: 0 }, extendTo } },
    })),
  }));
export const dataOf = ({ decoded }: Envelope) =>
  decoded.type === 2 && decoded.v1.tx.ext.v === 1 ? decoded.v1.tx.ext : null;
export const HASH_SIGNER = { type: 2, hashX: KEY } as const;
