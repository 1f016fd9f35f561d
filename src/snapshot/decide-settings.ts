// Evidence → the network settings that held in the transaction's ledger. They are loaded once,
// before its first transaction (LedgerManagerImpl.cpp, applyTransactions): its own upgrades do not
// count.
//
// What the rent fee is computed from is apart: the average size of the Soroban state over a
// window. No meta holds the window's changes; each ledger's close meta has the average and, from
// protocol 23, the rent fee, both as they are after that ledger
// (LedgerCloseMetaFrame::setNetworkConfiguration), so a transaction's are in the ledger before its
// own.

import type { Provenance } from "../model/provenance.ts";
import { endedWith } from "../model/result-code.ts";
import type { SnapshotSetting, UnknownInput } from "../model/snapshot.ts";
import { isKnown, type UnknownState } from "../model/state/entry-state.ts";
import { upgradeType } from "../xdr/ledger/facts-before-upgrades.ts";
import { readKeyedChanges } from "../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";
import {
  STATE_ARCHIVAL_ID,
  STATE_SIZE_WINDOW_ID,
  samplePeriodOf,
  settingKeyOf,
  stateSizeWindowOf,
} from "../xdr/ledger/settings.ts";
import { settingName, settingNameOfId } from "../xdr/reader/keys.ts";
import { type DecidedEntry, decideEntry, isSure } from "./decide-entry.ts";
import type { Evidence } from "./evidence.ts";
import { settingKey } from "./footprint-keys.ts";
import { knownBy } from "./known-entry.ts";
import { decidingSettingKeys } from "./settings/deciding-settings.ts";

export interface DecidedSettings {
  readonly settings: readonly SnapshotSetting[];
  /** Null if svc-sim computes it from the settings' state-size window. */
  readonly rentFeePer1KbStroops: string | null;
  readonly unknown: readonly UnknownInput[];
  /** True if the settings hold for every transaction of the ledger. */
  readonly ofLedger: boolean;
}

export const STATE_SIZE_WINDOW_KEY = settingKeyOf(STATE_SIZE_WINDOW_ID);

export function decideSettings(evidence: Evidence): DecidedSettings {
  const settings: SnapshotSetting[] = [];
  const unknown: UnknownInput[] = [];
  for (const keyXdr of decidingSettingKeys(evidence.ledger.protocolVersion)) {
    const setting = decideSetting(evidence, keyXdr);
    if (!isKnown(setting)) unknown.push({ keyXdr, reason: setting.reason });
    else settings.push({ name: settingName(keyXdr), ...setting });
  }
  const rent = decideRent(evidence, settings);
  if (rent.window !== null) settings.push({ name: WINDOW, ...rent.window });
  else if (rent.feePer1KbStroops === null) {
    unknown.push({ keyXdr: STATE_SIZE_WINDOW_KEY, reason: rent.reason });
  }
  const { feePer1KbStroops: rentFeePer1KbStroops, ofLedger } = rent;
  return { settings, rentFeePer1KbStroops, unknown, ofLedger };
}

type Found = Pick<SnapshotSetting, "entryXdr" | "provenance">;

function decideSetting(evidence: Evidence, keyXdr: string): Found | UnknownState {
  const decided = decideEntry(evidence, settingKey(keyXdr));
  if (isSure(decided) && decided.entryXdr !== null) return found(decided.entryXdr, decided);
  return fromNode(evidence, keyXdr, decided);
}

function fromNode(
  { nodes, transaction }: Evidence,
  keyXdr: string,
  decided: DecidedEntry,
): Found | UnknownState {
  const node = nodes.find(keyXdr);
  if (node === null) return { reason: nodes.reason };
  if (node.entry === null) return { reason: `${node.origin} does not have this setting` };
  const { entryXdr } = node.entry;
  if (node.latestLedger === transaction.ledgerSequence - 1) {
    const detail = `its value in ledger ${node.latestLedger}, according to ${node.origin}`;
    return { entryXdr, provenance: { kind: "rpc-unchanged", detail } };
  }
  if (isKnown(decided)) return found(entryXdr, decided);
  const detail = `its value in ledger ${node.latestLedger}: ${decided.reason}`;
  return { entryXdr, provenance: { kind: "assumed", detail } };
}

function found(entryXdr: string, { provenance }: { readonly provenance: Provenance }): Found {
  return { entryXdr, provenance };
}

interface Rent {
  readonly feePer1KbStroops: string | null;
  /** The state-size window. */
  readonly window: Found | null;
  /** The reason why neither is known. */
  readonly reason: string;
  /** True if it depends on nothing that is the transaction's own. */
  readonly ofLedger: boolean;
}

