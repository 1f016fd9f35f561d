// Every comparison of the verdict, and the provenance of each input of the replay.

import { shortened } from "../../base/text/neutralise.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { Provenance } from "../../model/provenance.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { type Comparison, placeOnRecord } from "../../model/verdict.ts";
import { type Block, type Content, type Item, itemsOf, rowsOf, sentence } from "./document.ts";
import { nameOf } from "./outcome.ts";

const SHOWN_VALUE = 48;
/** The length of `unavailable`. */
const BADGE_COLUMNS = 11;
const TONES = { equal: "plain", different: "bad", unavailable: "faint" } as const;

export function comparisonsBlock(investigation: Investigation): Block {
  const comparisons = investigation.verdict?.comparisons ?? [];
  const items = comparisons.map((each) => comparisonItem(each, investigation));
  return itemsOf("tree", items, { badgeColumns: BADGE_COLUMNS });
}

function comparisonItem(comparison: Comparison, { explanation, verdict }: Investigation): Item {
  const { result, chain, replay, detail } = comparison;
  const tone = TONES[result];
  const words = comparison === verdict?.firstDifference ? explanation.difference : null;
  const { rows } = rowsOf([
    [placeOnRecord(comparison), words?.chain],
    ["in the replay", words?.replay],
    ["chain value", chain ?? "(nothing)"],
    ["replay value", replay ?? "(nothing)"],
  ]);
  const sides = rowsOf([
    [placeOnRecord(comparison), words?.chain ?? chain ?? "(nothing)"],
    ["in the replay", words?.replay ?? replay ?? "(nothing)"],
  ]);
  return {
    text: `${nameOf(comparison, explanation)}${valuesOf(comparison)}`,
    badge: result,
    tone,
    badgeTone: result === "equal" ? "good" : tone,
    notes: detail === null ? [] : [{ text: detail, tone }],
    rows: [
      ...rows.map((row) => ({ ...row, detail: "values" }) as const),
      // A page shows what differs in two columns.
      ...(result === "different" ? sides.rows : []).map(
        (row) => ({ ...row, detail: "page" }) as const,
      ),
    ],
  };
}

function valuesOf(comparison: Comparison): string {
  const { result, chain, replay } = comparison;
  const show = (value: string | null) => shortened(value ?? "(nothing)", SHOWN_VALUE);
  if (result === "different")
    return ` - ${show(chain)} ${placeOnRecord(comparison)}, ${show(replay)} in the replay`;
  const value = chain ?? replay;
  return value === null ? "" : ` - ${show(value)}`;
}

export function provenanceContent(investigation: Investigation): Content {
  const { record, snapshot, explanation } = investigation;
  const known = snapshot?.entries ?? [];
  const nameOf = (keyXdr: string) => explanation.keyNames[keyXdr] ?? keyXdr;
  const entries = known.map(({ keyXdr, entryXdr, archived, provenance }): KnownValue => {
    const state = entryXdr === null ? "absent" : archived ? "archived" : "present";
    return [inWords(provenance), `${nameOf(keyXdr)} (${state})`];
  });
  const settings = (snapshot?.settings ?? []).map(
    ({ name, provenance }): KnownValue => [inWords(provenance), name],
  );
  return [
    Object.entries(record.origins).map(([label, source]) => {
      const from = record.claimed === undefined ? source : `the capsule, which names ${source}`;
      return sentence(from, { label });
    }),
    itemsOf("tree", [entries, ttlsOf(known, nameOf), settings].flatMap(grouped)),
  ];
}

/** A value, and how it is known. */
type KnownValue = readonly [how: string, value: string];

/** Entries that live until the same ledger are said together. */
function ttlsOf(
  entries: readonly SnapshotEntry[],
  nameOf: (keyXdr: string) => string,
): KnownValue[] {
  const live = entries.flatMap(({ keyXdr, ttlProvenance, liveUntilLedger }) =>
    ttlProvenance === null || liveUntilLedger === null
      ? []
      : [{ how: `TTL - ${inWords(ttlProvenance)}`, liveUntilLedger, name: nameOf(keyXdr) }],
  );
  const alike = Map.groupBy(live, ({ how, liveUntilLedger }) => `${liveUntilLedger} ${how}`);
  return [...alike.values()].flatMap((each) => {
    const names = each.map(({ name }) => name).join("; ");
    return each
      .slice(0, 1)
      .map(
        ({ how, liveUntilLedger }): KnownValue => [
          how,
          `until ledger ${liveUntilLedger}: ${names}`,
        ],
      );
  });
}

/** What is known in the same way is below it. */
function grouped(known: readonly KnownValue[]): Item[] {
  return [...Map.groupBy(known, ([how]) => how)].map(([text, of]) => ({
    text,
    notes: of.map(([, value]) => ({ text: value })),
  }));
}

function inWords(provenance: Provenance): string {
  const { kind, detail } = provenance;
  const how = kind === "claimed" ? `claimed by the ${provenance.by} as ${provenance.claims}` : kind;
  return detail === "" ? how : `${how}: ${detail}`;
}
