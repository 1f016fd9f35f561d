// Ledgers in order, with nodes asked for the entries that they name before it is their turn.

import { SvcError } from "../base/errors/errors.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";

/** A ledger is verified in less time than a node takes to answer. */
const EXPECTED_LEDGERS = 8;

/** The ledgers; those before `from` are not completed. `completion`: absent: as they come. */
export async function* expectLedgers<Ledger extends LedgerBytes>(
  completion: LedgerCompletion | undefined,
  ledgers: AsyncIterable<Ledger>,
  open: (ledgerCloseMeta: Uint8Array) => LedgerCloseMetaView,
  from: number,
): AsyncGenerator<Ledger> {
  if (completion === undefined) return yield* ledgers;
  const shown: Ledger[] = [];
  try {
    for await (const ledger of ledgers) {
      if (ledger.sequence >= from) expect(completion, () => open(ledger.ledgerCloseMeta));
      shown.push(ledger);
      if (shown.length > EXPECTED_LEDGERS) yield shown.shift() as Ledger;
    }
  } catch (error) {
    // Where the next one cannot be had, those before it can.
    yield* shown.splice(0);
    throw error;
  }
  yield* shown;
}

function expect(completion: LedgerCompletion, open: () => LedgerCloseMetaView): void {
  try {
    completion.expect(open());
  } catch (error) {
    // What is wrong with it is said when it is its turn.
    if (!(error instanceof SvcError)) throw error;
  }
}
