// What in the XDR of a capsule cannot be: damage that has a checksum of its own.

import { SvcError } from "../../base/errors/errors.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { readDiagnosticEvent } from "../../xdr/outcome/diagnostics.ts";
import { readEntryChanges, readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { readTransactionResult } from "../../xdr/outcome/result.ts";
import { hasItsHash } from "../../xdr/reader/code-hash.ts";
import { keyOfEntry, typeOfKey } from "../../xdr/reader/keys.ts";

/**
 * A clause; null when all can be decoded, and each entry is that of its key. svc-sim checks the
 * settings.
 */
export function capsuleFlaw(record: ChainRecord, snapshot: Snapshot | null): string | null {
  const { resultMetaXdr, feeChangesXdr, refundChangesXdr, diagnosticEventsXdr } = record;
  const parts: readonly (readonly [name: string, read: () => unknown])[] = [
    ["result", () => readTransactionResult(record.resultXdr)],
    ["meta", () => resultMetaXdr && readTransactionMeta(resultMetaXdr)],
    ["fee changes", () => feeChangesXdr !== null && readEntryChanges(feeChangesXdr)],
    ["refund changes", () => refundChangesXdr !== null && readEntryChanges(refundChangesXdr)],
    ["diagnostic events", () => diagnosticEventsXdr.map(readDiagnosticEvent)],
    ["keys", () => keysOf(snapshot).map(typeOfKey)],
  ];
  for (const [name, read] of parts) {
    const why = failureOf(read);
    if (why !== null) return `its ${name} cannot be decoded (${why})`;
  }
  for (const { keyXdr, entryXdr } of entriesOf(snapshot)) {
    if (entryXdr === null) continue;
    const why = failureOf(() => keyOfEntry(entryXdr));
    if (why !== null) return `its entry of the key ${keyXdr} cannot be decoded (${why})`;
    if (keyOfEntry(entryXdr) !== keyXdr) return `its entry of the key ${keyXdr} has another key`;
    if (!hasItsHash(entryXdr)) return "it has contract code whose hash is not the hash in its key";
  }
  return null;
}

function entriesOf(snapshot: Snapshot | null) {
  return [...(snapshot?.entries ?? []), ...(snapshot?.beyondFootprint ?? [])];
}

/** The ledger's header is unknown under an empty key. */
function keysOf(snapshot: Snapshot | null): string[] {
  const unknown = (snapshot?.unknown ?? []).filter(({ keyXdr }) => keyXdr !== "");
  return [...entriesOf(snapshot), ...unknown].map(({ keyXdr }) => keyXdr);
}

/** Why it cannot be decoded; null when it can. */
function failureOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof SvcError) return error.message.replace(/\.$/, "");
    throw error;
  }
}
