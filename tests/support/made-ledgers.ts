// Ledgers made for tests, from recorded ones: what changes, is restored and is evicted in them is
// given; the rest is as a real network wrote it, and each ledger follows the one before.

import * as xdr from "@stellar/stellar-sdk/xdr";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { RecordedNetwork } from "./recorded-network.ts";

export interface MadeLedger {
  readonly sequence: number;
  /** LedgerEntries that the ledger writes, base64. */
  readonly created?: readonly string[];
  /** LedgerEntries that a RestoreFootprint transaction brings back. */
  readonly restored?: readonly string[];
  /** LedgerKeys. */
  readonly evicted?: readonly string[];
}

/** A recorded ledger with one RestoreFootprint transaction, and one without any. */
const RESTORING = 430;
const EMPTY = 113;
const network = new RecordedNetwork();
const templates = { restoring: readTemplate(RESTORING), empty: readTemplate(EMPTY) };

export const MADE_PASSPHRASE = network.passphrase;

/** In order; sequences must have no gap where the ledgers are to follow each other. */
export function makeLedgers(ledgers: readonly MadeLedger[]): LedgerBytes[] {
  let previous = hashOf(0);
  return ledgers.map((ledger) => {
    const made = makeLedger(ledger, previous);
    previous = hashOf(ledger.sequence);
    return { sequence: ledger.sequence, ledgerCloseMeta: made };
  });
}

function makeLedger(
  { sequence, created = [], restored = [], evicted = [] }: MadeLedger,
  previousHash: string,
): Uint8Array {
  const json = structuredClone(restored.length > 0 ? templates.restoring : templates.empty);
  const { v2 } = json;
  v2.ledger_header.hash = hashOf(sequence);
  v2.ledger_header.header.ledger_seq = sequence;
  v2.ledger_header.header.previous_ledger_hash = previousHash;
  v2.evicted_keys = evicted.map((key) => jsonOf(xdr.LedgerKey, key));
  const entryOf = (entryXdr: string) => jsonOf(xdr.LedgerEntry, entryXdr);
  if (created.length > 0) {
    const changes = created.map((entry) => ({ created: entryOf(entry) }));
    v2.upgrades_processing = [{ upgrade: { base_fee: 100 }, changes }];
  }
  if (restored.length > 0) {
    const changes = restored.map((entry) => ({ restored: entryOf(entry) }));
    const [transaction] = v2.tx_processing;
    const meta = transaction.tx_apply_processing.v4;
    meta.operations[0].changes = changes;
    // What the recorded transaction did to its account it does not do again in every ledger.
    Object.assign(meta, { tx_changes_before: [], tx_changes_after: [] });
    Object.assign(transaction, { fee_processing: [], post_tx_apply_fee_processing: [] });
    v2.tx_processing = [transaction];
  }
  return xdr.LedgerCloseMeta.fromJson(json as never).toXdr();
}

/** Any hash, as long as it is the ledger's own. */
function hashOf(sequence: number): string {
  return sequence.toString(16).padStart(64, "0");
}

// biome-ignore lint/suspicious/noExplicitAny: XDR-JSON, which the SDK checks when it reads it.
function readTemplate(sequence: number): any {
  const metadata = network.ledger(sequence)?.rpc.result.ledgers[0]?.metadataXdr ?? "";
  return xdr.LedgerCloseMeta.fromXdr(Buffer.from(String(metadata), "base64")).toJson();
}

function jsonOf(
  type: { fromXdr(bytes: Uint8Array): { toJson(): unknown } },
  base64: string,
): unknown {
  return type.fromXdr(Uint8Array.fromBase64(base64)).toJson();
}
