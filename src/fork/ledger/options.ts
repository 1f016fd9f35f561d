// Operations that change the account itself, and those that decide whose reserves it pays:
// SetOptions, ManageData, BumpSequence and the sponsorships (stellar-core: SetOptionsOpFrame,
// ManageDataOpFrame, BumpSequenceOpFrame, BeginSponsoringFutureReservesOpFrame,
// EndSponsoringFutureReservesOpFrame; the rules of protocol 20 on).

import { accountKeyOf, ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { encode, encodeBytes, type Value } from "../../xdr/reader/value.ts";
import {
  type Account,
  accountIdOf,
  addressOf,
  insertSigner,
  loadAccount,
  peekAccount,
  removeSigner,
  removeSubEntry,
  setAccount,
  setData,
  withSequenceUsed,
  withSubEntry,
} from "./accounts.ts";
import type { BodyOf, OperationContext, OperationRules } from "./operation.ts";

type Options = Value<"SetOptionsOp">;
type OptionSigner = Value<"Signer">;

const ACCOUNT_FLAGS = { all: 15, revocable: 2, immutable: 4, clawback: 8 } as const;
const MOST_SIGNERS = 20;
const MOST_WEIGHT = 255;

export const SET_OPTIONS: OperationRules<BodyOf<5>> = {
  keys: ({ setOptionsOp: { inflationDest } }) =>
    inflationDest === null ? [] : [accountKeyOf(addressOf(inflationDest))],
  flaw: ({ setOptionsOp }, source) => flawOf(setOptionsOp, source),
  freezable: () => [],
  apply(context, { setOptionsOp: options }) {
    const { layer, source } = context;
    const before = loadAccount(layer, source);
    if (before === null) return "opNoAccount";
    const { inflationDest } = options;
    const isForOther = inflationDest !== null && addressOf(inflationDest) !== source;
    if (isForOther && peekAccount(layer, addressOf(inflationDest)) === null)
      return "setOptionsInvalidInflation";
    const flags = flagsAfter(before, options);
    if (typeof flags === "string") return flags;
    const changed: Account = {
      ...before,
      inflationDest: inflationDest ?? before.inflationDest,
      flags,
      homeDomain: options.homeDomain ?? before.homeDomain,
      thresholds: thresholdsAfter(before, options),
    };
    const { signer } = options;
    const after = signer === null ? changed : withSigner(context, changed, signer);
    if (typeof after === "string") return after;
    setAccount(layer, after);
    return "setOptionsSuccess";
  },
};

function flawOf(options: Options, source: string): string | null {
  const { setFlags, clearFlags, signer, homeDomain } = options;
  if ([setFlags, clearFlags].some((flags) => ((flags ?? 0) & ~ACCOUNT_FLAGS.all) !== 0))
    return "setOptionsUnknownFlag";
  if (((setFlags ?? 0) & (clearFlags ?? 0)) !== 0) return "setOptionsBadFlags";
  if (thresholdsOf(options).some((each) => each !== null && each > MOST_WEIGHT))
    return "setOptionsThresholdOutOfRange";
  if (signer !== null && isBadSigner(signer, source)) return "setOptionsBadSigner";
  if (homeDomain !== null && !isPlainText(homeDomain)) return "setOptionsInvalidHomeDomain";
  return null;
}

function isBadSigner({ key, weight }: OptionSigner, source: string): boolean {
  const isItself = key.type === 0 && addressOf({ type: 0, ed25519: key.ed25519 }) === source;
  const isEmpty = key.type === 3 && key.ed25519SignedPayload.payload.length === 0;
  return isItself || isEmpty || weight > MOST_WEIGHT;
}

function flagsAfter({ flags }: Account, { setFlags, clearFlags }: Options): number | string {
  const isImmutable = (each: number) => (each & ACCOUNT_FLAGS.immutable) !== 0;
  if ((clearFlags ?? 0) !== 0 && isImmutable(flags)) return "setOptionsCantChange";
  const cleared = flags & ~(clearFlags ?? 0);
  if ((setFlags ?? 0) !== 0 && isImmutable(cleared)) return "setOptionsCantChange";
  const after = cleared | (setFlags ?? 0);
  const isClawedBack = (after & ACCOUNT_FLAGS.clawback) !== 0;
  const isChanged = setFlags !== null || clearFlags !== null;
  if (isChanged && isClawedBack && (after & ACCOUNT_FLAGS.revocable) === 0)
    return "setOptionsAuthRevocableRequired";
  return after;
}

/** Master weight, low, medium, high. Null leaves a threshold as it is. */
function thresholdsOf({ masterWeight, lowThreshold, medThreshold, highThreshold }: Options) {
  return [masterWeight, lowThreshold, medThreshold, highThreshold];
}

function thresholdsAfter({ thresholds }: Account, options: Options): Uint8Array {
  return Uint8Array.from(thresholdsOf(options), (each, i) => each ?? thresholds[i] ?? 0);
}

function withSigner(
  context: OperationContext,
  account: Account,
  signer: OptionSigner,
): Account | string {
  const order = account.signers.map(({ key }) => compareSigners(key, signer.key));
  const known = order.indexOf(0);
  if (signer.weight === 0)
    return known === -1 ? account : removeSigner(context.layer, account, known);
  if (known !== -1) return { ...account, signers: account.signers.with(known, signer) };
  if (account.signers.length >= MOST_SIGNERS) return "setOptionsTooManySigners";
  const grown = withSubEntry(account, context);
  if (grown === "lowReserve") return "setOptionsLowReserve";
  if (grown === "tooMany") return "opTooManySubentries";
  const place = order.findIndex((each) => each > 0);
  return insertSigner(grown, place === -1 ? order.length : place, signer);
}

/** Compares signers in the order in which an account has them. */
function compareSigners(left: OptionSigner["key"], right: OptionSigner["key"]): number {
  const bytes = (key: OptionSigner["key"]) =>
    key.type === 3
      ? Buffer.concat([
          Buffer.from([0, 0, 0, 3]),
          key.ed25519SignedPayload.ed25519,
          key.ed25519SignedPayload.payload,
        ])
      : encodeBytes("SignerKey", key);
  return Buffer.compare(bytes(left), bytes(right));
}

export const MANAGE_DATA: OperationRules<BodyOf<10>> = {
  keys: ({ manageDataOp: { dataName } }, source) => [dataKey(source, dataName)],
  flaw: ({ manageDataOp: { dataName } }) =>
    dataName.length === 0 || !isPlainText(dataName) ? "manageDataInvalidName" : null,
  freezable: () => [],
  apply(context, { manageDataOp: { dataName, dataValue } }) {
    const { layer, source } = context;
    const keyXdr = dataKey(source, dataName);
    const entry = layer.load(keyXdr);
    if (dataValue === null) {
      if (entry === null) return "manageDataNameNotFound";
      removeSubEntry(layer, keyXdr, source);
      return "manageDataSuccess";
    }
    let sponsor: string | null = null;
    if (entry === null) {
      const account = loadAccount(layer, source);
      if (account === null) return "opNoAccount";
      const grown = withSubEntry(account, context);
      if (grown === "lowReserve") return "manageDataLowReserve";
      if (grown === "tooMany") return "opTooManySubentries";
      setAccount(layer, grown.account);
      sponsor = grown.sponsor;
    }
    const data = { accountId: accountIdOf(source), dataName, dataValue, ext: { v: 0 } } as const;
    setData(layer, keyXdr, { type: ENTRY_TYPE.data, data }, sponsor);
    return "manageDataSuccess";
  },
};

function dataKey(source: string, dataName: Uint8Array): string {
  const data = { accountId: accountIdOf(source), dataName };
  return encode("LedgerKey", { type: ENTRY_TYPE.data, data });
}

/** stellar-core: isStringValid. */
function isPlainText(text: Uint8Array): boolean {
  return text.every((byte) => byte >= 0x20 && byte < 0x7f);
}

export const BUMP_SEQUENCE: OperationRules<BodyOf<11>> = {
  keys: () => [],
  flaw: ({ bumpSequenceOp: { bumpTo } }) => (bumpTo < 0n ? "bumpSequenceBadSeq" : null),
  apply({ layer, terms, source }, { bumpSequenceOp: { bumpTo } }) {
    const account = loadAccount(layer, source);
    if (account === null) return "opNoAccount";
    const used = withSequenceUsed(account, terms);
    setAccount(layer, bumpTo > used.seqNum ? { ...used, seqNum: bumpTo } : used);
    return "bumpSequenceSuccess";
  },
};

export const BEGIN_SPONSORING: OperationRules<BodyOf<16>> = {
  keys: ({ beginSponsoringFutureReservesOp: { sponsoredId } }) => [
    accountKeyOf(addressOf(sponsoredId)),
  ],
  freezable: () => [],
  flaw: ({ beginSponsoringFutureReservesOp: { sponsoredId } }, source) =>
    addressOf(sponsoredId) === source ? "beginSponsoringFutureReservesMalformed" : null,
  apply({ source, sponsors }, { beginSponsoringFutureReservesOp }) {
    const sponsored = addressOf(beginSponsoringFutureReservesOp.sponsoredId);
    if (sponsors.has(sponsored)) return "beginSponsoringFutureReservesAlreadySponsored";
    const isSponsor = [...sponsors.values()].includes(sponsored);
    if (sponsors.has(source) || isSponsor) return "beginSponsoringFutureReservesRecursive";
    sponsors.set(sponsored, source);
    return "beginSponsoringFutureReservesSuccess";
  },
};

export const END_SPONSORING: OperationRules<BodyOf<17>> = {
  keys: () => [],
  flaw: () => null,
  apply: ({ source, sponsors }) =>
    sponsors.delete(source)
      ? "endSponsoringFutureReservesSuccess"
      : "endSponsoringFutureReservesNotSponsored",
};
