// Accounts and trustlines between two checkpoints, computed along from fees, payments and refunds.
// An entry that a classic operation may have changed in another way is unknown from then on.
// Transactions of others can only take from an entry that they do not name: offers are taken, and
// sponsored entries given up. So a computed value counts only if the second checkpoint agrees
// (`disagreements`), or if there was nothing that others could take.

import { grouped } from "../base/text/grouped.ts";
import type { ArchivedLedgerRecords, ArchivedRecord } from "../history-archive/archived-ledger.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import {
  feeBySet,
  isClosed,
  isSponsored,
  withGain,
  withLimit,
  withSequence,
  withSubEntries,
} from "../xdr/ledger/account-changes.ts";
import { classicEffects, type TrustEffect } from "../xdr/ledger/classic-effects.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import { accountKeyOf, typeOfKey } from "../xdr/reader/keys.ts";
import type { AppliedState } from "./applied-state.ts";
import { base64Of, isClassicKey, type PeriodEnds } from "./period-ends.ts";
import { CLASSIC, type Gap, NO_CHECKPOINT, SOROBAN_ONLY } from "./period-knowledge.ts";

const REFUND_IN_FEE_BUMP_PROTOCOL = 21;

export class PeriodAccounts {
  /** Accounts and trustlines in footprints: LedgerKeys by the account's key in hex. */
  private classic: ReadonlyMap<string, readonly string[]> = new Map();
  /** Those whose computed value was used. */
  private readonly used = new Set<string>();

  /** `open` has the keys that something unknown may have written, each with the reason. */
  constructor(
    private readonly ends: PeriodEnds,
    private readonly ledgers: readonly ArchivedLedgerRecords[],
    private readonly folded: AppliedState,
    private readonly open: Map<string, Gap>,
  ) {}

  /** Begins the period with the state of the first checkpoint. */
  async begin(): Promise<void> {
    const keys = classicKeysOf(this.ledgers);
    this.classic = Map.groupBy(keys, (keyXdr) => accountIn(keyXdr).toHex());
    for (const keyXdr of keys)
      if (!this.ends.hasClassic) this.open.set(keyXdr, SOROBAN_ONLY);
      else if (this.ends.first === null) this.open.set(keyXdr, NO_CHECKPOINT);
      else this.set(keyXdr, base64Of(await this.ends.atFirst(keyXdr)));
  }

  /** Takes the fees of all transactions of a ledger, which come before the first of them. */
  takeFees({ facts, transactions }: ArchivedLedgerRecords): void {
    for (const each of transactions)
      this.edit(accountKeyOf(each.envelope.terms.payer), (entry) =>
        withGain(entry, facts.sequence, -feeTaken(each)),
      );
  }

  useSequence({ facts }: ArchivedLedgerRecords, { envelope, record }: ArchivedRecord): void {
    const { sequence } = envelope.terms;
    const source = accountKeyOf(envelope.terms.source);
    const { code, innerCode } = readTransactionResult(record.resultXdr);
    if (!USES_SEQUENCE.has(innerCode ?? code)) this.forget(source, unshown(record));
    this.edit(source, (entry) =>
      withSequence(entry, facts.sequence, facts.closeTimeUnixSeconds, sequence),
    );
  }

  /**
   * Pays the refund: after the transaction, and from protocol 23 after all transactions of the
   * ledger.
   */
  refund({ facts }: ArchivedLedgerRecords, transaction: ArchivedRecord): void {
    const { envelope, record } = transaction;
    const payer = accountKeyOf(envelope.terms.payer);
    const { feeChargedStroops } = readTransactionResult(record.resultXdr);
    const refund = feeTaken(transaction) - BigInt(feeChargedStroops);
    const isShown = !envelope.isFeeBump || facts.protocolVersion >= REFUND_IN_FEE_BUMP_PROTOCOL;
    if (!isShown && envelope.soroban !== null) this.forget(payer, unshown(record));
    if (refund !== 0n) this.edit(payer, (entry) => withGain(entry, facts.sequence, refund));
  }

  /** Applies a successful classic transaction. */
  applyClassic(
    { facts }: ArchivedLedgerRecords,
    { envelope, record, placed }: ArchivedRecord,
  ): void {
    if (this.classic.size === 0) return;
    const { sequence } = facts;
    const why = unshown(record);
    const { operationResultsXdr } = readTransactionResult(record.resultXdr);
    for (const effect of classicEffects(envelope, sequence, operationResultsXdr)) {
      if (effect.kind === "any") this.forgetAccount(effect.account, why);
      else if (effect.kind === "changed") this.forget(effect.keyXdr, why);
      else if (effect.kind === "trust") this.applyTrust(effect, sequence, why);
      else if (effect.kind === "gain")
        this.edit(effect.keyXdr, (entry) => withGain(entry, sequence, effect.stroops));
      else if (this.folded.entry(effect.keyXdr) === null) this.set(effect.keyXdr, effect.entryXdr);
    }
    // The result names the owners of the offers that it took. Every key begins at a multiple of
    // four bytes.
    const own = new Set(
      envelope.terms.signers.map((each) => accountIn(accountKeyOf(each)).toHex()),
    );
    const result = placed.result.toHex();
    for (let at = 0; at + 64 <= result.length; at += 8) {
      const account = result.slice(at, at + 64);
      if (this.classic.has(account) && !own.has(account)) this.forgetAccount(account, why);
    }
  }

