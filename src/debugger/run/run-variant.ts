// Runs a transaction again with something different: other entries, settings, ledger facts, or
// another envelope. The chain's record is about its own run alone, so the meta is left out, and the
// fee is known only if the change does not affect it. A variant never gets a verdict, because it
// did not happen on the chain.

import type { Variant } from "../../fix/variant.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Execution } from "../../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { type OpenedRecord, openRecord } from "../../xdr/envelope/opened-record.ts";
import { changedFacts } from "../../xdr/ledger/facts-before-upgrades.ts";
import { LEDGER_COST_ID, STATE_SIZE_WINDOW_ID, settingKeyOf } from "../../xdr/ledger/settings.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import { readOnce } from "../../xdr/reader/read-once.ts";
import type { Engines } from "./replay.ts";
import { type Recorded, RunSet } from "./run-set.ts";

/** A transaction whose operation ran, with its snapshot. */
export interface Replayable extends OpenedRecord {
  readonly snapshot: Snapshot;
}

export interface VariantOptions {
  readonly signal: AbortSignal;
  /** True to record the call tree. */
  readonly trace?: boolean;
  /** True to record the cost of each stack. */
  readonly profile?: boolean;
}

/**
 * Returns an Execution whose `resultXdr` is null if the fee that follows from the change is
 * unknown. A key of a changed footprint that neither the snapshot nor the variant has runs as
 * absent, and is listed in `assumed`, so the caller has to find it first. Throws the errors of the
 * simulator, and XDR_INVALID.
 */
export async function runVariant(
  engines: Engines,
  captured: Replayable,
  variant: Partial<Variant>,
  options: VariantOptions,
): Promise<Execution> {
  const runs = new RunSet(engines, variantRequest(captured, variant));
  return runs.get(recordedBy(options), { signal: options.signal, step: "replay" });
}

/** The facts that the run of a variant records. */
export function recordedBy({ trace = false, profile = false }: VariantOptions): Recorded {
  return profile ? { trace, profile } : { trace };
}

/** The request of the variant's runs, whatever they record. */
export function variantRequest(captured: Replayable, variant: Partial<Variant>): ReplayRequest {
  const { record, envelope, snapshot } = applyVariant(captured, variant);
  const feeTakenStroops = feeTakenOf(captured, envelope);
  const paid = captured.chain.refundIsPaid;
  return replayRequest(record, snapshot, {
    trace: false,
    diagnostics: true,
    // In a recording, a refund of nothing looks like a refund that could not be paid.
    feeTakenStroops: paid || isUnchanged(captured, variant) ? feeTakenStroops : null,
    refundIsPaid: paid,
  });
}

/** The input of a variant's run. Of the outcome on chain, it keeps only `resultXdr`. */
export function applyVariant(captured: Replayable, variant: Partial<Variant>): Replayable {
  const { record, snapshot } = captured;
  const { envelope = captured.envelope, ledger = record.ledger } = variant;
  const isOfLedger = ledger === record.ledger;
  const varied = {
    ...record,
    hash: envelope.hash,
    innerHash: envelope.innerHash,
    envelopeXdr: envelope.xdr,
    resultMetaXdr: null,
    feeChangesXdr: null,
    refundChangesXdr: null,
    diagnosticEventsXdr: [],
    ledger: isOfLedger ? record.ledger : changedFacts(record.ledger, ledger),
  };
  return {
    ...openRecord(varied, envelope),
    snapshot: changedSnapshot(snapshot, record.ledger, variant),
  };
}

function isUnchanged(captured: Replayable, variant: Partial<Variant>): boolean {
  const { envelope, entries, settings, ledger = captured.record.ledger } = variant;
  return (
    (envelope === undefined || envelope.xdr === captured.envelope.xdr) &&
    (entries?.size ?? 0) === 0 &&
    (settings?.size ?? 0) === 0 &&
    ledger === captured.record.ledger
  );
}

/** The settings that the rent fee is computed from. */
const RENT_SETTINGS = [LEDGER_COST_ID, STATE_SIZE_WINDOW_ID].map((id) =>
  settingName(settingKeyOf(id)),
);
/** From this protocol on, ledgers report the rent fee, and compute it in another way. */
const RENT_REPORTED_PROTOCOL = 23;

function changedSnapshot(
  snapshot: Snapshot,
  before: LedgerFacts,
  variant: Partial<Variant>,
): Snapshot {
  const { entries = NOTHING, settings = new Map(), ledger } = variant;
  const protocol = ledger?.protocolVersion ?? before.protocolVersion;
  const isReported = (version: number) => version >= RENT_REPORTED_PROTOCOL;
  const rentStays =
    isReported(protocol) === isReported(before.protocolVersion) &&
    !RENT_SETTINGS.some((name) => settings.has(name));
  return {
    entries: changedEntries(entries)(snapshot.entries),
    settings: [
      ...snapshot.settings.filter(({ name }) => !settings.has(name)),
      ...settings.values(),
    ],
    rentFeePer1KbStroops: rentStays ? snapshot.rentFeePer1KbStroops : null,
    unknown: snapshot.unknown.filter(({ keyXdr }) => !entries.has(keyXdr)),
  };
}

type Changes = Variant["entries"];
const NOTHING: Changes = new Map();
type Entries = readonly SnapshotEntry[];

/** Attempts with the same changes share one state. */
export const changedEntries: (changes: Changes) => (before: Entries) => Entries = readOnce(
  (changes) =>
    readOnce((before) => {
      if (changes.size === 0) return before;
      const held = new Set(before.map(({ keyXdr }) => keyXdr));
      return [
        ...before.map((entry) => changes.get(entry.keyXdr) ?? entry),
        ...[...changes.values()].filter(({ keyXdr }) => !held.has(keyXdr)),
      ];
    }),
);

/**
 * The fee that the fee phase would have taken: the declared resource fee, and as much of the rest
 * of the bid as the ledger's base fee required (stellar-core, TransactionFrame::getFee). Null if it
 * is unknown.
 */
function feeTakenOf({ chain, envelope }: OpenedRecord, changed: Envelope): string | null {
  const taken = chain.feeTakenStroops;
  if (taken === null || changed.xdr === envelope.xdr) return taken;
  const before = bidOf(envelope);
  const after = bidOf(changed);
  const inclusionFee = BigInt(taken) - before.resourceFee;
  // If the fee took the full bid, a higher bid could have paid more.
  const isKnown =
    after.inclusion === before.inclusion ||
    (after.inclusion >= inclusionFee && inclusionFee < before.inclusion);
  return isKnown ? (after.resourceFee + inclusionFee).toString() : null;
}

function bidOf({ feeBidStroops, soroban }: Envelope) {
  const resourceFee = BigInt(soroban?.resourceFeeStroops ?? "0");
  return { resourceFee, inclusion: BigInt(feeBidStroops) - resourceFee };
}
