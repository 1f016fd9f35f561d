// What a fork stands on, and what else its beginning needs.

import type { FirstLedger } from "../fork.ts";
import type { ForkBase, ForkEntry, ForkOverlay } from "../ledger/chain.ts";

export interface OpenedBase {
  readonly base: ForkBase;
  /** For people: `ledger 59841123 of mainnet`. */
  readonly name: string;
  /** The ledger that the fork repeats first, which the chain has closed too. */
  readonly first: FirstLedger | null;
  /** What an earlier fork of the same base has changed; null: nothing. */
  readonly overlay: ForkOverlay | null;
  /** Of a fork that had another one than its network; null: none. */
  readonly passphrase: string | null;
  /** What was read of the base so far, by LedgerKey. */
  readonly read: ReadonlyMap<string, ForkEntry | null>;
}

/** The base with its answers kept. */
export function keeping(base: ForkBase, read: Map<string, ForkEntry | null>): ForkBase {
  return {
    ...base,
    async entries(keysXdr, context) {
      const lacking = keysXdr.filter((key) => !read.has(key));
      const found = lacking.length === 0 ? new Map() : await base.entries(lacking, context);
      for (const key of lacking) read.set(key, found.get(key) ?? null);
      return new Map(keysXdr.map((key) => [key, read.get(key) ?? null]));
    },
  };
}
