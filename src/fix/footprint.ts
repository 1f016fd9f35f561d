// Entries that are missing from the footprint, or are read-only in it although they are written. A
// run reports one of them. Its key is added read-only first, and made read-write when the next run
// reports that it is written.

import { withFullStop } from "../base/text/sentence.ts";
import type { Execution } from "../model/execution.ts";
import { knownIn } from "../model/state/entry-state.ts";
import type { SorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import { withFootprint } from "../xdr/envelope/patch-envelope.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { ENTRIES, messageIn } from "../xdr/outcome/host-messages.ts";
import { missedKeys } from "../xdr/outcome/missed-keys.ts";
import {
  declaredBy,
  type FixContext,
  type FixStep,
  type FootprintBlock,
  stateInAttempt,
} from "./fix-context.ts";
import type { Variant } from "./variant.ts";

/** The parts of a FixContext that this needs. */
export type FootprintContext = Pick<FixContext, "findEntries" | "nameKey"> & {
  readonly failed: Pick<FixContext["failed"], "entries">;
};

type FootprintStep =
  | Extract<FixStep, { readonly kind: "changed" }>
  | (Extract<FixStep, { readonly kind: "blocked" }> & { readonly block: FootprintBlock });

export async function extendFootprint(
  context: FootprintContext,
  attempt: Variant,
  execution: Execution,
): Promise<FootprintStep | null> {
  const reports = readErrorReports(execution.diagnosticsXdr);
  const { error } = reports.at(-1) ?? {};
  if (error?.type !== "Storage" || error.code !== "ExceededLimit") return null;
  const report = reports.findLast(
    ({ message }) => messageIn(ENTRIES, message)?.row.kind === "footprint-miss",
  );
  if (report === undefined) return null;
  const { readOnly, readWrite } = declaredBy(attempt).footprint;
  const known = knownEntriesXdr(context, attempt);
  const candidates = missedKeys(report, known, [...readOnly, ...readWrite]);
  if (candidates.length === 0) {
    return blocked(attempt, { kind: "entry-unreported" });
  }
  const written = candidates.find((key) => readOnly.includes(key));
  if (written !== undefined) return changed(makeReadWrite(attempt, [written]));
  const missing = candidates.filter((key) => !readWrite.includes(key));
  if (missing.length === 0) return null;
  return addOneOf(context, attempt, missing);
}

/** Makes keys read-write, which were read-only or missing. */
export function makeReadWrite(attempt: Variant, keysXdr: readonly string[]): Variant {
  const { footprint, archivedEntryIndexes } = declaredBy(attempt);
  const readOnly = footprint.readOnly.filter((key) => !keysXdr.includes(key));
  const added = keysXdr.filter((key) => !footprint.readWrite.includes(key));
  const readWrite = [...footprint.readWrite, ...added];
  const patched = withFootprint(attempt.envelope, { readOnly, readWrite, archivedEntryIndexes });
  return { ...attempt, envelope: patched };
}

/** Prefers a key that exists, because the host does not report the durability. */
async function addOneOf(
  context: FootprintContext,
  attempt: Variant,
  missing: readonly string[],
): Promise<FootprintStep> {
  const before = stateInAttempt(context, attempt);
  const sought = missing.filter((key) => knownIn(before, key) === null);
  const answer = sought.length === 0 ? null : await context.findEntries(sought);
  const entries = new Map(attempt.entries);
  for (const entry of answer?.entries ?? []) entries.set(entry.keyXdr, entry);
  const known = { ...attempt, entries };
  const state = stateInAttempt(context, known);
  const existing = missing.find((key) => (knownIn(state, key)?.entryXdr ?? null) !== null);
  const [unknown] = answer?.unknown ?? [];
  const key = existing ?? (missing[0] as string);
  const { footprint, archivedEntryIndexes } = declaredBy(attempt);
  const readOnly = [...footprint.readOnly, key];
  const { readWrite } = footprint;
  const patched = withFootprint(attempt.envelope, { readOnly, readWrite, archivedEntryIndexes });
  const extended = { ...known, envelope: patched };
  if (existing !== undefined || unknown === undefined) return changed(extended);
  const entry = context.nameKey(unknown.keyXdr);
  return blocked(extended, { kind: "entry-unknown", entry, why: unknown.reason });
}

function knownEntriesXdr({ failed }: FootprintContext, { entries }: Variant): string[] {
  return [...failed.entries, ...entries.values()].flatMap(({ entryXdr }) => entryXdr ?? []);
}

function changed(attempt: Variant): FootprintStep {
  return { kind: "changed", attempt };
}

function blocked(attempt: Variant, block: FootprintBlock): FootprintStep {
  return { kind: "blocked", attempt, reason: footprintBlockInWords(block), block };
}

/** A sentence. */
export function footprintBlockInWords(block: FootprintBlock): string {
  return block.kind === "entry-unreported"
    ? "The host does not report which entry is missing from the footprint."
    : withFullStop(`The state of ${block.entry} is unknown: ${block.why}`);
}

/**
 * Removes added keys that the transaction does not need. If the host did not report whether a
 * missing entry is persistent or temporary, both keys may have been added.
 */
export async function withoutUnneededKeys(
  context: FixContext,
  attempt: Variant,
  declared: SorobanFacts,
): Promise<Variant> {
  const before = new Set([...declared.footprint.readOnly, ...declared.footprint.readWrite]);
  let least = attempt;
  const { footprint } = declaredBy(attempt);
  const all = new Set([...footprint.readOnly, ...footprint.readWrite]);
  for (const key of all) {
    if (!all.has(otherDurability(key))) continue;
    const without = before.has(key) ? undone(least, key, declared) : removed(least, key);
    if (without === null) continue;
    const { outcome } = await context.run(without);
    if (outcome.kind === "success") least = without;
  }
  return least;
}

/** The attempt with a key made read-only again; null if it was read-only before. */
function undone(attempt: Variant, keyXdr: string, declared: SorobanFacts): Variant | null {
  const { footprint, archivedEntryIndexes } = declaredBy(attempt);
  const moved = footprint.readWrite.indexOf(keyXdr);
  const wasReadOnly = declared.footprint.readOnly.includes(keyXdr);
  if (moved === -1 || !wasReadOnly || archivedEntryIndexes.includes(moved)) return null;
  const kept = removed(attempt, keyXdr);
  const { footprint: keptFootprint, archivedEntryIndexes: indexes } = declaredBy(kept);
  const patched = withFootprint(kept.envelope, {
    readOnly: [...keptFootprint.readOnly, keyXdr],
    readWrite: keptFootprint.readWrite,
    archivedEntryIndexes: indexes,
  });
  return { ...kept, envelope: patched };
}

export function removed(attempt: Variant, keyXdr: string): Variant {
  const { footprint, archivedEntryIndexes } = declaredBy(attempt);
  const marked = archivedEntryIndexes.map((index) => footprint.readWrite[index]);
  const readOnly = footprint.readOnly.filter((key) => key !== keyXdr);
  const readWrite = footprint.readWrite.filter((key) => key !== keyXdr);
  const indexes = readWrite.flatMap((key, index) => (marked.includes(key) ? index : []));
  const footprintWithout = { readOnly, readWrite, archivedEntryIndexes: indexes };
  return { ...attempt, envelope: withFootprint(attempt.envelope, footprintWithout) };
}

/** The key with the other durability: temporary for persistent, and the reverse. */
export function otherDurability(keyXdr: string): string {
  const key = Uint8Array.fromBase64(keyXdr);
  const last = key.length - 1;
  key[last] = (key[last] ?? 0) ^ 1;
  return key.toBase64();
}
