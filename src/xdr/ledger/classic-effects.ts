// The effects of a successful classic transaction on accounts and trustlines, as far as its
// envelope and its result show them (stellar-core, the OpFrames). Payments and new accounts are
// counted. For everything else only the entries that may have changed are known. The result names
// the sellers.

import { compareBytes, concatBytes } from "../../base/bytes.ts";
import { decodeAccountKey } from "../../base/text/strkey.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { innerEnvelope } from "../envelope/envelope-terms.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { decode, encode, encodeBytes, type Value } from "../reader/value.ts";
import { uint32s } from "../reader/words.ts";

export type ClassicEffect =
  /** `keyXdr` is the key of the account or the trustline whose balance changes. */
  | { readonly kind: "gain"; readonly keyXdr: string; readonly stroops: bigint }
  | { readonly kind: "created"; readonly keyXdr: string; readonly entryXdr: string }
  | { readonly kind: "changed"; readonly keyXdr: string }
  | TrustEffect
  /** Any entry of the account with this key (hex) may have changed. */
  | { readonly kind: "any"; readonly account: string };

/** A trustline that is made or removed, or gets another limit. */
export interface TrustEffect {
  readonly kind: "trust";
  readonly keyXdr: string;
  /** LedgerKeys of the two accounts. */
  readonly holderKeyXdr: string;
  readonly issuerKeyXdr: string;
  readonly limit: bigint;
}

const OPERATION = {
  createAccount: 0,
  payment: 1,
  strictReceive: 2,
  sellOffer: 3,
  passiveOffer: 4,
  setOptions: 5,
  changeTrust: 6,
  allowTrust: 7,
  merge: 8,
  manageData: 10,
  bumpSequence: 11,
  buyOffer: 12,
  strictSend: 13,
  createBalance: 14,
  beginSponsoring: 16,
  endSponsoring: 17,
  revokeSponsorship: 18,
  clawback: 19,
  clawbackBalance: 20,
  setFlags: 21,
} as const;
const POOL_SHARE = 3;
const NATIVE = 0;

/** `resultsXdr` are OperationResults. Without them, effects that only they show remain unknown. */
export function classicEffects(
  { decoded, terms }: Envelope,
  ledger: number,
  resultsXdr: readonly string[],
): ClassicEffect[] {
  const { operations } = innerEnvelope(decoded).tx;
  const isSponsored = operations.some(({ body }) => body.type === OPERATION.beginSponsoring);
  const own = decodeAccountKey(terms.source) ?? new Uint8Array(32);
  return operations.flatMap(({ sourceAccount, body }, index) => {
    const source = sourceAccount === null ? own : keyOf(sourceAccount);
    return (
      pathEffects(body, source, resultsXdr[index]) ?? effectsOf(body, source, ledger, isSponsored)
    );
  });
}

