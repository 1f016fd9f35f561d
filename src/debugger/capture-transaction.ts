// hash → Recording → Snapshot: the half of the walk that asks the network. A capsule is its result.

import { plainStep, type Step } from "../base/step.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { takeEntries, takeSnapshot } from "../snapshot/take-snapshot.ts";
import { fetchRecording } from "../sources/fetch-recording.ts";
import type { Source } from "../sources/source.ts";
import { readEnvelope } from "../xdr/envelope.ts";
import { readErrorReports } from "../xdr/error-reports.ts";
import { readTransactionMeta } from "../xdr/meta.ts";
import { missedKeys } from "../xdr/missed-keys.ts";
import { reachedHost, readTransactionResult } from "../xdr/result.ts";

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
export interface Captured {
  readonly recording: Recording;
  /** Null when nothing ran in the contract host: no Soroban operation, or refused before it. */
  readonly snapshot: Snapshot | null;
}

/** Throws what `fetchRecording` and `takeSnapshot` throw. */
export async function captureTransaction(
  dependencies: CaptureDependencies,
  hash: string,
  options: { readonly signal: AbortSignal },
): Promise<Captured> {
  const { progress, step = plainStep } = dependencies;
  progress(`fetching transaction ${hash}`);
  const recording = await step("fetch", () =>
    fetchRecording(dependencies, hash, { ...options, progress }),
  );
  const envelope = readEnvelope(recording.envelopeXdr, recording.networkPassphrase);
  if (envelope.soroban === null || !reachedHost(readTransactionResult(recording.resultXdr))) {
    return { recording, snapshot: null };
  }
  progress(`taking the state before ledger ${recording.ledger.sequence}`);
  const snapshot = await step("snapshot", async () => {
    const taken = await takeSnapshot(dependencies, recording, { ...options, progress });
    return withMissedEntries(dependencies, recording, taken, options);
  });
  return { recording, snapshot };
}

/** With the entries that the chain's own diagnostics say its footprint missed: a mend needs them. */
async function withMissedEntries(
  { sources }: CaptureDependencies,
  recording: Recording,
  snapshot: Snapshot,
  options: { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const held = new Set(snapshot.entries.map(({ keyXdr }) => keyXdr));
  const atHand = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const missed = readErrorReports(diagnosticsOf(recording))
    .flatMap((report) => missedKeys(report, atHand))
    .filter((key) => !held.has(key));
  if (missed.length === 0) return snapshot;
  const { entries } = await takeEntries({ sources }, recording, [...new Set(missed)], options);
  return entries.length === 0 ? snapshot : { ...snapshot, beyondFootprint: entries };
}

function diagnosticsOf({ resultMetaXdr, diagnosticEventsXdr }: Recording): readonly string[] {
  const ofMeta = resultMetaXdr === null ? [] : readTransactionMeta(resultMetaXdr).diagnosticsXdr;
  return ofMeta.length > 0 ? ofMeta : diagnosticEventsXdr;
}
