// hash → Recording → Snapshot: the half of the walk that asks the network. A capsule is its result.

import { withEnd } from "../../base/join-signals.ts";
import { plainStep, type Step } from "../../base/step.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { askEarly } from "../../snapshot/gather/ask-early.ts";
import { AskedNodes } from "../../snapshot/gather/node-states.ts";
import { takeEntries, takeSnapshot } from "../../snapshot/gather/take-snapshot.ts";
import type { CheckedTransaction } from "../../sources/record/check-transaction.ts";
import { fetchChainRecord } from "../../sources/record/fetch-chain-record.ts";
import type { Source } from "../../sources/source.ts";
import type { OpenedRecord } from "../../xdr/envelope/envelope.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { reportedDiagnostics } from "../../xdr/outcome/meta.ts";
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
export function captureTransaction(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<Captured> {
  // What is asked for early does not outlive this.
  return withEnd(options.signal, (signal) => capture(dependencies, hash, { signal }));
}

async function capture(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<Captured> {
  const { progress, step = plainStep } = dependencies;
  progress(`fetching transaction ${hash}`);
  const nodes = new AskedNodes(dependencies.sources);
  const opened = await step("fetch", () => fetchRecord(dependencies, nodes, hash, options));
  const { record, envelope } = opened;
  if (envelope.soroban === null || !reachedHost(readTransactionResult(record.resultXdr))) {
    return { ...opened, snapshot: null };
  }
  progress(`taking the state before ledger ${record.ledger.sequence}`);
  const snapshot = await step("snapshot", async () => {
    const taken = await takeSnapshot(dependencies, opened, { ...options, progress, nodes });
    return withMissedEntries(dependencies, opened, taken, options);
  });
  return { ...opened, snapshot };
}

/** With as much of what the snapshot takes as the first answer names. */
async function fetchRecord(
  dependencies: CaptureDependencies,
  nodes: AskedNodes,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<OpenedRecord> {
  let early: Promise<void> | null = null;
  const found = ({ answer: { ledgerSequence }, envelope, result }: CheckedTransaction) => {
    dependencies.progress(`reading ledger ${ledgerSequence}`);
    if (envelope.soroban === null || !reachedHost(result)) return;
    const { footprint } = envelope.soroban;
    early = askEarly(nodes, dependencies.sources, { ledgerSequence, footprint }, options);
  };
  const opened = await fetchChainRecord(dependencies, hash, { ...options, found });
  await early;
  return opened;
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
  const missed = readErrorReports(reportedDiagnostics(opened.record))
    .flatMap((report) => missedKeys(report, knownEntries))
    .filter((key) => !held.has(key));
  if (missed.length === 0) return snapshot;
  const { entries } = await takeEntries({ sources }, opened, [...new Set(missed)], options);
  return entries.length === 0 ? snapshot : { ...snapshot, beyondFootprint: entries };
}