function effectsOf(
  body: Value<"Operation">["body"],
  source: Uint8Array,
  ledger: number,
  isSponsored: boolean,
): ClassicEffect[] {
  switch (body.type) {
    case OPERATION.payment: {
      const { asset, amount, destination } = body.paymentOp;
      const to = keyOf(destination);
      if (compareBytes(to, source) === 0) return [changed(source, asset)];
      return [gain(source, asset, -amount), gain(to, asset, amount)];
    }
    case OPERATION.createAccount: {
      const { destination, startingBalance } = body.createAccountOp;
      const paid = gain(source, { type: NATIVE }, -startingBalance);
      const made = isSponsored
        ? changed(destination.ed25519)
        : created(destination.ed25519, startingBalance, ledger);
      return [paid, made, ...(isSponsored ? [changed(source)] : [])];
    }
    case OPERATION.sellOffer:
      return traded(source, body.manageSellOfferOp);
    case OPERATION.buyOffer:
      return traded(source, body.manageBuyOfferOp);
    case OPERATION.passiveOffer:
      return traded(source, body.createPassiveSellOfferOp);
    case OPERATION.changeTrust: {
      const { line } = body.changeTrustOp;
      if (line.type === POOL_SHARE || line.type === NATIVE) return [any(source)];
      if (isSponsored) return [changed(source), changed(source, line)];
      return [trust(source, line, body.changeTrustOp.limit)];
    }
    case OPERATION.setOptions:
    case OPERATION.manageData:
    case OPERATION.bumpSequence:
    case OPERATION.endSponsoring:
    case OPERATION.clawbackBalance:
      return [changed(source)];
    case OPERATION.merge:
      return [any(source), changed(keyOf(body.destination))];
    case OPERATION.createBalance:
      return [changed(source), changed(source, body.createClaimableBalanceOp.asset)];
    case OPERATION.beginSponsoring:
      return [changed(source), changed(body.beginSponsoringFutureReservesOp.sponsoredId.ed25519)];
    case OPERATION.clawback: {
      const { asset, from, amount } = body.clawbackOp;
      return [gain(keyOf(from), asset, -amount)];
    }
    case OPERATION.allowTrust:
      return [any(body.allowTrustOp.trustor.ed25519), changed(source)];
    case OPERATION.setFlags:
      return [any(body.setTrustLineFlagsOp.trustor.ed25519), changed(source)];
    case OPERATION.revokeSponsorship: {
      const { revokeSponsorshipOp: revoked } = body;
      const owner = revoked.type === 0 ? ownerOf(revoked.ledgerKey) : revoked.signer.accountId;
      return [any(source), ...(owner === null ? [] : [any(owner.ed25519)])];
    }
    default:
      return [any(source)];
  }
}

/** Returns the amounts that a path payment sent and received, or null for another operation. */
function pathEffects(
  body: Value<"Operation">["body"],
  source: Uint8Array,
  resultXdr: string | undefined,
): ClassicEffect[] | null {
  const isReceive = body.type === OPERATION.strictReceive;
  if (!isReceive && body.type !== OPERATION.strictSend) return null;
  const path = isReceive ? body.pathPaymentStrictReceiveOp : body.pathPaymentStrictSendOp;
  const { sendAsset, destAsset } = path;
  const to = keyOf(path.destination);
  const { sent, received } = pathAmounts(body, resultXdr);
  const isOwn = compareBytes(to, source) === 0 && isSameAsset(sendAsset, destAsset);
  return [
    sent === null || isOwn ? changed(source, sendAsset) : gain(source, sendAsset, -sent),
    received === null || isOwn ? changed(to, destAsset) : gain(to, destAsset, received),
  ];
}

interface PathAmounts {
  readonly sent: bigint | null;
  readonly received: bigint | null;
}

function pathAmounts(body: Value<"Operation">["body"], resultXdr: string | undefined): PathAmounts {
  const result = resultXdr === undefined ? null : decode("OperationResult", resultXdr);
  const tr = result?.code === 0 ? result.tr : null;
  if (body.type === OPERATION.strictSend) {
    const sent = body.pathPaymentStrictSendOp.sendAmount;
    const pathResult = tr?.type === OPERATION.strictSend ? tr.pathPaymentStrictSendResult : null;
    return { sent, received: pathResult?.code === 0 ? pathResult.success.last.amount : null };
  }
  if (body.type !== OPERATION.strictReceive) return { sent: null, received: null };
  const { sendAsset, destAsset, destAmount, path } = body.pathPaymentStrictReceiveOp;
  const pathResult =
    tr?.type === OPERATION.strictReceive ? tr.pathPaymentStrictReceiveResult : null;
  const { offers } = pathResult?.code === 0 ? pathResult.success : { offers: null };
  // The amount that the first hop took is known only if no other hop takes the asset that was sent.
  const isAlone = ![...path, destAsset].some((each) => isSameAsset(each, sendAsset));
  if (offers === null || !isAlone) return { sent: null, received: destAmount };
  const bought = offers.map((atom) =>
    atom.type === 0 ? atom.v0 : atom.type === 1 ? atom.orderBook : atom.liquidityPool,
  );
  const sent = bought
    .filter(({ assetBought }) => isSameAsset(assetBought, sendAsset))
    .reduce((sum, { amountBought }) => sum + amountBought, 0n);
  return { sent, received: destAmount };
}

