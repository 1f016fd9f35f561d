// A history archive as a source. It knows transactions by their ledger, with proven envelopes and
// results, and headers, but it has no metas. It is asked after the nodes.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { readArchivedLedger } from "../../history-archive/archived-ledger.ts";
import type { OpenedArchive } from "../../history-archive/opened-archive.ts";
import { type Source, sourcedFacts } from "../../sources/source.ts";

/** `ledger` is the one in which a transaction is searched; null if none is searched. */
export function archiveSource(
  open: (signal: AbortSignal) => Promise<OpenedArchive>,
  ledger: number | null,
  networkPassphrase: string,
): Source {
  if (ledger === null)
    // The message that a transaction was not found has these words.
    return { name: NAME, lack: NEEDS_LEDGER, local: true, fetchTransaction: async () => null };
  return {
    name: NAME,
    // The archive may prove what no node reports.
    local: true,
    async fetchTransaction(hash, { signal }) {
      const archive = await open(signal);
      const { transactions } = await archive.ask(
        ({ chain }) => readArchivedLedger(chain, ledger, networkPassphrase),
        ledger,
      );
      const transaction = transactions.find(
        ({ record }) => record.hash === hash || record.innerHash === hash,
      );
      return transaction === undefined ? null : { ...transaction.record, ledgerSequence: ledger };
    },
    async fetchLedgerFacts(sequence, { signal }) {
      const archive = await open(signal);
      try {
        return sourcedFacts(await archive.ask(({ chain }) => chain.header(sequence), sequence));
      } catch (error) {
        const code = error instanceof SvcError ? error.code : null;
        if (code === "ARCHIVE_BEHIND" || code === "ARCHIVE_LACKS") return null;
        throw error;
      }
    },
  };
}

const NAME = "history archive";
const NEEDS_LEDGER = phrase`which needs the transaction's ledger: ${flag("ledger", "N")}`;
