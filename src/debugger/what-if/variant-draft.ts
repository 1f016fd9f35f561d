// A Variant under construction, while overrides are applied one after the other.

import { SvcError } from "../../base/errors/errors.ts";
import type { Variant } from "../../fix/variant.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Provenance } from "../../model/provenance.ts";
import { type SnapshotEntry, type SnapshotSetting, snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import type { ChangedInput } from "../../model/what-if.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { changedEntries, type Replayable } from "../run/run-variant.ts";

export interface Draft extends Variant {
  readonly captured: Replayable;
  envelope: Envelope;
  ledger: LedgerFacts;
  entries: Variant["entries"];
  settings: ReadonlyMap<string, SnapshotSetting>;
  /** Keys of the entries that the user overrode; the run needs the other ones. */
  readonly overridden: Set<string>;
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
    settings: new Map(),
    restoredFirst: [],
    overridden: new Set(),
    changed: [],
    remarks: [],
  };
}

/** Puts an entry into the draft that the user overrode. */
export function overrideEntry(draft: Draft, entry: SnapshotEntry): void {
  setEntry(draft, entry);
  draft.overridden.add(entry.keyXdr);
}

/** Puts an entry into the draft that the run needs. */
export function setEntry(draft: Draft, entry: SnapshotEntry): void {
  draft.entries = new Map([...draft.entries, [entry.keyXdr, entry]]);
}

export function setSetting(draft: Draft, setting: SnapshotSetting): void {
  draft.settings = new Map([...draft.settings, [setting.name, setting]]);
}

/** The entry of the user's overrides, or else of the snapshot; null if neither has it. */
export function entryInDraft(draft: Draft, keyXdr: string): SnapshotEntry | null {
  if (draft.overridden.has(keyXdr)) return draft.entries.get(keyXdr) ?? null;
  return knownIn(snapshotState(draft.captured.snapshot), keyXdr);
}

/** The draft's state. */
function stateInDraft({ captured, entries }: Draft): readonly SnapshotEntry[] {
  return changedEntries(entries)(captured.snapshot.entries);
}

export function entriesXdrOf(draft: Draft): string[] {
  return stateInDraft(draft).flatMap(({ entryXdr }) => entryXdr ?? []);
}

/** The contracts of the draft's state. */
export function lookupOf(draft: Draft): ContractLookup {
  return lookupIn(stateInDraft(draft));
}

export function settingsInDraft({ captured, settings }: Draft): SnapshotSetting[] {
  const others = captured.snapshot.settings.filter(({ name }) => !settings.has(name));
  return [...others, ...settings.values()];
}

/**
 * `field` is the name of the override in the user's spelling, `why` a clause, and `because` the
 * sentences that explain it.
 */
export function overrideImpossible(
  field: string,
  why: string,
  remedy = "Override something that the transaction has.",
  because: string | null = null,
): SvcError {
  return new SvcError("OVERRIDE_IMPOSSIBLE", {
    message: because === null ? `${field}: ${why}.` : `${field}: ${why}. ${because}`,
    remedy,
    details: { field },
  });
}
