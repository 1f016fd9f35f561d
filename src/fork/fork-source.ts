// The fork as a source: svc does with the fork whatever it does with a network.

import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import {
  type CurrentLedgerEntry,
  checked,
  type Source,
  sourcedFacts,
  type TransactionAnswer,
} from "../sources/source.ts";
import { readLedgerHeader } from "../xdr/ledger/header.ts";
import { modifiedIn } from "../xdr/ledger/patch-entry.ts";
import { lastModifiedOf } from "../xdr/reader/keys.ts";
import type { Fork } from "./fork.ts";
import { impersonatedBy } from "./impersonated-by.ts";
import type { FoundTransaction } from "./ledger-history.ts";

export function openForkSource(fork: () => Fork): Source {
  const headerOf = (sequence: number) => {
    const { chain, history } = fork();
    return chain.latest.sequence === sequence ? chain.latest : history.get(sequence);
  };
  const bytesOf = (sequence: number): LedgerBytes | null => {
    const ledger = fork().history.get(sequence);
    if (ledger === null) return null;
    return { sequence, ledgerCloseMeta: Buffer.from(ledger.ledgerCloseMetaXdr, "base64") };
  };
  return {
    name: "fork in this process",
    isFork: true,
    range: () => ({ first: fork().oldest.sequence, last: fork().chain.latest.sequence }),
    protocolVersion: () => fork().chain.latest.protocolVersion,
    async fetchTransaction(hash, context) {
      fork().requireNotDropped(hash);
      const transaction = fork().history.find(hash);
      return transaction === null ? null : checked(context)(answerOf(transaction));
    },
    async fetchLedgerFacts(sequence) {
      const header = headerOf(sequence);
      return header === null ? null : sourcedFacts(readLedgerHeader(header.headerXdr));
    },
    async fetchLatestFacts() {
      return sourcedFacts(readLedgerHeader(fork().chain.latest.headerXdr));
    },
    async fetchTip() {
      return { ...fork().chain.latest, ...impersonatedBy(fork()) };
    },
    async fetchLedgerCloseMeta(sequence, { check }) {
      const bytes = bytesOf(sequence);
      if (bytes !== null) check?.(bytes);
      return bytes?.ledgerCloseMeta ?? null;
    },
    async *fetchLedgerCloseMetas(first, last, { check }) {
      for (const { sequence } of fork().history.range(first, last)) {
        const bytes = bytesOf(sequence) as LedgerBytes;
        check?.(bytes);
        yield bytes;
      }
    },
    fetchLedgerEntries: (keysXdr, { signal }) => currentEntries(fork(), keysXdr, signal),
  };
}

/** The entries of the latest ledger. None is read while another ledger closes. */
export async function currentEntries(
  fork: Fork,
  keysXdr: readonly string[],
  signal: AbortSignal,
): Promise<{ latestLedger: number; entries: Map<string, CurrentLedgerEntry> }> {
  for (;;) {
    const { chain } = fork;
    const { sequence } = chain.latest;
    const forkEntries = await chain.read(keysXdr, { signal });
    if (fork.chain !== chain || chain.latest.sequence !== sequence) continue;
    const entries = new Map<string, CurrentLedgerEntry>();
    for (const [keyXdr, entry] of forkEntries) {
      if (entry === null) continue;
      const { archived, provenance } = entry;
      const modified = lastModifiedOf(entry.entryXdr);
      // Just before a transaction, an entry can have been modified in the next ledger.
      const isLater = provenance !== null && modified > fork.base.sequence;
      const lastModifiedLedger = isLater ? fork.base.sequence : modified;
      const entryXdr = modifiedIn(entry.entryXdr, lastModifiedLedger);
      // A node reports an expired entry only as archived.
      const isExpired = entry.liveUntilLedger !== null && entry.liveUntilLedger < sequence;
      const isGone = archived || isExpired;
      const liveUntilLedger = isGone ? null : entry.liveUntilLedger;
      const shown = { keyXdr, entryXdr, lastModifiedLedger, liveUntilLedger, archived: isGone };
      entries.set(keyXdr, shown);
    }
    return { latestLedger: sequence, entries };
  }
}

function answerOf({ ledger, transaction }: FoundTransaction): TransactionAnswer {
  return {
    envelopeXdr: transaction.envelopeXdr,
    resultXdr: transaction.resultXdr,
    resultMetaXdr: transaction.metaXdr,
    feeChangesXdr: transaction.feeChangesXdr,
    refundChangesXdr: transaction.refundChangesXdr,
    diagnosticEventsXdr: [],
    ledgerSequence: ledger.sequence,
    applicationOrder: transaction.applicationOrder,
    closeTimeUnixSeconds: ledger.closeTimeUnixSeconds,
  };
}
