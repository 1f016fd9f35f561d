// Operations that move value: CreateAccount, Payment, AccountMerge (stellar-core:
// CreateAccountOpFrame, PaymentOpFrame with PathPaymentStrictReceive behind it, MergeOpFrame; the
// rules of protocol 20 on).

import { isValidAsset } from "../../explain/validity/declared-rules.ts";
import { accountOf } from "../../xdr/envelope/envelope-terms.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import {
  type Account,
  type Asset,
  addressOf,
  availableBalance,
  freeSponsor,
  issuerOf,
  type LedgerTerms,
  leastBalance,
  loadAccount,
  loadTrustline,
  peekAccount,
  removeSigner,
  setAccount,
  setTrustline,
  sponsoringOf,
  sponsorOf,
  trustlineKey,
  withAdded,
  withAddedToLine,
  withReservesPaid,
} from "./accounts.ts";
import { partyOf } from "./asset-events.ts";
import {
  type BodyOf,
  type OperationContext,
  type OperationRules,
  outcomeNamed,
} from "./operation.ts";
import { int64 } from "./written-xdr.ts";

const NATIVE: Asset = { type: 0 };
const AUTHORIZED = 1;
const IMMUTABLE = 4;
const RESERVES_OF_ACCOUNT = 2;
const MASTER_WEIGHT_ONLY = new Uint8Array([1, 0, 0, 0]);

export const CREATE_ACCOUNT: OperationRules<BodyOf<0>> = {
  keys: ({ createAccountOp: { destination } }) => [accountKeyOf(addressOf(destination))],
  flaw: ({ createAccountOp: { destination, startingBalance } }, source) =>
    startingBalance < 0n || addressOf(destination) === source ? "createAccountMalformed" : null,
  apply(context, { createAccountOp }) {
    const { layer, terms, source, sourceAccount, events, sponsors } = context;
    const { destination, startingBalance } = createAccountOp;
    const address = addressOf(destination);
    if (loadAccount(layer, address) !== null) return "createAccountAlreadyExist";
    const created: Account = {
      accountId: destination,
      balance: startingBalance,
      numSubEntries: 0,
      flags: 0,
      seqNum: startingSequence(terms),
      inflationDest: null,
      homeDomain: new Uint8Array(),
      thresholds: MASTER_WEIGHT_ONLY,
      signers: [],
      ext: { v: 0 },
    };
    const sponsor = sponsors.get(address) ?? null;
    const ownReserve = startingBalance < leastBalance(created, terms) ? null : created;
    const reserved =
      sponsor === null
        ? ownReserve
        : withReservesPaid(created, sponsor, RESERVES_OF_ACCOUNT, context);
    if (reserved === null) return "createAccountLowReserve";
    const paying = spent(layer, source, startingBalance, terms);
    if (paying === null) return "createAccountUnderfunded";
    setAccount(layer, paying);
    setAccount(layer, reserved, sponsor);
    events.transferred(NATIVE, sourceAccount, partyOf(address), startingBalance);
    return "createAccountSuccess";
  },
};

export const PAYMENT: OperationRules<BodyOf<1>> = {
  keys({ paymentOp: { asset, destination } }, source) {
    const address = accountOf(destination);
    const lines =
      asset.type === 0 ? [] : [source, address].map((each) => trustlineKey(each, asset));
    return [accountKeyOf(address), ...lines];
  },
  freezable: (body, source) =>
    PAYMENT.keys(body, source).slice(...(body.paymentOp.asset.type === 0 ? [] : [1])),
  flaw: ({ paymentOp: { amount, asset } }) =>
    amount <= 0n || !isValidAsset(asset) ? "paymentMalformed" : null,
  apply(context, { paymentOp: { asset, destination, amount } }) {
    const { source, sourceAccount, events } = context;
    const address = accountOf(destination);
    const isToItself = asset.type === 0 && address === source;
    const problem = isToItself ? null : pay(context, asset, address, amount);
    if (problem !== null) return problem;
    events.moved(asset, sourceAccount, destination, amount);
    return "paymentSuccess";
  },
};

