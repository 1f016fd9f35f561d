// For --verbose: every comparison, and the provenance of each input of the replay.

import type { Investigation } from "../../model/investigation.ts";
import type { Provenance, SnapshotEntry } from "../../model/snapshot.ts";
import { type Comparison, placeOnRecord } from "../../model/verdict.ts";
import { shortened, wrap } from "./layout.ts";
import { nameOf } from "./outcome.ts";
import type { Style } from "./style.ts";

const SHOWN_VALUE = 48;

export function comparisonLines({ verdict, explanation }: Investigation, style: Style): string[] {
  if (verdict === null) return [];
  return verdict.comparisons.flatMap((comparison) => {
    const name = nameOf(comparison, explanation);
    const text = `${name}${valuesOf(comparison)}`;
    const lines = wrap(text, `  ${comparison.result.padEnd(11)}  `);
    if (comparison.detail !== null) lines.push(...wrap(comparison.detail, " ".repeat(15)));
    if (comparison.result === "equal") return lines;
    return lines.map(comparison.result === "different" ? style.bad : style.faint);
  });
}

function valuesOf(comparison: Comparison): string {
  const { result, chain, replay } = comparison;
  const show = (value: string | null) => shortened(value ?? "(nothing)", SHOWN_VALUE);
  if (result === "different")
    return ` - ${show(chain)} ${placeOnRecord(comparison)}, ${show(replay)} in the replay`;
  const value = chain ?? replay;
  return value === null ? "" : ` - ${show(value)}`;
}

export function provenanceLines(investigation: Investigation): string[] {
  const { record, snapshot, explanation } = investigation;
  const lines = Object.entries(record.origins).flatMap(([part, source]) =>
    wrap(source, `  ${part}: `),
  );
  for (const entry of snapshot?.entries ?? []) {
    lines.push(...entryLines(entry, explanation.keyNames[entry.keyXdr] ?? entry.keyXdr));
  }
  for (const { name, provenance } of snapshot?.settings ?? []) {
    lines.push(...wrap(`${name} - ${sentence(provenance)}`, "  ", 4));
  }
  return lines;
}

function entryLines(entry: SnapshotEntry, name: string): string[] {
  const state = entry.entryXdr === null ? "absent" : entry.archived ? "archived" : "present";
  const lines = wrap(`${name} (${state}) - ${sentence(entry.provenance)}`, "  ", 4);
  if (entry.ttlProvenance !== null && entry.liveUntilLedger !== null) {
    const ttl = `live until ledger ${entry.liveUntilLedger} - ${sentence(entry.ttlProvenance)}`;
    lines.push(...wrap(ttl, "    "));
  }
  return lines;
}

function sentence({ kind, detail }: Provenance): string {
  return detail === "" ? kind : `${kind}: ${detail}`;
}
