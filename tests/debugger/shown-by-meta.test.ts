// `meta` means that the transaction's own meta shows the entry, or its TTL, as it was just before:
// what runs prove and what follows from rules has kinds of its own.

import { expect, test } from "bun:test";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { SnapshotEntry } from "../../src/model/snapshot.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { isSorobanKey, liveUntilOf, ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded } from "../support/recorded-walks.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

test("every entry and TTL that a meta is named for stands in that meta", async () => {
  const counts: Record<string, number> = {};
  for (const walk of await captureRecorded()) {
    const options = { signal: NEVER_ABORTED, fast: true };
    const { snapshot, record } = await replayCaptured(
      { simulator, progress: () => {} },
      walk,
      options,
    );
    if (snapshot === null) continue;
    const meta = record.resultMetaXdr === null ? null : readTransactionMeta(record.resultMetaXdr);
    const changes = (meta?.operationChanges ?? []).flat().toReversed();
    const first = new Map(changes.map((change) => [change.keyXdr, change]));
    const isShown = ({ keyXdr, entryXdr }: SnapshotEntry) => {
      const change = first.get(keyXdr);
      if (change?.kind === "created") return entryXdr === null;
      return change !== undefined && change.kind !== "updated" && change.entryXdr === entryXdr;
    };
    const isTtlShown = ({ keyXdr, liveUntilLedger }: SnapshotEntry) => {
      const change = isSorobanKey(keyXdr) ? first.get(ttlKeyOf(keyXdr)) : undefined;
      return change?.entryXdr ? liveUntilOf(change.entryXdr) === liveUntilLedger : false;
    };
    for (const entry of snapshot.entries) {
      const { provenance, ttlProvenance } = entry;
      counts[provenance.kind] = (counts[provenance.kind] ?? 0) + 1;
      if (provenance.kind === "meta")
        expect([walk.name, isShown(entry)]).toEqual([walk.name, true]);
      if (ttlProvenance?.kind === "meta")
        expect([walk.name, isTtlShown(entry)]).toEqual([walk.name, true]);
    }
    for (const { name, provenance } of snapshot.settings)
      expect([name, provenance.kind]).not.toEqual([name, "meta"]);
  }
  for (const kind of ["meta", "rpc-unchanged", "ledger-scan"])
    expect(counts[kind] ?? 0).toBeGreaterThan(0);
}, 60_000);