function isSameAsset(left: Value<"Asset">, right: Value<"Asset">): boolean {
  return compareBytes(encodeBytes("Asset", left), encodeBytes("Asset", right)) === 0;
}

function traded(
  source: Uint8Array,
  { selling, buying }: { readonly selling: Value<"Asset">; readonly buying: Value<"Asset"> },
): ClassicEffect[] {
  return [changed(source), changed(source, selling), changed(source, buying)];
}

function gain(account: Uint8Array, asset: Value<"Asset">, stroops: bigint): ClassicEffect {
  return { kind: "gain", keyXdr: keyXdrOf(account, asset), stroops };
}

function changed(account: Uint8Array, asset: Value<"Asset"> = { type: NATIVE }): ClassicEffect {
  return { kind: "changed", keyXdr: keyXdrOf(account, asset) };
}

function any(account: Uint8Array): ClassicEffect {
  return { kind: "any", account: account.toHex() };
}

function trust(
  account: Uint8Array,
  line: Exclude<Value<"Asset">, { readonly type: 0 }>,
  limit: bigint,
): TrustEffect {
  const { issuer } = line.type === 1 ? line.alphaNum4 : line.alphaNum12;
  return {
    kind: "trust",
    keyXdr: keyXdrOf(account, line),
    holderKeyXdr: keyXdrOf(account, { type: NATIVE }),
    issuerKeyXdr: keyXdrOf(issuer.ed25519, { type: NATIVE }),
    limit,
  };
}

/** Makes the account as stellar-core does (CreateAccountOpFrame.cpp; getStartingSequenceNumber). */
function created(account: Uint8Array, balance: bigint, ledger: number): ClassicEffect {
  const made: Value<"AccountEntry"> = {
    accountId: { type: 0, ed25519: account },
    balance,
    seqNum: BigInt(ledger) << 32n,
    numSubEntries: 0,
    inflationDest: null,
    flags: 0,
    homeDomain: new Uint8Array(),
    thresholds: new Uint8Array([1, 0, 0, 0]),
    signers: [],
    ext: { v: 0 },
  };
  const entryXdr = encode("LedgerEntry", {
    lastModifiedLedgerSeq: ledger,
    data: { type: ENTRY_TYPE.account, account: made },
    ext: { v: 0 },
  });
  return { kind: "created", keyXdr: keyXdrOf(account, { type: NATIVE }), entryXdr };
}

/** Returns the key of the account, or of its trustline for another asset. */
function keyXdrOf(account: Uint8Array, asset: Value<"Asset">): string {
  const isNative = asset.type === NATIVE;
  const type = isNative ? ENTRY_TYPE.account : ENTRY_TYPE.trustline;
  const line = isNative ? new Uint8Array() : encodeBytes("Asset", asset);
  return concatBytes([uint32s(type, 0), account, line]).toBase64();
}

function ownerOf(key: Value<"LedgerKey">): Value<"PublicKey"> | null {
  switch (key.type) {
    case ENTRY_TYPE.account:
      return key.account.accountId;
    case ENTRY_TYPE.trustline:
      return key.trustLine.accountId;
    case ENTRY_TYPE.offer:
      return key.offer.sellerId;
    case ENTRY_TYPE.data:
      return key.data.accountId;
    default:
      return null;
  }
}

function keyOf(account: Value<"MuxedAccount">): Uint8Array {
  return account.type === 0 ? account.ed25519 : account.med25519.ed25519;
}
