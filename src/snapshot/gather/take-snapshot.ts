// Takes the Snapshot of a ChainRecord from all available sources. The ways of knowing, surest
// first: the transaction's own meta; earlier ledgers, folded, and the earlier transactions of its
// ledger; changes in later ledgers; entries that a node has now and that were last modified before.

import { type Clock, systemClock } from "../../base/clock.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Source } from "../../sources/source.ts";
import type { OpenedRecord } from "../../xdr/envelope/opened-record.ts";
import { type DecidedEntries, decideEntries, decideSnapshot } from "../decide-snapshot.ts";
import { gatherEvidence, type StartEngine } from "./gather-evidence.ts";
import { openLedgerViews, type ReadingLimits } from "./ledger-views.ts";
import { AskedNodes } from "./node-states.ts";

export interface SnapshotDependencies {
  /** The sources in the order of requests. */
  readonly sources: readonly Source[];
  /** The reader of the same sources. */
  readonly ledgers: LedgerReader;
  /** Folds ledgers for one transaction. */
  readonly startEngine: StartEngine;
}

export interface SnapshotOptions {
  readonly signal: AbortSignal;
  readonly limits?: ReadingLimits;
  readonly clock?: Clock;
  readonly progress?: (text: string) => void;
  /** The nodes, with the entries that were prefetched; absent if none were. */
  readonly nodes?: AskedNodes;
}

/** 17 minutes of a public network, and a third of a run's default time. */
export const READING_LIMITS: ReadingLimits = { ledgers: 200, milliseconds: 20_000 };

/**
 * Takes the snapshot. `opened` is a Soroban transaction whose operation ran. Throws the first
 * NETWORK_* if a node that could not be asked leaves something unknown. With a local source, that
 * failure becomes the reason of the unknown part instead, because the contents of a file can be
 * read without a network.
 */
export async function takeSnapshot(
  dependencies: SnapshotDependencies,
  opened: OpenedRecord,
  options: SnapshotOptions,
): Promise<Snapshot> {
  const { evidence, failures } = await gather(dependencies, opened, options, null);
  const snapshot = decideSnapshot(evidence);
  // A refusal is an answer; a node that could not be asked may know what is missing.
  const failure = failures.find(({ details }) => details.refused !== true);
  const offline = dependencies.sources.some(({ local }) => local === true);
  if (snapshot.unknown.length > 0 && failure !== undefined && !offline) throw failure;
  return snapshot;
}

/**
 * Takes entries that the transaction did not name, as they were just before it, by the same rules.
 * Throws the errors of the sources that are not failures of a node.
 */
export async function takeEntries(
  dependencies: SnapshotDependencies,
  opened: OpenedRecord,
  keysXdr: readonly string[],
  options: SnapshotOptions,
): Promise<DecidedEntries> {
  const { evidence } = await gather(dependencies, opened, options, keysXdr);
  return decideEntries(evidence);
}

function gather(
  { sources, ledgers: reader, startEngine }: SnapshotDependencies,
  opened: OpenedRecord,
  options: SnapshotOptions,
  keysXdr: readonly string[] | null,
) {
  const { signal, progress = () => {}, nodes = new AskedNodes(sources) } = options;
  const { limits = READING_LIMITS, clock = systemClock } = options;
  const ledgers = openLedgerViews({ ledgers: reader, signal, limits, clock });
  return gatherEvidence({ ledgers, nodes, startEngine }, opened, { signal, progress }, keysXdr);
}
