// Entries that the footprint does not name, or names read-only although they are written. A run
// tells one of them; its key is added read-only first, and made read-write when the next run says
// that it is written.

import type { Execution } from "../model/execution.ts";
import type { SorobanFacts } from "../xdr/envelope.ts";
import { readErrorReports } from "../xdr/error-reports.ts";
import { missedKeys } from "../xdr/missed-keys.ts";
import { withFootprint } from "../xdr/patch-envelope.ts";
import { declaredBy, entryOf, type Step, type Trial, type Workbench } from "./workbench.ts";

/** What of a workbench it needs. */
export type FootprintBench = Pick<Workbench, "findEntries" | "nameKey"> & {
  readonly failed: Pick<Workbench["failed"], "entries">;
};

export async function extendFootprint(
  workbench: FootprintBench,
  trial: Trial,
  execution: Execution,
): Promise<Step | null> {
  const reports = readErrorReports(execution.diagnosticsXdr);
  const { error } = reports.at(-1) ?? {};
  if (error?.type !== "Storage" || error.code !== "ExceededLimit") return null;
  const report = reports.findLast(({ message }) => message.endsWith("outside of the footprint"));
  if (report === undefined) return null;
  const candidates = missedKeys(report, entriesAtHand(workbench, trial));
  if (candidates.length === 0) {
    return blocked(trial, "The host does not tell which entry is missing from the footprint.");
  }
  const declared = declaredBy(trial);
  const written = candidates.find((key) => declared.footprint.readOnly.includes(key));
  if (written !== undefined) return changed(readWriteToo(trial, [written]));
  const missing = candidates.filter((key) => !declared.footprint.readWrite.includes(key));
  if (missing.length === 0) return null;
  return addOneOf(workbench, trial, missing);
}

/** Those keys become read-write, wherever they stood before. */
export function readWriteToo(trial: Trial, keysXdr: readonly string[]): Trial {
  const { footprint, archivedEntryIndexes } = declaredBy(trial);
  const readOnly = footprint.readOnly.filter((key) => !keysXdr.includes(key));
  const added = keysXdr.filter((key) => !footprint.readWrite.includes(key));
  const readWrite = [...footprint.readWrite, ...added];
  const patched = withFootprint(trial.envelopeXdr, { readOnly, readWrite, archivedEntryIndexes });
  return { ...trial, envelopeXdr: patched };
}

/** One that exists, rather than one that does not: the host tells no durability. */
async function addOneOf(
  workbench: FootprintBench,
  trial: Trial,
  missing: readonly string[],
): Promise<Step> {
  const sought = missing.filter((key) => entryOf(workbench, trial, key) === null);
  const found = sought.length === 0 ? null : await workbench.findEntries(sought);
  const entries = new Map(trial.entries);
  for (const entry of found?.entries ?? []) entries.set(entry.keyXdr, entry);
  const known = { ...trial, entries };
  const stateOf = (key: string) => entryOf(workbench, known, key);
  const existing = missing.find((key) => (stateOf(key)?.entryXdr ?? null) !== null);
  const [unknown] = found?.unknown ?? [];
  const key = existing ?? (missing[0] as string);
  const { footprint, archivedEntryIndexes } = declaredBy(trial);
  const readOnly = [...footprint.readOnly, key];
  const { readWrite } = footprint;
  const patched = withFootprint(trial.envelopeXdr, { readOnly, readWrite, archivedEntryIndexes });
  const extended = { ...known, envelopeXdr: patched };
  if (existing !== undefined || unknown === undefined) return changed(extended);
  const name = workbench.nameKey(unknown.keyXdr);
  const reason = `The state of ${name} is not known: ${unknown.reason}.`;
  return blocked(extended, reason);
}

function entriesAtHand({ failed }: FootprintBench, { entries }: Trial): string[] {
  return [...failed.entries, ...entries.values()].flatMap(({ entryXdr }) => entryXdr ?? []);
}

function changed(trial: Trial): Step {
  return { kind: "changed", trial };
}

function blocked(trial: Trial, reason: string): Step {
  return { kind: "blocked", trial, reason };
}

/**
 * Without those of the added keys that it succeeds without: where the host did not tell which of a
 * persistent and a temporary entry it missed, both may have been added.
 */
export async function withoutNeedlessKeys(
  workbench: Workbench,
  trial: Trial,
  declared: SorobanFacts,
): Promise<Trial> {
  const before = new Set([...declared.footprint.readOnly, ...declared.footprint.readWrite]);
  let least = trial;
  const { footprint } = declaredBy(trial);
  const all = new Set([...footprint.readOnly, ...footprint.readWrite]);
  for (const key of all) {
    if (!all.has(otherDurability(key))) continue;
    const without = before.has(key) ? undone(least, key, declared) : removed(least, key);
    if (without === null) continue;
    const { outcome } = await workbench.run(without);
    if (outcome.kind === "success") least = without;
  }
  return least;
}

/** Read-only again, if it was. */
function undone(trial: Trial, keyXdr: string, declared: SorobanFacts): Trial | null {
  const { footprint, archivedEntryIndexes } = declaredBy(trial);
  const moved = footprint.readWrite.indexOf(keyXdr);
  const wasReadOnly = declared.footprint.readOnly.includes(keyXdr);
  if (moved === -1 || !wasReadOnly || archivedEntryIndexes.includes(moved)) return null;
  const kept = removed(trial, keyXdr);
  const { footprint: rest, archivedEntryIndexes: indexes } = declaredBy(kept);
  const patched = withFootprint(kept.envelopeXdr, {
    readOnly: [...rest.readOnly, keyXdr],
    readWrite: rest.readWrite,
    archivedEntryIndexes: indexes,
  });
  return { ...kept, envelopeXdr: patched };
}

export function removed(trial: Trial, keyXdr: string): Trial {
  const { footprint, archivedEntryIndexes } = declaredBy(trial);
  const marked = archivedEntryIndexes.map((index) => footprint.readWrite[index]);
  const readOnly = footprint.readOnly.filter((key) => key !== keyXdr);
  const readWrite = footprint.readWrite.filter((key) => key !== keyXdr);
  const indexes = readWrite.flatMap((key, index) => (marked.includes(key) ? index : []));
  const footprintWithout = { readOnly, readWrite, archivedEntryIndexes: indexes };
  return { ...trial, envelopeXdr: withFootprint(trial.envelopeXdr, footprintWithout) };
}

/** The key as temporary data where it is persistent, and the other way round. */
export function otherDurability(keyXdr: string): string {
  const key = Uint8Array.fromBase64(keyXdr);
  const last = key.length - 1;
  key[last] = (key[last] ?? 0) ^ 1;
  return key.toBase64();
}
