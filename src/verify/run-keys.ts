// Turns the decided state of an open transaction into the keys on which the ledger engine runs it,
// and into the entries that the engine keeps.

import { isBounded } from "../debugger/run/prove-ttls.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { PutEntry, RunKey } from "../simulator/engine-messages.ts";
import type { Evidence } from "../snapshot/evidence.ts";
import type { FootprintKey } from "../snapshot/footprint-keys.ts";
import type { FoldedTransaction } from "../snapshot/stream/fold-evidence.ts";
import { entryCaveats } from "../verdict/caveats.ts";
import { isAbsentByNode } from "../verdict/missed-entries.ts";
import { isReported } from "../verdict/unconfirmed.ts";
import { smallestEntry } from "../xdr/ledger/patch-entry.ts";
import { ENTRY_TYPE } from "../xdr/reader/keys.ts";

export interface CapturedTransaction extends FoldedTransaction {
  readonly snapshot: Snapshot;
}

/** The keys; null if the state is uncertain, so that no digest decides the verdict. */
export function keysToRun({ record, snapshot, evidence, settingsAreSure }: CapturedTransaction) {
  const { entries, unknown } = snapshot;
  const isSure =
    settingsAreSure &&
    unknown.length === 0 &&
    (record.assumedFacts ?? []).length === 0 &&
    entries.every((entry) => leastOf(entry) !== null || entryCaveats(entry).length === 0);
  if (!isSure) return null;
  const { folded, footprint } = evidence;
  return entries.map((entry, at): RunKey => {
    const { keyXdr, entryXdr } = entry;
    const known = folded?.archived(keyXdr) ?? folded?.entry(keyXdr);
    // Every key of the footprint is known.
    const isKnown = known === entryXdr || isPut(entry, footprint[at], evidence);
    return {
      ...(isKnown ? {} : { entry: entryXdr }),
      live_until: entry.liveUntilLedger,
      archived: entry.archived,
      code_cached: entry.codeCached,
      restored_earlier: entry.restoredEarlier === true,
      provisional: entry.provisional !== undefined,
      bounded: isBounded(entry),
      unconfirmed: isReported(entry),
      absent_by_node: isAbsentByNode(entry),
      least: leastOf(entry),
    };
  });
}

/** Entries from others than the ledgers, which the engine keeps for later ledgers. */
export function putsOf(decided: readonly Decided[]): PutEntry[] {
  const puts = new Map<string, PutEntry>();
  for (const { snapshot, evidence } of decided) {
    const keys = new Map(evidence.footprint.map((key) => [key.keyXdr, key]));
    for (const entry of snapshot.entries) {
      const { keyXdr, liveUntilLedger, ttlProvenance } = entry;
      const key = keys.get(keyXdr);
      const ttlOnly = isTtlPut(entry, key, evidence);
      if (puts.has(keyXdr) || !(ttlOnly || isPut(entry, key, evidence))) continue;
      const ofTtl = ttlProvenance?.kind !== "meta" || entry.provisional !== undefined;
      puts.set(keyXdr, {
        key: keyXdr,
        entry: ttlOnly ? null : entry.entryXdr,
        ttl_only: ttlOnly,
        live_until: ofTtl ? liveUntilLedger : null,
        provisional: entry.provisional !== undefined,
        bounded: isBounded(entry),
        unconfirmed: !ttlOnly && isReported(entry),
        least: ttlOnly ? null : leastOf(entry),
      });
    }
  }
  return [...puts.values()];
}

/** Evidence, and what was decided with it. */
interface Decided {
  readonly evidence: Evidence;
  readonly snapshot: Pick<Snapshot, "entries">;
}

/**
 * The smallest entry of a key that is assumed to be absent, if its absence can be proven
 * (prove-absence.ts).
 */
function leastOf({ keyXdr, entryXdr, provenance }: SnapshotEntry): string | null {
  const isAssumed = entryXdr === null && provenance.kind === "assumed";
  return isAssumed ? smallestEntry(keyXdr, 0) : null;
}

/**
 * Says whether a node or a later ledger shows the entry, or its absence is assumed, and no ledger
 * so far shows it.
 */
function isPut(
  entry: SnapshotEntry,
  key: FootprintKey | undefined,
  { folded, own }: Evidence,
): boolean {
  const { keyXdr, provenance, archived, maybeCached } = entry;
  const isAssumed = leastOf(entry) !== null;
  return (
    (isAssumed || provenance.kind === "rpc-unchanged" || provenance.kind === "ledger-scan") &&
    folded?.entry(keyXdr) === undefined &&
    !folded?.archived(keyXdr) &&
    !archived &&
    maybeCached === undefined &&
    key !== undefined &&
    !own.touches(key) &&
    (isAssumed || entryCaveats(entry).length === 0)
  );
}

function isTtlPut(
  entry: SnapshotEntry,
  key: FootprintKey | undefined,
  { folded, own }: Evidence,
): boolean {
  const { keyXdr, liveUntilLedger, archived } = entry;
  return (
    key !== undefined &&
    key.type !== ENTRY_TYPE.account &&
    key.ttlKeyXdr !== null &&
    typeof folded?.entry(keyXdr) === "string" &&
    folded.liveUntilLedger(key.ttlKeyXdr) === undefined &&
    liveUntilLedger !== null &&
    !archived &&
    !own.touches(key) &&
    entryCaveats(entry).length === 0
  );
}
