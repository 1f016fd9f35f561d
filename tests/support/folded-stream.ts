// A file of ledgers folded as `svc verify` folds it: each Soroban transaction with its snapshot.

import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import { collectFirstMentions } from "../../src/snapshot/stream/first-mentions.ts";
import { LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";

export const CORE_TESTS_PASSPHRASE = "(V) (;,,;) (V)";

export interface FoldedSnapshot {
  readonly record: ChainRecord;
  /** Null when the transaction was refused before its operation ran. */
  readonly snapshot: Snapshot | null;
}

export async function* foldedStream(
  path: string,
  networkPassphrase = CORE_TESTS_PASSPHRASE,
): AsyncGenerator<FoldedSnapshot> {
  const read = () => readLedgerFile(path, { signal: NEVER_ABORTED });
  const options = { networkPassphrase, settingsOnly: false };
  const firstMentions = await collectFirstMentions(read(), options);
  const fold = new LedgersFold({ networkPassphrase, firstMentions });
  for await (const { ledgerCloseMeta } of read()) yield* foldLedgerBytes(fold, ledgerCloseMeta);
}

export function* foldLedgerBytes(
  fold: LedgersFold,
  ledgerCloseMeta: Uint8Array,
): Generator<FoldedSnapshot> {
  for (const { record, evidence } of fold.fold(fold.open(ledgerCloseMeta), "test")) {
    yield { record, snapshot: evidence === null ? null : decideSnapshot(evidence) };
  }
}
