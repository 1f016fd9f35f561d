// A transaction run again with something different: other entries, settings, ledger facts or
// another envelope. The chain's record is about its own run alone: the meta is left
// out, and the fee is known only where the change leaves it known.
// Never a verdict: nothing here was on the chain.

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
  /** Record the call tree. */
  readonly trace?: boolean;
  /** Record what each stack spent. */
  readonly profile?: boolean;
}

/**
 * An Execution whose `resultXdr` is null when the fee that the change leads to is not known. Keys
 * of a changed footprint that neither snapshot nor variant holds run as absent and are in
 * `assumed`: the caller finds them first. Throws what the simulator throws, and XDR_INVALID.
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
    // A refund of nothing and one that could not be paid look alike in a recording.
    feeTakenStroops: paid || isUnchanged(captured, variant) ? feeTakenStroops : null,
    refundIsPaid: paid,
  });
}

/** The input of a variant's run. Of the outcome on chain, `resultXdr` alone is left. */
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
/** Since then ledgers report the rent fee, and it is computed in another way than before. */
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
 * The fee that the fee phase would have taken: the declared resource fee, and of the rest of the
 * bid as much as the ledger's base fee asked (stellar-core, TransactionFrame::getFee). Null if it
 * is not known.
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
