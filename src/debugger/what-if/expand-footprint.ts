// A run with overrides can access ledger entries outside the transaction's footprint, and make
// calls that its source account did not authorize. Its sender would have listed them, so one key or
// call that is missing is added per run, and the state of the entries is found by the rules of the
// snapshot. What the original transaction missed stays missing, because that is its own failure.

import { authorize } from "../../fix/authorization.ts";
import {
  declaredBy,
  type FixContext,
  type FixStep,
  type FootprintBlock,
} from "../../fix/fix-context.ts";
import {
  extendFootprint,
  type FootprintContext,
  otherDurability,
  removed,
} from "../../fix/footprint.ts";
import type { Execution } from "../../model/execution.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { type Draft, entriesXdrOf, lookupOf } from "./variant-draft.ts";

interface Growing {
  /** Runs the current draft. */
  readonly run: () => Promise<Execution>;
  readonly findEntries: FixContext["findEntries"];
  /** The execution of the transaction as the chain ran it. */
  readonly original: Execution;
}

/** More than any network allows in a footprint. */
const MAXIMUM_KEYS = 400;

/** Changes the draft's envelope and its found entries, and lists these changes. */
export async function runExpandingFootprint(
  draft: Draft,
  { run, findEntries, original }: Growing,
): Promise<{
  readonly execution: Execution;
  /** Why the footprint could not grow further; null when it was not needed. */
  readonly blocked: FootprintBlock | null;
}> {
  const declared = footprintOf(draft);
  const ownMisses = new Set(missedBy(original, draft));
  const context: FootprintContext = {
    failed: draft.captured.snapshot,
    findEntries,
    nameKey: (keyXdr) => nameOf(draft, keyXdr),
  };
  let execution = await run();
  let blocked: FootprintBlock | null = null;
  for (let keys = 0; keys < MAXIMUM_KEYS; keys += 1) {
    if (missedBy(execution, draft).some((keyXdr) => ownMisses.has(keyXdr))) break;
    const step =
      (await extendFootprint(context, draft, execution)) ??
      (await allowNewCall(draft, original, execution));
    if (step === null) break;
    if (step.kind === "blocked") {
      blocked = step.block;
      break;
    }
    draft.envelope = step.attempt.envelope;
    draft.entries = step.attempt.entries;
    execution = await run();
  }
  execution = await withoutUnneeded(draft, declared, run, execution);
  noteGrowth(draft, declared);
  return { execution, blocked };
}

/** Null if no call of the source account's own is missing. Another address would have to sign. */
async function allowNewCall(
  draft: Draft,
  original: Execution,
  execution: Execution,
): Promise<Extract<FixStep, { readonly kind: "changed" }> | null> {
  if (original.hostError?.type === "Auth") return null;
  const step = await authorize(null, draft, execution);
  if (step?.kind !== "changed") return null;
  if (!draft.changed.some(({ kind }) => kind === "authorizations"))
    draft.changed.push({
      kind: "authorizations",
      what: "calls that the source account authorizes",
      before: "as sent",
      after: "with the changed ones",
    });
  return step;
}

/**
 * The host does not report whether missing data is persistent or temporary, so both keys may have
 * been added. One of them is not needed if the run misses nothing without it.
 */
async function withoutUnneeded(
  draft: Draft,
  declared: ReadonlyMap<string, unknown>,
  run: () => Promise<Execution>,
  execution: Execution,
): Promise<Execution> {
  let last = execution;
  if (missedBy(last, draft).length > 0) return last;
  for (const keyXdr of footprintOf(draft).keys()) {
    const hasBoth = footprintOf(draft).has(otherDurability(keyXdr));
    if (declared.has(keyXdr) || !hasBoth) continue;
    const { envelope } = draft;
    draft.envelope = removed(draft, keyXdr).envelope;
    const tried = await run();
    if (missedBy(tried, draft).length === 0) last = tried;
    else draft.envelope = envelope;
  }
  return last;
}

/** LedgerKeys that the run may have missed; empty when it failed for another reason. */
function missedBy({ diagnosticsXdr }: Execution, draft: Draft): string[] {
  const report = readErrorReports(diagnosticsXdr).at(-1);
  const isMiss = report?.error.type === "Storage" && report.error.code === "ExceededLimit";
  if (!isMiss) return [];
  const entriesXdr = entriesXdrOf(draft);
  const declared = [...footprintOf(draft).keys()];
  return readErrorReports(diagnosticsXdr).flatMap((each) => missedKeys(each, entriesXdr, declared));
}

function footprintOf(draft: Draft): ReadonlyMap<string, "read-only" | "read-write"> {
  const { readOnly, readWrite } = declaredBy(draft).footprint;
  return new Map([
    ...readOnly.map((keyXdr) => [keyXdr, "read-only"] as const),
    ...readWrite.map((keyXdr) => [keyXdr, "read-write"] as const),
  ]);
}

function noteGrowth(draft: Draft, declared: ReturnType<typeof footprintOf>): void {
  for (const [keyXdr, access] of footprintOf(draft)) {
    const before = declared.get(keyXdr);
    if (before === access) continue;
    const entryName = `footprint: ${nameOf(draft, keyXdr)}`;
    draft.changed.push({
      kind: "footprint",
      what: entryName,
      before: before ?? "not included",
      after: access,
    });
  }
}

function nameOf(draft: Draft, keyXdr: string): string {
  return describeTypedKey(keyXdr, lookupOf(draft));
}
