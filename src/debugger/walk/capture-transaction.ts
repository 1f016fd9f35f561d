// hash → Recording → Snapshot: the half of the walk that asks the network. A capsule is its result.

import { plainStep, type Step } from "../../base/step.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { takeEntries, takeSnapshot } from "../../snapshot/gather/take-snapshot.ts";
import { fetchChainRecord } from "../../sources/record/fetch-chain-record.ts";
import type { Source } from "../../sources/source.ts";
import type { OpenedRecord } from "../../xdr/envelope/envelope.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { reachedHost, readTransactionResult } from "../../xdr/outcome/result.ts";

export interface CaptureDependencies {
  /** In the order they are asked. */
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
  /** One short sentence about what goes on now. */
  readonly progress: (text: string) => void;
  /** Told of each step. */
  readonly step?: Step;
}

/** What a replay needs, and all that it needs. */
export interface Captured extends OpenedRecord {
  /** Null when nothing ran in the contract host: no Soroban operation, or refused before it. */
  readonly snapshot: Snapshot | null;
}

/** Throws what `fetchChainRecord` and `takeSnapshot` throw. */
export async function captureTransaction(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<Captured> {
  const { progress, step = plainStep } = dependencies;
  progress(`fetching transaction ${hash}`);
  const opened = await step("fetch", () =>
    fetchChainRecord(dependencies, hash, { ...options, progress }),
  );
  const { record, envelope } = opened;
  if (envelope.soroban === null || !reachedHost(readTransactionResult(record.resultXdr))) {
    return { ...opened, snapshot: null };
  }
  progress(`taking the state before ledger ${record.ledger.sequence}`);
  const snapshot = await step("snapshot", async () => {
    const taken = await takeSnapshot(dependencies, opened, { ...options, progress });
    return withMissedEntries(dependencies, opened, taken, options);
  });
  return { ...opened, snapshot };
}

/** Adds the entries that the footprint missed, by the chain's own diagnostics: a fix needs them. */
async function withMissedEntries(
  { sources }: CaptureDependencies,
  opened: OpenedRecord,
  snapshot: Snapshot,
  options: { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const held = new Set(snapshot.entries.map(({ keyXdr }) => keyXdr));
  const knownEntries = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const missed = readErrorReports(diagnosticsOf(opened.record))
    .flatMap((report) => missedKeys(report, knownEntries))
    .filter((key) => !held.has(key));
  if (missed.length === 0) return snapshot;
  const { entries } = await takeEntries({ sources }, opened, [...new Set(missed)], options);
  return entries.length === 0 ? snapshot : { ...snapshot, beyondFootprint: entries };
}

function diagnosticsOf({ resultMetaXdr, diagnosticEventsXdr }: ChainRecord): readonly string[] {
  const ofMeta = resultMetaXdr === null ? [] : readTransactionMeta(resultMetaXdr).diagnosticsXdr;
  return ofMeta.length > 0 ? ofMeta : diagnosticEventsXdr;
}
