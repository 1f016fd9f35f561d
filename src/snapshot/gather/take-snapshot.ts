// ChainRecord → Snapshot, from whatever sources there are. Ways of knowing, surest first: the
// transaction's own meta; earlier ledgers, folded, and its ledger's earlier transactions; changes in
// later ledgers; entries that a node has now and that were last modified before.

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
  /** In the order they are asked. */
  readonly sources: readonly Source[];
  /** Of the same sources. */
  readonly ledgers: LedgerReader;
  /** Folds ledgers for one transaction. */
  readonly startEngine: StartEngine;
}

export interface SnapshotOptions {
  readonly signal: AbortSignal;
  readonly limits?: ReadingLimits;
  readonly clock?: Clock;
  readonly progress?: (text: string) => void;
  /** With what was prefetched; absent: nothing. */
  readonly nodes?: AskedNodes;
}

/** 17 minutes of a public network, and a third of the time a run may take by default. */
export const READING_LIMITS: ReadingLimits = { ledgers: 200, milliseconds: 20_000 };

/**
 * `opened`: of a Soroban transaction whose operation ran. Throws the first NETWORK_* when a node
 * that could not be asked leaves something unknown; with a local source its failure is the reason
 * of what is unknown instead, since what a file holds can be had without a network.
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
 * Entries that the transaction did not name, as they were just before it, by the same rules. Throws
 * what the sources throw that is not a failure of a node.
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
