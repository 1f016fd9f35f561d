// hash → ChainRecord → Snapshot: the half of the walk that asks the network. A capsule stores its
// result.

import { withEnd } from "../../base/join-signals.ts";
import { plainStep, type StepRunner } from "../../base/step.ts";
import {
  type ChainRecordDependencies,
  fetchChainRecord,
  findTransaction,
} from "../../ledgers/fetch-chain-record.ts";
import type { ArchiveExcerpt, Snapshot } from "../../model/snapshot.ts";
import { AskedNodes } from "../../snapshot/gather/node-states.ts";
import { prefetchState } from "../../snapshot/gather/prefetch-state.ts";
import {
  type SnapshotDependencies,
  takeEntries,
  takeSnapshot,
} from "../../snapshot/gather/take-snapshot.ts";
import type { Source } from "../../sources/source.ts";
import { isReported, isReportedSetting } from "../../verdict/unconfirmed.ts";
import type { OpenedRecord } from "../../xdr/envelope/opened-record.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { reachedHost } from "../../xdr/outcome/result.ts";
import { keyOfEntry } from "../../xdr/reader/keys.ts";

export interface CaptureDependencies extends ChainRecordDependencies, SnapshotDependencies {
  /** Reports in one short sentence what svc is doing. */
  readonly progress: (text: string) => void;
  /** Carries out each step of the walk, so that a caller can measure it. */
  readonly step?: StepRunner;
  /**
   * Looks up what only nodes report in what others have signed. Without a snapshot, that is the
   * transaction's result alone, because a node can invent a result by which nothing ran.
   */
  readonly prove?: (
    snapshot: Snapshot | null,
    opened: OpenedRecord,
    options: { readonly signal: AbortSignal },
  ) => Promise<Proven>;
}

/** The state, with the parts that could be proven, and the record, if its result is proven. */
export type Proven = Pick<Captured, "snapshot" | "unproven"> & Partial<Pick<Captured, "record">>;

export type Witnesses = ReadonlyMap<string, readonly Source[]>;

/** Everything that a replay needs, and nothing else. */
export interface Captured extends OpenedRecord {
  /**
   * Null if nothing ran in the contract host: the transaction has no Soroban operation, or was
   * refused before.
   */
  readonly snapshot: Snapshot | null;
  /** The proof that a capsule carries, not checked yet. */
  readonly proof?: ArchiveExcerpt;
  /** The nodes whose answer alone shows an entry or a setting, by its LedgerKey. */
  readonly witnesses?: Witnesses;
  /** A sentence, if a proof was requested and validators did not sign the ledger. */
  readonly unproven?: string;
}

/** The ledger in which a node has the transaction. Throws the errors of `findTransaction`. */
export async function transactionLedger(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<number> {
  const { first } = await findTransaction(dependencies, hash, options);
  return first.answer.ledgerSequence;
}

/** Throws the errors of `findTransaction`, `fetchChainRecord` and `takeSnapshot`. */
export function captureTransaction(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<Captured> {
  // The end of this call ends every prefetch.
  return withEnd(options.signal, (signal) => capture(dependencies, hash, { signal }));
}

async function capture(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<Captured> {
  const { sources, ledgers, progress, prove, step = plainStep } = dependencies;
  const nodes = new AskedNodes(sources);
  progress(`fetching transaction ${hash}`);
  const opened = await step("fetch", async () => {
    const locatedTransaction = await findTransaction(dependencies, hash, options);
    progress(`reading ledger ${locatedTransaction.first.answer.ledgerSequence}`);
    const prefetched = prefetchState({ ledgers, nodes }, locatedTransaction.first, options);
    const record = await fetchChainRecord(dependencies, locatedTransaction, options);
    await prefetched;
    return record;
  });
  const { record, envelope, chain } = opened;
  if (envelope.soroban === null || !reachedHost(chain.result)) {
    return { ...opened, snapshot: null, ...(await prove?.(null, opened, options)) };
  }
  progress(`taking the state before ledger ${record.ledger.sequence}`);
  const capturedState = await step("snapshot", async () => {
    const taken = await takeSnapshot(dependencies, opened, { ...options, progress, nodes });
    const proven = (await prove?.(taken, opened, options)) ?? { snapshot: taken };
    const state = proven.snapshot ?? taken;
    const snapshot = await withMissedEntries(dependencies, opened, state, options);
    return { ...proven, snapshot, witnesses: witnessesOf(snapshot, nodes) };
  });
  return { ...opened, ...capturedState };
}

function witnessesOf({ entries, settings }: Snapshot, nodes: AskedNodes): Witnesses {
  const keysXdr = [
    ...entries.filter(isReported).map(({ keyXdr }) => keyXdr),
    ...settings.filter(isReportedSetting).map(({ entryXdr }) => keyOfEntry(entryXdr)),
  ];
  return new Map(keysXdr.map((keyXdr) => [keyXdr, nodes.witnessesOf(keyXdr)]));
}

/** Adds the entries that the footprint missed, by the chain's own diagnostics: a fix needs them. */
async function withMissedEntries(
  dependencies: CaptureDependencies,
  opened: OpenedRecord,
  snapshot: Snapshot,
  options: { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const held = new Set(snapshot.entries.map(({ keyXdr }) => keyXdr));
  const knownEntries = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const missed = opened.chain.reports
    .flatMap((report) => missedKeys(report, knownEntries))
    .filter((key) => !held.has(key));
  if (missed.length === 0) return snapshot;
  const { entries } = await takeEntries(dependencies, opened, [...new Set(missed)], options);
  return entries.length === 0 ? snapshot : { ...snapshot, beyondFootprint: entries };
}
