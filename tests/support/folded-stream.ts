// A file of ledgers folded as `svc verify` folds it: each Soroban transaction with its snapshot.

import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import type { LaterChanges } from "../../src/snapshot/evidence.ts";
import {
  collectFirstMentions,
  type MentionOptions,
} from "../../src/snapshot/stream/first-mentions.ts";
import type { LedgerToFold } from "../../src/snapshot/stream/fold-evidence.ts";
import { FIRST_CLOSED_LEDGER, LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { ledgerFactsOf, readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { withInitialSettings } from "./initial-settings.ts";
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
  const firstMentions = await firstMentionsOf(read(), { networkPassphrase, settingsOnly: false });
  await using engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
  const fold = new LedgersFold(engine, { networkPassphrase, firstMentions });
  for await (const { ledgerCloseMeta } of read())
    yield* await foldLedgerBytes(fold, ledgerCloseMeta);
}

export function givenLedger(ledgerCloseMeta: Uint8Array, networkPassphrase: string): LedgerToFold {
  return { ledgerCloseMeta, view: readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase) };
}

/** Its Soroban transactions, none of which runs. */
export async function foldLedgerBytes(
  fold: LedgersFold,
  ledgerCloseMeta: Uint8Array,
): Promise<readonly FoldedSnapshot[]> {
  return (await foldWhole(fold, ledgerCloseMeta)).transactions;
}

export async function foldWhole(fold: LedgersFold, ledgerCloseMeta: Uint8Array) {
  const given = givenLedger(ledgerCloseMeta, fold.networkPassphrase);
  const all = [...fold.transactions(given, "test")];
  const folded = await fold.fold(given, "test", { run: false, want: true });
  const found = new Map(folded.open.map((each) => [each.order, each]));
  fold.engine.done(given.view.facts.sequence);
  const transactions = all.map(({ record, order }): FoldedSnapshot => {
    const evidence = found.get(order)?.evidence;
    return { record, snapshot: evidence === undefined ? null : decideSnapshot(evidence) };
  });
  return { folded, transactions };
}

/** With the initial settings, where the first ledger is that after genesis. */
export async function firstMentionsOf(
  ledgers: AsyncIterable<LedgerBytes>,
  options: MentionOptions,
): Promise<LaterChanges> {
  let protocol: number | null = null;
  const noted = async function* () {
    for await (const ledger of ledgers) {
      const { protocolVersion } = ledgerFactsOf(ledger.ledgerCloseMeta);
      if (ledger.sequence === FIRST_CLOSED_LEDGER) protocol = protocolVersion;
      yield ledger;
    }
  };
  const firstMentions = await collectFirstMentions(noted(), options);
  return protocol === null ? firstMentions : withInitialSettings(firstMentions, protocol);
}