  /** Notes that a computed value was used. */
  noteUsed(keyXdr: string): void {
    this.used.add(keyXdr);
  }

  /** Accounts and trustlines whose computed value was used, and differs from the one at the end. */
  async disagreements(): Promise<Map<string, Gap>> {
    const gapOfKey = new Map<string, Gap>();
    for (const keyXdr of this.used) {
      const isAsCounted = this.folded.entry(keyXdr) === base64Of(await this.ends.atLast(keyXdr));
      const gap = this.open.get(keyXdr) ?? (isAsCounted ? null : CLASSIC);
      if (gap !== null) gapOfKey.set(keyXdr, gap);
    }
    return gapOfKey;
  }

  private applyTrust(effect: TrustEffect, ledger: number, why: Gap): void {
    const { keyXdr, holderKeyXdr, issuerKeyXdr, limit } = effect;
    const line = this.folded.entry(keyXdr);
    const issuer = this.folded.entry(issuerKeyXdr);
    const isKnown =
      line !== undefined && ![keyXdr, issuerKeyXdr].some((each) => this.open.has(each));
    if (!isKnown || typeof issuer !== "string" || (line !== null && isSponsored(line))) {
      this.forget(keyXdr, why);
      this.forget(holderKeyXdr, why);
      return;
    }
    this.used.add(issuerKeyXdr).add(keyXdr);
    this.set(keyXdr, limit === 0n ? null : withLimit(line, keyXdr, issuer, ledger, limit));
    const more = Number(limit !== 0n) - Number(line !== null);
    if (more !== 0) this.edit(holderKeyXdr, (entry) => withSubEntries(entry, ledger, more));
  }

  private edit(keyXdr: string, change: (entryXdr: string) => string): void {
    const entryXdr = this.folded.entry(keyXdr);
    if (typeof entryXdr === "string") this.set(keyXdr, change(entryXdr));
  }

  /** Forgets an entry from here on. Earlier uses are right if it was closed until now. */
  forget(keyXdr: string, gap: Gap): void {
    if (this.open.has(keyXdr)) return;
    const entryXdr = this.folded.entry(keyXdr);
    // An upgrade of the reserve removes offers.
    const isQuiet = this.ledgers.every(({ header }) => header.upgradeCount === 0);
    if (isQuiet && typeof entryXdr === "string" && isClosed(entryXdr)) this.used.delete(keyXdr);
    this.open.set(keyXdr, gap);
  }

  private forgetAccount(account: string, gap: Gap): void {
    for (const keyXdr of this.classic.get(account) ?? []) this.forget(keyXdr, gap);
  }

  private set(keyXdr: string, entryXdr: string | null): void {
    const type = typeOfKey(keyXdr);
    this.folded.applyOne({ kind: "updated", type, keyXdr, entryXdr, liveUntilLedger: null });
  }
}

/**
 * The results of transactions whose operations were reached, which use up their sequence number.
 */
const USES_SEQUENCE: ReadonlySet<string> = new Set(["txSuccess", "txFailed", "txInternalError"]);

/** The accounts and trustlines of footprints, and those on which the trustlines depend. */
function classicKeysOf(ledgers: readonly ArchivedLedgerRecords[]): ReadonlySet<string> {
  const all = ledgers.flatMap(({ transactions }) => transactions);
  const declared = all.flatMap(({ envelope }) => {
    const { readOnly = [], readWrite = [] } = envelope.soroban?.footprint ?? {};
    return [...readOnly, ...readWrite];
  });
  const keys = new Set(declared.filter(isClassicKey));
  const trusts = all.flatMap(({ envelope }) =>
    envelope.soroban !== null || !envelope.operationKinds.includes("changeTrust")
      ? []
      : classicEffects(envelope, 0, []).filter((effect) => effect.kind === "trust"),
  );
  for (let before = -1; before < keys.size && keys.size > 0; ) {
    before = keys.size;
    for (const { keyXdr, holderKeyXdr, issuerKeyXdr } of trusts)
      if (keys.has(keyXdr) || keys.has(holderKeyXdr)) keys.add(keyXdr).add(issuerKeyXdr);
  }
  return keys;
}

/**
 * The ed25519 key in the LedgerKey of an account or a trustline, after its type and the type of the
 * key.
 */
function accountIn(keyXdr: string): Uint8Array {
  return Uint8Array.fromBase64(keyXdr).subarray(8, 40);
}

function unshown(record: ChainRecord): Gap {
  const reason = `${placeOfRecord(record)} may have changed it, and no archive has the metas`;
  return { ...CLASSIC, reason };
}

export function placeOfRecord({ hash, ledger }: ChainRecord): string {
  return `transaction ${hash} of ledger ${grouped(ledger.sequence)}`;
}

function feeTaken({ envelope, record, placed }: ArchivedRecord): bigint {
  return envelope.soroban === null
    ? BigInt(readTransactionResult(record.resultXdr).feeChargedStroops)
    : feeBySet(envelope, placed.baseFeeStroops);
}
