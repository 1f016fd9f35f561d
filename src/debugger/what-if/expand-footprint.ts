// A run with overrides can be led to ledger entries that the transaction did not name. Whoever sent
// it so would have named them, so its footprint grows by what the run misses, one key a run, and
// their state is found by the rules of the snapshot. What the transaction as it was sent missed it
// still misses: that is its own failure.

import type { Attempt, FixContext } from "../../fix/fix-context.ts";
import {
  extendFootprint,
  type FootprintBench,
  otherDurability,
  removed,
} from "../../fix/footprint.ts";
import type { Execution } from "../../model/execution.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { type Draft, entriesXdrOf, envelopeOf } from "./variant-draft.ts";

export interface Grown {
  readonly execution: Execution;
  /** Why it could not grow further, a sentence; null: it need not. */
  readonly blocked: string | null;
}

interface Growing {
  /** Runs what the draft has by now. */
  readonly run: () => Promise<Execution>;
  readonly findEntries: FixContext["findEntries"];
  /** Of the transaction as the chain ran it. */
  readonly original: Execution;
}

/** More than any network takes in a footprint. */
const MAXIMUM_KEYS = 400;

/** Changes the draft's envelope and what it found, and says so in what changed. */
export async function runGrowing(
  draft: Draft,
  { run, findEntries, original }: Growing,
): Promise<Grown> {
  const declared = footprintOf(draft);
  const ownMisses = new Set(missedBy(original, draft));
  const bench: FootprintBench = {
    failed: draft.captured.snapshot,
    findEntries,
    nameKey: (keyXdr) => nameOf(draft, keyXdr),
  };
  let execution = await run();
  let blocked: string | null = null;
  for (let keys = 0; keys < MAXIMUM_KEYS; keys += 1) {
    if (missedBy(execution, draft).some((keyXdr) => ownMisses.has(keyXdr))) break;
    const step = await extendFootprint(bench, attemptOf(draft), execution);
    if (step === null) break;
    if (step.kind === "blocked") {
      blocked = step.reason;
      break;
    }
    draft.envelopeXdr = step.attempt.envelopeXdr;
    note(draft, step.attempt.entries);
    execution = await run();
  }
  execution = await withoutNeedless(draft, declared, run, execution);
  tellGrowth(draft, declared);
  return { execution, blocked };
}

/**
 * The host does not tell whether data that it missed is persistent or temporary, so both may have
 * been named: one of them is needless when the run misses nothing without it.
 */
async function withoutNeedless(
  draft: Draft,
  declared: ReadonlyMap<string, unknown>,
  run: () => Promise<Execution>,
  execution: Execution,
): Promise<Execution> {
  let last = execution;
  if (missedBy(last, draft).length > 0) return last;
  for (const keyXdr of footprintOf(draft).keys()) {
    const hasCaveats = footprintOf(draft).has(otherDurability(keyXdr));
    if (declared.has(keyXdr) || !hasCaveats) continue;
    const { envelopeXdr } = draft;
    draft.envelopeXdr = removed(attemptOf(draft), keyXdr).envelopeXdr;
    const tried = await run();
    if (missedBy(tried, draft).length === 0) last = tried;
    else draft.envelopeXdr = envelopeXdr;
  }
  return last;
}

function attemptOf({ envelopeXdr, found, entries }: Draft): Attempt {
  return { envelopeXdr, entries: new Map([...found, ...entries]), restoredFirst: [] };
}

function note(draft: Draft, entries: ReadonlyMap<string, SnapshotEntry>): void {
  for (const [keyXdr, entry] of entries)
    if (!draft.entries.has(keyXdr)) draft.found.set(keyXdr, entry);
}

/** LedgerKeys that the run may have missed; empty when that is not what it failed of. */
function missedBy({ diagnosticsXdr }: Execution, draft: Draft): string[] {
  const report = readErrorReports(diagnosticsXdr).at(-1);
  const isMiss = report?.error.type === "Storage" && report.error.code === "ExceededLimit";
  if (!isMiss) return [];
  const entriesXdr = entriesXdrOf(draft);
  return readErrorReports(diagnosticsXdr).flatMap((each) => missedKeys(each, entriesXdr));
}

function footprintOf(draft: Draft): ReadonlyMap<string, "read-only" | "read-write"> {
  const { readOnly, readWrite } = envelopeOf(draft).soroban.footprint;
  return new Map([
    ...readOnly.map((keyXdr) => [keyXdr, "read-only"] as const),
    ...readWrite.map((keyXdr) => [keyXdr, "read-write"] as const),
  ]);
}

function tellGrowth(draft: Draft, declared: ReturnType<typeof footprintOf>): void {
  for (const [keyXdr, access] of footprintOf(draft)) {
    const before = declared.get(keyXdr);
    if (before === access) continue;
    const what = `footprint: ${nameOf(draft, keyXdr)}`;
    draft.changed.push({ what, before: before ?? "not named", after: access });
  }
}

function nameOf(draft: Draft, keyXdr: string): string {
  return describeTypedKey(keyXdr, contractLookup(entriesXdrOf(draft)));
}
