// The state that the ledger engine has of one transaction's keys, as evidence.

import type { KnownFootprint, KnownKey } from "../../simulator/engine-messages.ts";
import type { Folded, Known } from "../folded.ts";
import type { FootprintKey } from "../footprint-keys.ts";

/** Facts of the transaction's ledger. */
export interface FoldedFacts {
  readonly firstLedger: number;
  readonly complete: boolean;
  /** The network settings, as LedgerEntry by LedgerKey. */
  readonly settings: Readonly<Record<string, string | null>>;
}

export class FoldedKeys implements Folded {
  private readonly byKey = new Map<string, KnownKey>();
  private readonly byTtlKey = new Map<string, KnownKey>();

  constructor(
    private readonly facts: FoldedFacts,
    footprint: readonly FootprintKey[],
    { keys }: Pick<KnownFootprint, "keys">,
  ) {
    for (const [at, { keyXdr, ttlKeyXdr }] of footprint.entries()) {
      const known = keys[at];
      if (known === undefined) continue;
      this.byKey.set(keyXdr, known);
      if (ttlKeyXdr !== null) this.byTtlKey.set(ttlKeyXdr, known);
    }
  }

  get firstLedger(): number {
    return this.facts.firstLedger;
  }

  get complete(): boolean {
    return this.facts.complete;
  }

  entry(keyXdr: string): Known<string> {
    const known = this.byKey.get(keyXdr);
    return known === undefined ? this.facts.settings[keyXdr] : known.entry;
  }

  liveUntilLedger(ttlKeyXdr: string): Known<number> {
    return this.byTtlKey.get(ttlKeyXdr)?.live_until;
  }

  archived(keyXdr: string): string | null {
    return this.byKey.get(keyXdr)?.archived ?? null;
  }

  changedInThisLedger(keyXdr: string): boolean {
    const ofTtl = this.byTtlKey.get(keyXdr);
    return ofTtl?.ttl_changed ?? this.byKey.get(keyXdr)?.changed ?? false;
  }

  restoredInThisLedger(keyXdr: string): boolean {
    return this.byKey.get(keyXdr)?.restored ?? false;
  }

  isNewCode(keyXdr: string): boolean {
    return this.byKey.get(keyXdr)?.new_code ?? false;
  }

  isRevivedCode(keyXdr: string): boolean {
    return this.byKey.get(keyXdr)?.revived_code ?? false;
  }
}
