// A Variant while overrides are applied to it, one after the other.

import { SvcError } from "../../base/errors/errors.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Provenance, SnapshotEntry, SnapshotSetting } from "../../model/snapshot.ts";
import type { ChangedInput } from "../../model/what-if.ts";
import {
  type EnvelopeFacts,
  readEnvelope,
  type SorobanFacts,
} from "../../xdr/envelope/envelope.ts";
import type { Replayable, Variant } from "../run/run-variant.ts";

export interface Draft {
  readonly captured: Replayable;
  envelopeXdr: string;
  ledger: LedgerFacts;
  /** What was overridden, by key. */
  readonly entries: Map<string, SnapshotEntry>;
  /** Entries that the run needs beside the snapshot's, or in their place, by key. */
  readonly found: Map<string, SnapshotEntry>;
  /** By name. */
  readonly settings: Map<string, SnapshotSetting>;
  readonly changed: ChangedInput[];
  /** What the changes leave open, a sentence each. */
  readonly remarks: string[];
}

export const OVERRIDDEN: Provenance = { kind: "assumed", detail: "overridden" };

export function draftOf(captured: Replayable): Draft {
  const { envelopeXdr, ledger } = captured.record;
  return {
    captured,
    envelopeXdr,
    ledger,
    entries: new Map(),
    found: new Map(),
    settings: new Map(),
    changed: [],
    remarks: [],
  };
}

/** What is as it was stays unnamed, so that what the chain says of it still holds. */
export function variantOf(draft: Draft): Variant {
  const { captured, envelopeXdr, ledger, settings } = draft;
  const entries = new Map([...draft.found, ...draft.entries]);
  return {
    ...(envelopeXdr !== captured.record.envelopeXdr && { envelopeXdr }),
    ...(ledger !== captured.record.ledger && { ledger }),
    ...(entries.size > 0 && { entries }),
    ...(settings.size > 0 && { settings: [...settings.values()] }),
  };
}

/** Undefined: neither overridden nor in the snapshot. */
export function entryOf({ captured, entries }: Draft, keyXdr: string): SnapshotEntry | undefined {
  return entries.get(keyXdr) ?? captured.snapshot.entries.find((entry) => entry.keyXdr === keyXdr);
}

/** LedgerEntries of the state as the draft has it. */
export function entriesXdrOf({ captured, entries, found }: Draft): string[] {
  const others = [...captured.snapshot.entries, ...found.values()].filter(
    ({ keyXdr }) => !entries.has(keyXdr),
  );
  return [...others, ...entries.values()].flatMap(({ entryXdr }) => entryXdr ?? []);
}

export function settingsOf({ captured, settings }: Draft): SnapshotSetting[] {
  const others = captured.snapshot.settings.filter(({ name }) => !settings.has(name));
  return [...others, ...settings.values()];
}

export function envelopeOf(draft: Draft): EnvelopeFacts & { readonly soroban: SorobanFacts } {
  const facts = readEnvelope(draft.envelopeXdr, draft.captured.record.networkPassphrase);
  // Nothing else has a snapshot.
  return facts as EnvelopeFacts & { readonly soroban: SorobanFacts };
}

/** `field`: as the user wrote it. */
export function impossible(field: string, why: string, remedy?: string): SvcError {
  return new SvcError("OVERRIDE_IMPOSSIBLE", {
    message: `${field}: ${why}.`,
    remedy: remedy ?? "Override what the transaction has; docs/what-if.md shows every form.",
    details: { field },
  });
}
