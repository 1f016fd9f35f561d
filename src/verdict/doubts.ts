// Why an equal replay may still not be exact: inputs that nothing proves, keys that nobody knows,
// comparisons that could not be made. Each doubt names the key or the value it is about.

import type { Execution } from "../model/execution.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { Comparison, Doubt } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/chain-facts.ts";
import { settingKeyNamed } from "../xdr/keys.ts";
import { provisionalTtlDoubts } from "./provisional-ttl.ts";

/** Doubts about what the replay was given, the unknown first. */
export function inputDoubts(
  recording: Pick<Recording, "assumedFacts">,
  chain: Pick<ChainFacts, "meta">,
  snapshot: Snapshot,
  execution: Execution,
): readonly Doubt[] {
  const doubts: Doubt[] = snapshot.unknown.map(({ keyXdr, reason }) => ({
    kind: "unknown",
    keyXdr,
    detail: reason,
  }));
  for (const detail of recording.assumedFacts ?? []) {
    doubts.push({ kind: "assumed", keyXdr: null, detail });
  }
  for (const entry of snapshot.entries) doubts.push(...entryDoubts(entry));
  for (const setting of snapshot.settings) {
    if (setting.provenance.kind !== "assumed") continue;
    const keyXdr = settingKeyNamed(setting.name);
    const name = keyXdr === null ? `Network setting ${setting.name}: ` : "";
    doubts.push({ kind: "assumed", keyXdr, detail: `${name}${setting.provenance.detail}` });
  }
  doubts.push(...provisionalTtlDoubts(chain, snapshot, execution));
  const known = new Set(doubts.map((doubt) => doubt.keyXdr));
  for (const { what, keyXdr: about, value } of execution.assumed) {
    const setting = settingKeyNamed(what);
    const keyXdr = about ?? setting;
    if (keyXdr !== null && known.has(keyXdr)) continue;
    const assumed = setting === null ? `${what}: ${value}` : value;
    doubts.push({ kind: "assumed", keyXdr, detail: `The simulator assumed ${assumed}.` });
  }
  return doubts;
}

function entryDoubts(entry: SnapshotEntry): Doubt[] {
  const { keyXdr, provenance, ttlProvenance, liveUntilLedger } = entry;
  const doubts: Doubt[] = [];
  if (provenance.kind === "assumed") {
    doubts.push({ kind: "assumed", keyXdr, detail: provenance.detail });
  }
  if (ttlProvenance?.kind === "assumed") {
    doubts.push({ kind: "assumed", keyXdr, detail: `Time to live: ${ttlProvenance.detail}` });
  }
  if (ttlProvenance === null && liveUntilLedger !== null) {
    doubts.push({ kind: "assumed", keyXdr, detail: "Nobody says how its time to live is known." });
  }
  return doubts;
}

/** Doubts that the comparisons themselves leave. */
export function comparisonDoubts(
  chain: ChainFacts,
  softDifferences: readonly Comparison[],
): readonly Doubt[] {
  const doubts: Doubt[] = [];
  if (chain.meta === null) {
    const detail = "No source had the meta, so the ledger changes were not compared.";
    doubts.push({ kind: "not-compared", keyXdr: null, detail });
  }
  for (const { subject, item, chain: onChain, replay, detail } of softDifferences) {
    if (subject === "core-metric") {
      const text = `${item}: ${onChain} on chain, ${replay} in the replay.`;
      doubts.push({ kind: "metering", keyXdr: null, detail: text });
    } else {
      const kind = subject === "events" ? "events" : "diagnostics";
      doubts.push({ kind, keyXdr: null, detail: detail ?? "They differ." });
    }
  }
  return doubts;
}
