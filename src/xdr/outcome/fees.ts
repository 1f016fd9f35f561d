// Reads the fee that the fee phase took from the fee source, before any refund. It is the base of
// `feeCharged`. stellar-core, TransactionFrame::processFeeSeqNum: the fee is at most the account's
// balance, so only the change of the balance shows it.

import { SvcError } from "../../base/errors/errors.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE, typeOfEntryBytes } from "../reader/keys.ts";
import { xdrSource } from "../reader/shape.ts";
import { int64At } from "../reader/words.ts";
import { readFeeEvents } from "./fee-events.ts";
import {
  type ChangeSlice,
  type EntryChange,
  sliceChanges,
  type TransactionMetaFacts,
} from "./meta.ts";
import type { ResultFacts } from "./result.ts";

/**
 * The account id follows lastModifiedLedgerSeq and the type, and the balance follows the account
 * id.
 */
const ACCOUNT_OFFSET = 4 + 4;
const BALANCE_OFFSET = ACCOUNT_OFFSET + 36;
const SEQUENCE_OFFSET = BALANCE_OFFSET + 8;

/** The parts of what the chain recorded that show a fee. */
export interface RecordedOutcome {
  readonly result: Pick<ResultFacts, "feeChargedStroops">;
  readonly meta: TransactionMetaFacts | null;
}

/**
 * Returns stroops, from the fee changes or else from the meta's fee event. Null means that the
 * chain record has neither, or that its fee events do not add up to the fee that was charged.
 * Throws XDR_INVALID.
 */
export function feeTakenBeforeRefund(
  feeChangesXdr: string | null,
  outcome: RecordedOutcome,
): string | null {
  if (feeChangesXdr !== null)
    return feeTaken(decodeBase64(feeChangesXdr, "fee changes")).toString();
  // A part is read only where it is needed: of an envelope that was not sent there is no result.
  const { meta } = outcome;
  if (meta === null) return null;
  const events = readFeeEvents(meta.transactionEventsXdr);
  if (events === null) return null;
  const charged = BigInt(outcome.result.feeChargedStroops);
  return BigInt(events.taken) - BigInt(events.refunded) === charged ? events.taken : null;
}

/** `feeChanges` are the LedgerEntryChanges of the fee phase. */
export function feeTaken(feeChanges: Uint8Array): bigint {
  const taken = -gainOfPhase(feeChanges);
  if (taken >= 0n) return taken;
  throw new SvcError("XDR_INVALID", {
    clause: `According to the fee changes, the fee phase paid out ${-taken} stroops`,
    remedy: "Fetch the transaction from another source.",
  });
}

/**
 * `changes` are the LedgerEntryChanges of the fee phase, or of the refund phase. Throws
 * XDR_INVALID.
 */
export function gainOfPhase(changes: Uint8Array): bigint {
  const cursor = new XdrCursor(xdrSource(changes));
  const slices = sliceChanges(cursor);
  cursor.done("fee or refund changes");
  return balanceGain(slices);
}

/** Returns the sum of the changes of all accounts' balances in stroops. */
export function balanceGain(changes: readonly ChangeSlice[]): bigint {
  const before = new Map<string, bigint>();
  let gained = 0n;
  for (const { kind, bytes } of changes) {
    if (kind === "removed" || typeOfEntryBytes(bytes) !== ENTRY_TYPE.account) continue;
    const account = bytes.subarray(ACCOUNT_OFFSET, BALANCE_OFFSET).toHex();
    const balance = int64At(bytes, BALANCE_OFFSET);
    const known = before.get(account);
    before.set(account, balance);
    if (known !== undefined) gained += balance - known;
  }
  return gained;
}

/**
 * Returns the first account that the fee phase or the refund changed in more than its balance, or
 * null. Neither may do that from protocol 10 on (stellar-core, TransactionFrame::processFeeSeqNum
 * and refundSorobanFee).
 */
export function changedBesidesBalance(changes: readonly EntryChange[]): string | null {
  const before = new Map<string, string>();
  for (const { keyXdr, entryXdr } of changes) {
    const entry = decodeBase64(entryXdr ?? "", "LedgerEntry");
    if (entryXdr === null || typeOfEntryBytes(entry) !== ENTRY_TYPE.account) continue;
    const otherFields =
      entry.subarray(4, BALANCE_OFFSET).toHex() + entry.subarray(SEQUENCE_OFFSET).toHex();
    const known = before.get(keyXdr) ?? otherFields;
    if (known !== otherFields) return encodeStrkey("account", accountIdIn(entry));
    before.set(keyXdr, otherFields);
  }
  return null;
}

function accountIdIn(entry: Uint8Array): Uint8Array {
  return entry.subarray(ACCOUNT_OFFSET + 4, BALANCE_OFFSET);
}

/** Returns the last sequence number of each account in the changes. */
export function sequencesOf(changes: readonly EntryChange[]): ReadonlyMap<string, bigint> {
  const sequences = new Map<string, bigint>();
  for (const { entryXdr } of changes) {
    const entry = decodeBase64(entryXdr ?? "", "LedgerEntry");
    if (entryXdr === null || typeOfEntryBytes(entry) !== ENTRY_TYPE.account) continue;
    sequences.set(encodeStrkey("account", accountIdIn(entry)), int64At(entry, SEQUENCE_OFFSET));
  }
  return sequences;
}