/** The name of the code if it cannot be paid. */
function pay(
  { layer, terms, source }: OperationContext,
  asset: Asset,
  destination: string,
  amount: bigint,
): string | null {
  const issuer = issuerOf(asset);
  // A payment to the issuer arrives even if the issuer's account no longer exists.
  if (destination !== issuer && peekAccount(layer, destination) === null)
    return "paymentNoDestination";
  if (asset.type === 0) {
    const receiving = loadAccount(layer, destination);
    const richer = receiving && withAdded(receiving, amount, terms);
    if (richer === null) return "paymentLineFull";
    setAccount(layer, richer);
    const paying = spent(layer, source, amount, terms);
    if (paying === null) return "paymentUnderfunded";
    setAccount(layer, paying);
    return null;
  }
  if (destination !== issuer) {
    const line = loadTrustline(layer, destination, asset);
    if (line === null) return "paymentNoTrust";
    if ((line.flags & AUTHORIZED) === 0) return "paymentNotAuthorized";
    const richer = withAddedToLine(line, amount);
    if (richer === null) return "paymentLineFull";
    setTrustline(layer, richer);
  }
  if (source !== issuer) {
    const line = loadTrustline(layer, source, asset);
    if (line === null) return "paymentSrcNoTrust";
    if ((line.flags & AUTHORIZED) === 0) return "paymentSrcNotAuthorized";
    const poorer = withAddedToLine(line, -amount);
    if (poorer === null) return "paymentUnderfunded";
    setTrustline(layer, poorer);
  }
  return null;
}

export const ACCOUNT_MERGE: OperationRules<BodyOf<8>> = {
  keys: ({ destination }) => [accountKeyOf(accountOf(destination))],
  flaw: ({ destination }, source) =>
    accountOf(destination) === source ? "accountMergeMalformed" : null,
  apply(context, { destination }) {
    const { layer, terms, source, sourceAccount, events } = context;
    const address = accountOf(destination);
    if (loadAccount(layer, address) === null) return "accountMergeNoAccount";
    const keyXdr = accountKeyOf(source);
    let merged = loadAccount(layer, source);
    if (merged === null) return "opNoAccount";
    if ((merged.flags & IMMUTABLE) !== 0) return "accountMergeImmutableSet";
    if (merged.numSubEntries !== merged.signers.length) return "accountMergeHasSubEntries";
    if (isSequenceTooFar(context, merged)) return "accountMergeSeqnumTooFar";
    const isSponsor = [...context.sponsors.values()].includes(source);
    if (isSponsor || sponsoringOf(merged) > 0) return "accountMergeIsSponsor";
    while (merged.signers.length > 0) {
      merged = removeSigner(layer, merged, merged.signers.length - 1);
    }
    const { balance } = merged;
    const receiving = loadAccount(layer, address);
    const richer = receiving && withAdded(receiving, balance, terms);
    if (richer === null) return "accountMergeDestFull";
    setAccount(layer, richer);
    const sponsor = sponsorOf(layer.peek(keyXdr));
    if (sponsor !== null) freeSponsor(layer, sponsor, RESERVES_OF_ACCOUNT);
    layer.write(keyXdr, null);
    events.transferred(NATIVE, sourceAccount, destination, balance);
    return outcomeNamed(MERGE_TYPE, "accountMergeSuccess", int64(balance));
  },
};

const MERGE_TYPE = 8;

/** An account that is created again in this ledger would begin with a number that it has used. */
function isSequenceTooFar({ terms, source, usedSequences }: OperationContext, merged: Account) {
  const most = startingSequence(terms);
  return merged.seqNum >= most || (usedSequences.get(source) ?? 0n) >= most;
}

function startingSequence({ sequence }: LedgerTerms): bigint {
  return BigInt(sequence) << 32n;
}

function spent(
  layer: OperationContext["layer"],
  source: string,
  stroops: bigint,
  terms: LedgerTerms,
): Account | null {
  const account = loadAccount(layer, source);
  if (account === null || availableBalance(account, terms) < stroops) return null;
  return withAdded(account, -stroops, terms);
}
