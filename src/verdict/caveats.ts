// Reasons why a replay without differences is not exact: assumed inputs, unknown keys, and
// comparisons that could not be made. Each caveat names the key or the value it is about.

import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import { type Caveat, type Comparison, placeOnRecord } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { settingKeyNamed } from "../xdr/reader/keys.ts";
import { provisionalTtlCaveats } from "./provisional-ttl.ts";

/** Caveats about the inputs of the replay, the unknown ones first. */
export function inputCaveats(
  record: Pick<ChainRecord, "assumedFacts">,
  chain: Pick<ChainFacts, "meta">,
  snapshot: Snapshot,
  execution: Execution,
  comparisons: readonly Comparison[] = [],
): readonly Caveat[] {
  const caveats: Caveat[] = snapshot.unknown.map(({ keyXdr, reason }) => ({
    kind: "unknown",
    keyXdr,
    detail: reason,
  }));
  for (const detail of record.assumedFacts ?? []) {
    caveats.push({ kind: "assumed", keyXdr: null, detail });
  }
  for (const entry of snapshot.entries) caveats.push(...entryCaveats(entry));
  for (const setting of snapshot.settings) {
    if (setting.provenance.kind !== "assumed") continue;
    const keyXdr = settingKeyNamed(setting.name);
    const name = keyXdr === null ? `Network setting ${setting.name}: ` : "";
    caveats.push({ kind: "assumed", keyXdr, detail: `${name}${setting.provenance.detail}` });
  }
  caveats.push(...provisionalTtlCaveats(chain, snapshot, execution, comparisons));
  const known = new Set(caveats.map((caveat) => caveat.keyXdr));
  for (const { what, keyXdr: about, value } of execution.assumed) {
    const setting = settingKeyNamed(what);
    const keyXdr = about ?? setting;
    if (keyXdr !== null && known.has(keyXdr)) continue;
    const assumed = setting === null ? `${what}: ${value}` : value;
    caveats.push({ kind: "assumed", keyXdr, detail: `svc-sim assumed ${assumed}.` });
  }
  return caveats;
}

export function entryCaveats(entry: SnapshotEntry): Caveat[] {
  const { keyXdr, provenance, ttlProvenance, liveUntilLedger } = entry;
  const caveats: Caveat[] = [];
  if (provenance.kind === "assumed") {
    caveats.push({ kind: "assumed", keyXdr, detail: provenance.detail });
  }
  if (ttlProvenance?.kind === "assumed") {
    caveats.push({ kind: "assumed", keyXdr, detail: `TTL: ${ttlProvenance.detail}` });
  }
  if (ttlProvenance === null && liveUntilLedger !== null) {
    caveats.push({ kind: "assumed", keyXdr, detail: "The source of its TTL is unknown." });
  }
  return caveats;
}

/** Caveats from the comparisons themselves. */
export function comparisonCaveats(
  chain: ChainFacts,
  softDifferences: readonly Comparison[],
): readonly Caveat[] {
  const caveats: Caveat[] = [];
  if (chain.meta === null) {
    const detail = "No source had the transaction meta, so the ledger changes were not compared.";
    caveats.push({ kind: "not-compared", keyXdr: null, detail });
  }
  for (const difference of softDifferences) {
    const { subject, item, chain: recorded, replay, detail } = difference;
    // Another fee was charged: that is the difference.
    if (subject === "fee-events" && detail === null) continue;
    if (subject === "core-metric") {
      const text = `${item}: ${recorded} ${placeOnRecord(difference)}, ${replay} in the replay.`;
      caveats.push({ kind: "metering", keyXdr: null, detail: text });
    } else {
      const isEvents = subject !== "diagnostic-events";
      caveats.push({
        kind: isEvents ? "events" : "diagnostics",
        keyXdr: null,
        detail: detail ?? `The ${isEvents ? "events" : "diagnostic events"} differ.`,
      });
    }
  }
  return caveats;
}
