// The network settings that hold in one ledger. They are loaded once, before its first transaction
// (LedgerManagerImpl.cpp, applyTransactions), so what the ledger itself upgrades does not count.

import type { Provenance, SnapshotSetting, UnknownInput } from "../../model/snapshot.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import {
  STATE_ARCHIVAL_ID,
  STATE_SIZE_WINDOW_ID,
  samplePeriodOf,
  settingKeyOf,
  stateSizeWindowOf,
} from "../../xdr/ledger/settings.ts";
import { settingName, settingNameOfId } from "../../xdr/reader/keys.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import { initialSettings } from "../settings/initial-settings.ts";
import type { FirstMentions } from "./first-mentions.ts";
import type { LedgerState } from "./ledger-state.ts";
import type { NodeEntries, NodeEntry } from "./node-entries.ts";

export interface LedgerSettings {
  readonly settings: readonly SnapshotSetting[];
  readonly rentFeePer1KbStroops: string | null;
  readonly unknown: readonly UnknownInput[];
}

const FOLDED: Provenance = {
  kind: "ledger-scan",
  detail: "as the ledgers before this one left it",
};
const FORETOLD: Provenance = {
  kind: "ledger-scan",
  detail: "no ledger changed it until a later one, which shows its value before the change",
};
const OF_GENESIS: Provenance = {
  kind: "ledger-scan",
  detail: "no ledger since genesis changed the value that this protocol begins with",
};
const REPORTED: Provenance = {
  kind: "ledger-scan",
  detail: "the average that the ledger before this one reports",
};
const UNCHANGED: Provenance = {
  kind: "ledger-scan",
  detail: "the average that this ledger reports; it neither samples the state size nor upgrades",
};

export class SettingsFold {
  private readonly state: LedgerState;
  private readonly firstMentions: FirstMentions;
  private readonly told: NodeEntries;
  /** LedgerKey → entry, of a genesis ledger that already ran a Soroban protocol. */
  private readonly genesis: ReadonlyMap<string, string>;
  /** Until a setting changes every ledger has the same ones, and callers may rely on identity. */
  private last: { readonly key: string; readonly value: LedgerSettings } | null = null;

  /** `genesisProtocol`: null when the stream does not begin there. */
  constructor(
    state: LedgerState,
    firstMentions: FirstMentions,
    told: NodeEntries,
    genesisProtocol: number | null,
  ) {
    this.state = state;
    this.firstMentions = firstMentions;
    this.told = told;
    const initial = genesisProtocol === null ? [] : [...initialSettings(genesisProtocol)];
    this.genesis = new Map(initial.map(([id, entryXdr]) => [settingKeyOf(id), entryXdr]));
  }

  /** `previous`: the ledger just before, when the stream holds it. Call before folding `view`. */
  at(
    view: LedgerCloseMetaView,
    previous: LedgerCloseMetaView | null,
    protocol: number,
  ): LedgerSettings {
    const { nextRentFeePer1KbStroops: rentFee, averageStateSizeBytes: size } = previous ?? view;
    const first = previous === null ? view.facts.sequence : 0;
    const revisions = [this.state.settingsRevision, this.told.revision];
    const key = [...revisions, protocol, rentFee, size, first].join();
    if (this.last?.key === key) return this.last.value;
    const value = this.read(view, previous, protocol);
    this.last = { key, value };
    return value;
  }

  private read(
    view: LedgerCloseMetaView,
    previous: LedgerCloseMetaView | null,
    protocol: number,
  ): LedgerSettings {
    const settings: SnapshotSetting[] = [];
    const unknown: UnknownInput[] = [];
    for (const keyXdr of decidingSettingKeys(protocol)) {
      const found =
        known(this.state.entry(keyXdr), FOLDED) ??
        known(this.firstMentions.entries.get(keyXdr), FORETOLD) ??
        known(this.genesis.get(keyXdr), OF_GENESIS) ??
        toldSetting(this.told.find(keyXdr));
      if (found === null) unknown.push({ keyXdr, reason: "no ledger of the stream shows it" });
      else settings.push(toSetting(keyXdr, found));
    }
    const unchanged = neitherSamplesNorUpgrades(view, settings);
    const window = stateSizeWindow(this.state, view, previous, unchanged);
    const reporting = previous ?? (unchanged ? view : null);
    const rentFeePer1KbStroops = reporting?.nextRentFeePer1KbStroops ?? null;
    if (window !== null) settings.push(window);
    else if (rentFeePer1KbStroops === null) {
      const keyXdr = settingKeyOf(STATE_SIZE_WINDOW_ID);
      unknown.push({ keyXdr, reason: "the ledger before this one is not in the stream" });
    }
    return { settings, rentFeePer1KbStroops, unknown };
  }
}

function toldSetting(told: NodeEntry | undefined): ReturnType<typeof known> {
  return told === undefined ? null : known(told.entryXdr, told.provenance);
}

function toSetting(
  keyXdr: string,
  { entryXdr, provenance }: Pick<SnapshotSetting, "entryXdr" | "provenance">,
): SnapshotSetting {
  return { name: settingName(keyXdr), entryXdr, provenance };
}

function known(
  entryXdr: string | null | undefined,
  provenance: Provenance,
): { entryXdr: string; provenance: Provenance } | null {
  return entryXdr === null || entryXdr === undefined ? null : { entryXdr, provenance };
}

/**
 * stellar-core changes the window without writing it to any meta; what it writes is the average
 * once the ledger closed (LedgerCloseMetaFrame::setNetworkConfiguration).
 */
function stateSizeWindow(
  state: LedgerState,
  view: LedgerCloseMetaView,
  previous: LedgerCloseMetaView | null,
  unchanged: boolean,
): SnapshotSetting | null {
  const name = settingNameOfId(STATE_SIZE_WINDOW_ID);
  const ledger = view.facts.sequence - 1;
  const reported = previous?.averageStateSizeBytes ?? null;
  if (reported !== null) {
    return { name, entryXdr: stateSizeWindowOf(reported, ledger), provenance: REPORTED };
  }
  const entryXdr = state.entry(settingKeyOf(STATE_SIZE_WINDOW_ID));
  if (previous !== null && typeof entryXdr === "string") {
    return { name, entryXdr, provenance: FOLDED };
  }
  const own = unchanged ? view.averageStateSizeBytes : null;
  if (own === null) return null;
  return { name, entryXdr: stateSizeWindowOf(own, ledger), provenance: UNCHANGED };
}

function neitherSamplesNorUpgrades(
  view: LedgerCloseMetaView,
  settings: readonly SnapshotSetting[],
): boolean {
  const name = settingNameOfId(STATE_ARCHIVAL_ID);
  const archival = settings.find((setting) => setting.name === name);
  if (archival === undefined || view.upgrades.length > 0) return false;
  return view.facts.sequence % samplePeriodOf(archival.entryXdr) !== 0;
}
