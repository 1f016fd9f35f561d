// What the network itself does to accounts around a transaction, besides its operations: the fee,
// the sequence number, the refund (stellar-core, TransactionFrame.cpp: processFeeSeqNum, getFee,
// processSeqNum, refundSorobanFee; TransactionUtils.cpp, maybeUpdateAccountOnLedgerSeqUpdate).

import type { EnvelopeFacts } from "../envelope/envelope-facts.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { invalidXdr } from "../reader/shape.ts";
import { decode, encode, type Value } from "../reader/value.ts";

/**
 * Stroops that a Soroban transaction pays before any refund. `baseFeeStroops`: of its component in
 * the transaction set; null: each pays what it offers.
 */
export function feeBySet(
  { feeBidStroops, isFeeBump, soroban }: EnvelopeFacts,
  baseFeeStroops: bigint | null,
): bigint {
  const resources = BigInt(soroban?.resourceFeeStroops ?? 0);
  const offered = BigInt(feeBidStroops) - resources;
  // Its one operation, and the fee-bump itself.
  const due = (baseFeeStroops ?? offered) * (isFeeBump ? 2n : 1n);
  return resources + (baseFeeStroops !== null && due < offered ? due : offered);
}

/** Of an account or a trustline; `stroops`: below zero for a fee. */
export function withGain(entryXdr: string, ledger: number, stroops: bigint): string {
  const entry = decode("LedgerEntry", entryXdr);
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.trustline)
    return changed(entryXdr, ledger, (account) => ({
      ...account,
      balance: account.balance + stroops,
    }));
  const trustLine = { ...data.trustLine, balance: data.trustLine.balance + stroops };
  return encode("LedgerEntry", {
    ...entry,
    lastModifiedLedgerSeq: ledger,
    data: { ...data, trustLine },
  });
}

/** `more`: entries that count toward its reserve. */
export function withSubEntries(accountXdr: string, ledger: number, more: number): string {
  return changed(accountXdr, ledger, (account) => ({
    ...account,
    numSubEntries: account.numSubEntries + more,
  }));
}

/**
 * A trustline with another limit, or a new one, as its issuer's flags make it (ChangeTrustOpFrame).
 * `lineXdr`: null where there is none.
 */
export function withLimit(
  lineXdr: string | null,
  keyXdr: string,
  issuerXdr: string,
  ledger: number,
  limit: bigint,
): string {
  const key = decode("LedgerKey", keyXdr);
  const issuer = decode("LedgerEntry", issuerXdr).data;
  if (key.type !== ENTRY_TYPE.trustline || issuer.type !== ENTRY_TYPE.account)
    throw invalidXdr("LedgerKey", 0, "neither a trustline's nor an account's");
  const known = lineXdr === null ? null : decode("LedgerEntry", lineXdr);
  const isHeld = (issuer.account.flags & AUTH_REQUIRED) !== 0;
  const isClawable = (issuer.account.flags & CLAWBACK_ENABLED) !== 0;
  const flags = (isHeld ? 0 : LINE_AUTHORIZED) | (isClawable ? LINE_CLAWBACK_ENABLED : 0);
  const made = { ...key.trustLine, balance: 0n, flags, ext: { v: 0 } } as const;
  const old = known?.data.type === ENTRY_TYPE.trustline ? known.data.trustLine : made;
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: ledger,
    data: { type: ENTRY_TYPE.trustline, trustLine: { ...old, limit } },
    ext: known?.ext ?? { v: 0 },
  });
}

/** AccountFlags and TrustLineFlags. */
const AUTH_REQUIRED = 1;
const CLAWBACK_ENABLED = 8;
const LINE_AUTHORIZED = 1;
const LINE_CLAWBACK_ENABLED = 4;

/** Somebody else pays for the entry's reserve. */
export function isSponsored(entryXdr: string): boolean {
  const { ext } = decode("LedgerEntry", entryXdr);
  return ext.v === 1 && ext.v1.sponsoringId !== null;
}

/**
 * Nothing but what names it can change it: it has nothing to sell or to buy, so that nobody takes
 * an offer of it, and pays for no entry of another.
 */
export function isClosed(entryXdr: string): boolean {
  const { data } = decode("LedgerEntry", entryXdr);
  if (data.type === ENTRY_TYPE.trustline) return owesNothing(data.trustLine.ext);
  if (data.type !== ENTRY_TYPE.account) return false;
  const { ext } = data.account;
  const sponsorship = ext.v === 1 && ext.v1.ext.v === 2 ? ext.v1.ext.v2 : null;
  return owesNothing(ext) && (sponsorship?.numSponsoring ?? 0) === 0;
}

type WithLiabilities =
  | { readonly v: 0 }
  | { readonly v: 1; readonly v1: { readonly liabilities: Value<"Liabilities"> } };

function owesNothing(ext: WithLiabilities): boolean {
  return ext.v === 0 || (ext.v1.liabilities.buying === 0n && ext.v1.liabilities.selling === 0n);
}

/** Its sequence number is used in that ledger. */
export function withSequence(
  accountXdr: string,
  ledger: number,
  closeTimeUnixSeconds: string,
  seqNum: bigint,
): string {
  return changed(accountXdr, ledger, (account) => {
    const v1 = account.ext.v === 1 ? account.ext.v1 : { liabilities: NONE, ext: { v: 0 } as const };
    const v2 =
      v1.ext.v === 2
        ? v1.ext.v2
        : {
            ...{ numSponsored: 0, numSponsoring: 0 },
            signerSponsoringIDs: account.signers.map(() => null),
          };
    const seqTime = BigInt(closeTimeUnixSeconds);
    const v3 = { ext: { v: 0 }, seqLedger: ledger, seqTime } as const;
    const ext = { v: 1, v1: { ...v1, ext: { v: 2, v2: { ...v2, ext: { v: 3, v3 } } } } } as const;
    return { ...account, seqNum, ext };
  });
}

const NONE = { buying: 0n, selling: 0n };

function changed(
  accountXdr: string,
  ledger: number,
  change: (account: Value<"AccountEntry">) => Value<"AccountEntry">,
): string {
  const entry = decode("LedgerEntry", accountXdr);
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.account) return accountXdr;
  return encode("LedgerEntry", {
    ...entry,
    lastModifiedLedgerSeq: ledger,
    data: { ...data, account: change(data.account) },
  });
}
