// The state just before one transaction, from a history archive alone, where transactions since the
// checkpoint wrote it: these are replayed, and what they need in turn, as `svc verify --archive` does.

import { checkpointOf } from "../history-archive/archive-files.ts";
import type { ArchivedLedger } from "../history-archive/archived-ledger.ts";
import type { ArchivePlace } from "../history-archive/open-archive.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { footprintKeys } from "../snapshot/footprint-keys.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import type { PeriodInputs } from "./period-state.ts";
import { openEngines } from "./replay-transaction.ts";
import { openPeriod, verifyPeriod } from "./verify-archive.ts";

export interface ReplayingOptions {
  readonly simulatorPath: string;
  readonly signal: AbortSignal;
}

/** Null where something of it is not known all the same, or not signed by enough validators. */
export async function stateByReplays(
  place: ArchivePlace,
  { hash, ledger, networkPassphrase }: ChainRecord,
  { simulatorPath, signal }: ReplayingOptions,
): Promise<Snapshot | null> {
  const { archive } = place.chain;
  const last = checkpointOf(ledger.sequence, archive);
  const range = { first: Math.max(1, last - archive.ledgersPerCheckpoint + 1), last };
  const period = await openPeriod(place, range, networkPassphrase);
  signal.throwIfAborted();
  if (!period.isSigned) return null;
  await using engines = openEngines(simulatorPath, 1);
  const inputs = new Map<string, PeriodInputs>();
  const only = needed(period.ledgers, hash);
  const outcomes = await verifyPeriod({ ...period, range, engines, signal, only, inputs });
  const outcome = outcomes
    .flatMap(({ transactions }) => transactions)
    .find(({ notExact }) => notExact?.hash === hash);
  const found = inputs.get(hash);
  const isKnown = found?.gaps.length === 0 && found.maybeEvicted.length === 0;
  // An entry that it used or left is another one at the next checkpoint.
  const isRefuted = /differs later$|ledger change differs/.test(outcome?.notExact?.cause ?? "");
  return isKnown && !isRefuted ? found.snapshot : null;
}

/** Hashes of the transactions that wrote what it needs, or what these need; its own too. */
function needed(ledgers: readonly ArchivedLedger[], hash: string): ReadonlySet<string> {
  const all = ledgers.flatMap(({ transactions }) =>
    transactions.flatMap(({ record, envelope }) => {
      if (envelope.soroban === null || !readTransactionResult(record.resultXdr).success)
        return record.hash === hash ? [{ hash, writes: [], keys: keysOf(envelope.soroban) }] : [];
      const keys = keysOf(envelope.soroban);
      return [{ hash: record.hash, keys, writes: keys.filter(isWritten) }];
    }),
  );
  const found = new Set([hash]);
  const wanted = new Set<string>();
  const want = (keys: (typeof all)[number]["keys"]) => {
    for (const { keyXdr, ttlKeyXdr } of keys) wanted.add(keyXdr).add(ttlKeyXdr ?? keyXdr);
  };
  want(all.find((each) => each.hash === hash)?.keys ?? []);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const each of all) {
      if (found.has(each.hash) || !each.writes.some(({ keyXdr }) => wanted.has(keyXdr))) continue;
      found.add(each.hash);
      want(each.keys);
    }
  }
  return found;
}

function keysOf(soroban: ArchivedLedger["transactions"][number]["envelope"]["soroban"]) {
  return footprintKeys(soroban?.footprint ?? { readOnly: [], readWrite: [] });
}

function isWritten({ readOnly }: { readonly readOnly: boolean }): boolean {
  return !readOnly;
}
