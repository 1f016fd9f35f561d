// TTL extensions of read-only keys in one stage of the parallel phase (CAP-63, protocol 23 and
// later). They stay invisible until a transaction of the same cluster has the key read-write. They
// reach the other clusters only when the stage ends, merged to the highest. stellar-core,
// ParallelApplyUtils.cpp: flushRoTTLBumpsInTxWriteFootprint, commitChangeFromSuccessfulTx,
// flushRemainingRoTTLBumps, maybeMergeRoTTLBumps.

import type { KeyedChange } from "../../xdr/ledger/keyed-change.ts";
import { ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import type { FootprintKey } from "../footprint-keys.ts";

/** The TTLs of a ledger as replays or a fork write them, by the TTL entries' keys. */
export interface TtlState {
  liveUntilLedger(ttlKeyXdr: string): number | null | undefined;
  extendTtl(ttlKeyXdr: string, ledger: number): void;
  applyOne(change: KeyedChange): void;
}

export class StageTtls {
  /** For each cluster and TTL key, the highest extension that is not visible yet. */
  private readonly extensions = new Map<number, Map<string, number>>();

  constructor(private readonly state: TtlState) {}

  /** Call this before every transaction, including failed ones. */
  beforeTransaction(cluster: number, footprint: readonly FootprintKey[]): void {
    const extensions = this.extensions.get(cluster);
    if (extensions === undefined) return;
    for (const { readOnly, ttlKeyXdr } of footprint) {
      if (readOnly || ttlKeyXdr === null) continue;
      this.reveal(ttlKeyXdr, extensions.get(ttlKeyXdr));
      extensions.delete(ttlKeyXdr);
    }
  }

  /** Applies the changes of the transaction's operation. A failed one has none. */
  applyOperation(
    cluster: number,
    footprint: readonly FootprintKey[],
    changes: readonly KeyedChange[],
  ): void {
    const readOnlyTtls = new Set(footprint.map((key) => (key.readOnly ? key.ttlKeyXdr : null)));
    for (const change of changes) {
      const deferred =
        change.type === ENTRY_TYPE.ttl &&
        change.kind === "updated" &&
        readOnlyTtls.has(change.keyXdr);
      if (deferred && change.liveUntilLedger !== null) {
        this.defer(cluster, change.keyXdr, change.liveUntilLedger);
      } else {
        this.state.applyOne(change);
      }
    }
  }

  end(): void {
    for (const extensions of this.extensions.values()) {
      for (const [ttlKeyXdr, ledger] of extensions) this.reveal(ttlKeyXdr, ledger);
    }
    this.extensions.clear();
  }

  private defer(cluster: number, ttlKeyXdr: string, ledger: number): void {
    const extensions = this.extensions.get(cluster) ?? new Map<string, number>();
    this.extensions.set(cluster, extensions);
    extensions.set(ttlKeyXdr, Math.max(ledger, extensions.get(ttlKeyXdr) ?? 0));
  }

  private reveal(ttlKeyXdr: string, ledger: number | undefined): void {
    if (ledger === undefined) return;
    const visible = this.state.liveUntilLedger(ttlKeyXdr) ?? 0;
    if (ledger > visible) this.state.extendTtl(ttlKeyXdr, ledger);
  }
}
