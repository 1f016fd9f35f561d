// A Variant under construction, while overrides are applied one after the other.

import { SvcError } from "../../base/errors/errors.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Provenance } from "../../model/provenance.ts";
import type { SnapshotEntry, SnapshotSetting } from "../../model/snapshot.ts";
import type { ChangedInput } from "../../model/what-if.ts";
import { type ContractLookup, contractLookup } from "../../xdr/contract/contract-specs.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { Replayable, Variant } from "../run/run-variant.ts";

export interface Draft {
  readonly captured: Replayable;
  envelope: Envelope;
  ledger: LedgerFacts;
  /** Overridden entries, by key. */
  readonly entries: Map<string, SnapshotEntry>;
  /** Entries that the run needs in addition to the snapshot's or instead of them, by key. */
  readonly found: Map<string, SnapshotEntry>;
  /** By name. */
  readonly settings: Map<string, SnapshotSetting>;
  readonly changed: ChangedInput[];
  /** One sentence for each open point of the changes. */
  readonly remarks: string[];
}

export const BY_USER: Provenance = { kind: "override", detail: "" };

export function draftOf(captured: Replayable): Draft {
  return {
    captured,
    envelope: captured.envelope,
    ledger: captured.record.ledger,
    entries: new Map(),
    found: new Map(),
    settings: new Map(),
    changed: [],
    remarks: [],
  };
}

/** Leaves out everything that did not change, so that the chain's facts about it stay valid. */
export function variantOf(draft: Draft): Variant {
  const { captured, envelope, ledger, settings } = draft;
  const entries = new Map([...draft.found, ...draft.entries]);
  return {
    ...(envelope.xdr !== captured.envelope.xdr && { envelope }),
    ...(ledger !== captured.record.ledger && { ledger }),
    ...(entries.size > 0 && { entries }),
    ...(settings.size > 0 && { settings: [...settings.values()] }),
  };
}

/** Undefined: neither overridden nor in the snapshot. */
export function entryOf({ captured, entries }: Draft, keyXdr: string): SnapshotEntry | undefined {
  return entries.get(keyXdr) ?? captured.snapshot.entries.find((entry) => entry.keyXdr === keyXdr);
}

/** LedgerEntries of the draft's state. */
export function entriesXdrOf({ captured, entries, found }: Draft): string[] {
  const others = [...captured.snapshot.entries, ...found.values()].filter(
    ({ keyXdr }) => !entries.has(keyXdr),
  );
  return [...others, ...entries.values()].flatMap(({ entryXdr }) => entryXdr ?? []);
}

/** The contracts of the draft's state. */
export function lookupOf(draft: Draft): ContractLookup {
  const isUnchanged = draft.entries.size + draft.found.size === 0;
  return isUnchanged
    ? lookupIn(draft.captured.snapshot.entries)
    : contractLookup(entriesXdrOf(draft));
}

export function settingsOf({ captured, settings }: Draft): SnapshotSetting[] {
  const others = captured.snapshot.settings.filter(({ name }) => !settings.has(name));
  return [...others, ...settings.values()];
}

/** `field`: name of the override, in the user's spelling. */
export function impossible(field: string, why: string, remedy?: string): SvcError {
  return new SvcError("OVERRIDE_IMPOSSIBLE", {
    message: `${field}: ${why}.`,
    remedy: remedy ?? "Override something that the transaction has.",
    details: { field },
  });
}
