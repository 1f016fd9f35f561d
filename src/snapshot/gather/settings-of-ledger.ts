// The network settings that held in the transaction's ledger. They are loaded once, before its first
// transaction (LedgerManagerImpl.cpp, applyTransactions), so its own upgrades do not count.

import type { Provenance, SnapshotSetting, UnknownInput } from "../../model/snapshot.ts";
import type { CurrentLedgerEntries } from "../../sources/source.ts";
import { readKeyedChanges } from "../../xdr/ledger/keyed-change.ts";
import { settingName } from "../../xdr/reader/keys.ts";
import { traceBack } from "./later-changes.ts";
import type { LedgerViews } from "./ledger-views.ts";

/** Settings as some node has them now, and who said so; when nobody did, why. */
export interface CurrentSettings {
  readonly current: CurrentLedgerEntries | null;
  readonly origin: string;
}

export interface FoundSettings {
  readonly settings: SnapshotSetting[];
  readonly unknown: UnknownInput[];
}

type Found = Pick<SnapshotSetting, "entryXdr" | "provenance">;

export async function settingsOfLedger(
  { current, origin }: CurrentSettings,
  keysXdr: readonly string[],
  ledgerSequence: number,
  ledgers: LedgerViews,
): Promise<FoundSettings> {
  const settings: SnapshotSetting[] = [];
  const unknown: UnknownInput[] = [];
  const behind = current !== null && current.latestLedger < ledgerSequence - 1;
  const upgraded = behind
    ? await foldUpgrades(ledgers, current.latestLedger + 1, ledgerSequence - 1)
    : new Map<string, string>();
  for (const keyXdr of keysXdr) {
    const now = current?.entries.get(keyXdr);
    if (current === null || now === undefined) {
      const reason = current === null ? origin : `${origin} does not have this setting`;
      unknown.push({ keyXdr, reason });
      continue;
    }
    let found: Found;
    if (upgraded === null) {
      const detail = `as ledger ${current.latestLedger} had it; the ledgers between are missing`;
      found = { entryXdr: now.entryXdr, provenance: { kind: "assumed", detail } };
    } else if (now.lastModifiedLedger < ledgerSequence) {
      const detail = `last modified in ledger ${now.lastModifiedLedger}, says ${origin}`;
      found = upgradedOr(upgraded.get(keyXdr), now.entryXdr, { kind: "rpc-unchanged", detail });
    } else {
      found = await beforeUpgrade(ledgers, now, ledgerSequence);
    }
    settings.push({ name: settingName(keyXdr), ...found });
  }
  return { settings, unknown };
}

function upgradedOr(upgraded: string | undefined, entryXdr: string, provenance: Provenance): Found {
  if (upgraded === undefined) return { entryXdr, provenance };
  const detail = "as an upgrade just before the transaction's ledger left it";
  return { entryXdr: upgraded, provenance: { kind: "ledger-scan", detail } };
}

async function beforeUpgrade(
  ledgers: LedgerViews,
  now: { readonly keyXdr: string; readonly entryXdr: string; readonly lastModifiedLedger: number },
  ledgerSequence: number,
): Promise<Found> {
  const traced = await traceBack(ledgers, now.keyXdr, now.lastModifiedLedger, ledgerSequence);
  if (traced.kind === "entry") return traced;
  const detail = `as it is now: ${traced.reason}`;
  return { entryXdr: now.entryXdr, provenance: { kind: "assumed", detail } };
}

/** What upgrades made of settings; null when a ledger is missing. */
async function foldUpgrades(
  ledgers: LedgerViews,
  first: number,
  last: number,
): Promise<Map<string, string> | null> {
  const upgraded = new Map<string, string>();
  let next = first;
  for await (const view of ledgers.run(first, last)) {
    for (const { changes } of view.upgrades) {
      for (const { keyXdr, entryXdr } of readKeyedChanges(changes)) {
        if (entryXdr !== null) upgraded.set(keyXdr, entryXdr);
      }
    }
    next += 1;
  }
  return next > last ? upgraded : null;
}
