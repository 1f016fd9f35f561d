// Changes that the network itself makes to accounts around a transaction, besides its operations:
// the fee, the sequence number and the refund (stellar-core, TransactionFrame.cpp:
// processFeeSeqNum, getFee, processSeqNum, refundSorobanFee; TransactionUtils.cpp,
// maybeUpdateAccountOnLedgerSeqUpdate).

import type { EnvelopeFacts } from "../envelope/envelope-facts.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { invalidXdr } from "../reader/shape.ts";
import { decode, encode, type Value } from "../reader/value.ts";

/**
 * Returns the stroops that a Soroban transaction pays before any refund. `baseFeeStroops` is the
 * base fee of its component in the transaction set; null means that each transaction pays its bid.
 */
export function feeBySet(
  { feeBidStroops, isFeeBump, soroban }: EnvelopeFacts,
  baseFeeStroops: bigint | null,
): bigint {
  const resources = BigInt(soroban?.resourceFeeStroops ?? 0);
  const offered = BigInt(feeBidStroops) - resources;
  // The base fee is due for the one operation, and once more for a fee-bump.
  const due = (baseFeeStroops ?? offered) * (isFeeBump ? 2n : 1n);
  return resources + (baseFeeStroops !== null && due < offered ? due : offered);
}

/** Changes the balance of an account or a trustline. `stroops` is negative for a fee. */
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

/** `more` is the number of added entries that count toward the account's reserve. */
export function withSubEntries(accountXdr: string, ledger: number, more: number): string {
  return changed(accountXdr, ledger, (account) => ({
    ...account,
    numSubEntries: account.numSubEntries + more,
  }));
}

/**
 * Returns a trustline with another limit, or a new one with the flags that its issuer requires
 * (ChangeTrustOpFrame). `lineXdr` is null if there is no trustline yet.
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

/** Values of AccountFlags and TrustLineFlags. */
const AUTH_REQUIRED = 1;
const CLAWBACK_ENABLED = 8;
const LINE_AUTHORIZED = 1;
const LINE_CLAWBACK_ENABLED = 4;

/** True if another account pays for the entry's reserve. */
export function isSponsored(entryXdr: string): boolean {
  const { ext } = decode("LedgerEntry", entryXdr);
  return ext.v === 1 && ext.v1.sponsoringId !== null;
}

/**
 * True if only transactions that name the entry can change it. Its holder has nothing to sell or to
 * buy, so that there is no offer to take, and sponsors no entry of another account.
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

/** Uses a sequence number of the account in that ledger. */
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
            numSponsored: 0,
            numSponsoring: 0,
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
