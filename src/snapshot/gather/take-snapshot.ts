// Recording → Snapshot: the ledger state just before the transaction, with how each part is known.
// Ways of knowing, surest first: the transaction's own meta; its ledger's earlier transactions;
// entries that a node has now and that were last modified before; changes in later ledgers.
// Invariant: what no meta or last-modified ledger proves is `assumed` or in `unknown`, never silent.

import { type Clock, systemClock } from "../../base/clock.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Snapshot, SnapshotEntry, UnknownInput } from "../../model/snapshot.ts";
import { askInTurn, type Source } from "../../sources/source.ts";
import { withFootprint } from "../../xdr/envelope/patch-envelope.ts";
import { ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { decideEntry } from "../decide-entry.ts";
import { decideTtl } from "../decide-ttl.ts";
import type { Evidence } from "../evidence.ts";
import type { FootprintKey } from "../folded-footprint.ts";
import type { KnownEntry } from "../known-entry.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import { gatherEvidence, whyNoSource } from "./gather-evidence.ts";
import { openLedgerViews, type ReadingLimits } from "./ledger-views.ts";
import { rentInputsOf, STATE_SIZE_WINDOW_KEY } from "./rent-inputs.ts";
import { settingsOfLedger } from "./settings-of-ledger.ts";

export interface SnapshotDependencies {
  /** In the order they are asked. */
  readonly sources: readonly Source[];
}

export interface SnapshotOptions {
  readonly signal: AbortSignal;
  readonly progress?: (text: string) => void;
  readonly limits?: ReadingLimits;
  readonly clock?: Clock;
}

/** 17 minutes of a public network, and a third of the time a run may take by default. */
const LIMITS: ReadingLimits = { ledgers: 200, milliseconds: 20_000 };

/**
 * `recording`: of a Soroban transaction whose operation ran. Throws the first NETWORK_* when a node
 * that could not be asked leaves something unknown; with a local source its failure is the reason
 * of what is unknown instead, since what a file holds can be had without a network.
 */
export async function takeSnapshot(
  { sources }: SnapshotDependencies,
  record: ChainRecord,
  options: SnapshotOptions,
): Promise<Snapshot> {
  const { networkPassphrase, ledger } = record;
  const { signal, progress = () => {}, limits = LIMITS, clock = systemClock } = options;
  const ledgers = openLedgerViews({ sources, networkPassphrase, signal, limits, clock });
  const { evidence, failures } = await gatherEvidence({ sources, ledgers }, record, {
    signal,
    progress,
  });
  const { entries, unknown } = decideEntries(evidence);
  const settingKeys = decidingSettingKeys(ledger.protocolVersion);
  const asked = await askInTurn(sources, options, (source) =>
    source.fetchLedgerEntries?.([...settingKeys, STATE_SIZE_WINDOW_KEY], options),
  );
  const current = {
    current: asked.answer,
    origin: asked.source?.name ?? whyNoSource(asked.failures),
  };
  const found = await settingsOfLedger(current, settingKeys, ledger.sequence, ledgers);
  const rent = await rentInputsOf(
    evidence,
    ledger.protocolVersion,
    current,
    found.settings,
    ledgers,
  );
  unknown.push(...found.unknown);
  if (rent.reason !== null) unknown.push({ keyXdr: STATE_SIZE_WINDOW_KEY, reason: rent.reason });
  // A refusal is an answer; a node that could not be asked may know what is missing.
  const failure = [...failures, ...asked.failures].find(({ details }) => details.refused !== true);
  const offline = sources.some(({ local }) => local === true);
  if (unknown.length > 0 && failure !== undefined && !offline) throw failure;
  return {
    entries,
    settings: rent.window === null ? found.settings : [...found.settings, rent.window],
    rentFeePer1KbStroops: rent.rentFeePer1KbStroops,
    unknown,
  };
}

/**
 * Entries that the transaction did not name, as they were just before it, by the same rules. Throws
 * what the sources throw that is no failure of a node.
 */
export async function takeEntries(
  { sources }: SnapshotDependencies,
  record: ChainRecord,
  keysXdr: readonly string[],
  options: SnapshotOptions,
): Promise<Decided> {
  const { signal, progress = () => {}, limits = LIMITS, clock = systemClock } = options;
  const { networkPassphrase } = record;
  const ledgers = openLedgerViews({ sources, networkPassphrase, signal, limits, clock });
  const footprint = { readOnly: keysXdr, readWrite: [] };
  const asking = { ...record, envelopeXdr: withFootprint(record.envelopeXdr, footprint) };
  const { evidence } = await gatherEvidence({ sources, ledgers }, asking, { signal, progress });
  return decideEntries(evidence);
}

export interface Decided {
  readonly entries: SnapshotEntry[];
  readonly unknown: UnknownInput[];
}

function decideEntries(evidence: Evidence): Decided {
  const entries: SnapshotEntry[] = [];
  const unknown: UnknownInput[] = [];
  for (const key of evidence.footprint) {
    const decided = decideEntry(evidence, key);
    if ("reason" in decided) unknown.push({ keyXdr: key.keyXdr, reason: decided.reason });
    else entries.push(toSnapshotEntry(evidence, key, decided));
  }
  return { entries, unknown };
}

function toSnapshotEntry(evidence: Evidence, key: FootprintKey, entry: KnownEntry): SnapshotEntry {
  const ttl = decideTtl(evidence, key, entry);
  const archived = entry.archived || (ttl !== null && "archived" in ttl);
  const live = ttl !== null && !("archived" in ttl) ? ttl : null;
  return {
    keyXdr: key.keyXdr,
    entryXdr: entry.entryXdr,
    liveUntilLedger: live?.liveUntilLedger ?? null,
    archived,
    // svc-sim tells by the last-modified ledger; an archived module is in no cache.
    codeCached: archived && key.type === ENTRY_TYPE.contractCode ? false : null,
    provenance: entry.provenance,
    ttlProvenance: ttl?.provenance ?? null,
    ...(live?.provisional === true ? { provisional: "ttl-unchanged" as const } : {}),
  };
}