/** The name of the state-size window. */
export const WINDOW = settingNameOfId(STATE_SIZE_WINDOW_ID);
const ARCHIVAL = settingNameOfId(STATE_ARCHIVAL_ID);
const RENT_FROM_WINDOW_ALONE_SINCE = 23;

function decideRent(evidence: Evidence, settings: readonly SnapshotSetting[]): Rent {
  const { previous, own } = evidence.ledger;
  const before = previous === null ? null : reportedBy(previous, evidence, REPORTED);
  if (before !== null) return before;
  const archival = settings.find(({ name }) => name === ARCHIVAL);
  const leaves = own !== null && archival !== undefined && leavesWindow(own, archival.entryXdr);
  const after = own && reportedBy(own, evidence, leaves ? UNCHANGED : openWindow(evidence, AFTER));
  if (leaves && after !== null) return after;
  // An early close meta reports nothing. An upgrade then shows the window.
  const folded = previous === null ? undefined : evidence.folded?.entry(STATE_SIZE_WINDOW_KEY);
  if (typeof folded === "string") {
    const detail = "as the ledgers before this one left it";
    return windowOf({ entryXdr: folded, provenance: { kind: "ledger-scan", detail } }, true);
  }
  const nodeWindow = windowOfNode(evidence);
  if (nodeWindow?.provenance.kind === "rpc-unchanged" || !after?.window)
    return windowOf(nodeWindow, false);
  return { ...after, ofLedger: false };
}

const REPORTED = knownBy("ledger-scan", "the average that the ledger before this one reports");
const UNCHANGED = knownBy(
  "ledger-scan",
  "the average that this ledger reports; it neither samples the state size nor upgrades",
);

const AFTER = "the average that this ledger reports after it";

function reportedBy(
  { nextRentFeePer1KbStroops, averageStateSizeBytes }: LedgerCloseMetaView,
  { transaction }: Evidence,
  provenance: Provenance,
): Rent | null {
  if (nextRentFeePer1KbStroops === null && averageStateSizeBytes === null) return null;
  const before = transaction.ledgerSequence - 1;
  const window =
    averageStateSizeBytes === null
      ? null
      : { entryXdr: stateSizeWindowOf(averageStateSizeBytes, before), provenance };
  return { feePer1KbStroops: nextRentFeePer1KbStroops, window, reason: "", ofLedger: true };
}

const VERSION_UPGRADE = 1;

/**
 * True if the ledger neither samples the state size nor upgrades the protocol or a setting, so that
 * its report holds before it too.
 */
function leavesWindow({ facts, upgrades }: LedgerCloseMetaView, archivalXdr: string): boolean {
  const upgradesRent = upgrades.some(
    ({ upgrade, changes }) =>
      upgradeType(upgrade) === VERSION_UPGRADE || readKeyedChanges(changes).length > 0,
  );
  return !upgradesRent && facts.sequence % samplePeriodOf(archivalXdr) !== 0;
}

function windowOf(window: Found | null, ofLedger: boolean): Rent {
  return {
    feePer1KbStroops: null,
    window,
    reason: "no source has the state-size window",
    ofLedger,
  };
}

function windowOfNode(evidence: Evidence): Found | null {
  const { nodes, transaction } = evidence;
  const node = nodes.find(STATE_SIZE_WINDOW_KEY);
  if (node === null || node.entry === null) return null;
  const { entryXdr, lastModifiedLedger } = node.entry;
  const { ledgerSequence } = transaction;
  if (lastModifiedLedger < ledgerSequence && node.latestLedger >= ledgerSequence - 1) {
    const detail = `last modified in ledger ${lastModifiedLedger}, according to ${node.origin}`;
    return { entryXdr, provenance: { kind: "rpc-unchanged", detail } };
  }
  return { entryXdr, provenance: openWindow(evidence, `as ledger ${lastModifiedLedger} left it`) };
}

/**
 * The provenance of a window that may differ from the one before the transaction's ledger. `detail`
 * says which window it is.
 */
function openWindow(
  { transaction, operationResult, ledger }: Evidence,
  detail: string,
): Provenance {
  // Before protocol 23 the fee for written bytes, which is not refundable, depends on the window
  // too.
  const onlyRent = ledger.protocolVersion >= RENT_FROM_WINDOW_ALONE_SINCE;
  if (
    onlyRent &&
    !transaction.succeeded &&
    !endedWith(operationResult, "insufficientRefundableFee")
  ) {
    const why = "it decides rent alone, and a failure that is not for lack of fee pays none";
    return { kind: "deduced", detail: `${detail}; ${why}` };
  }
  return { kind: "assumed", detail: `${detail}; it decides the rent fee` };
}
