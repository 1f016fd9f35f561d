// Overrides are the user's changes to the transaction and to the state it ran on: the file of
// --override and the flags, read and checked. Everything else stays as on chain.

export interface Overrides {
  readonly ledger: OverriddenLedger;
  readonly limits: OverriddenLimits;
  /** JSON values of the call's arguments, by the specification's name or by position from 0. */
  readonly arguments: ReadonlyMap<string, unknown>;
  /** The replaced code by contract, as a strkey. */
  readonly wasm: ReadonlyMap<string, OverriddenWasm>;
  /** Each key at most once. */
  readonly entries: readonly OverriddenEntry[];
}

export interface OverriddenLedger {
  readonly sequence?: number;
  readonly protocolVersion?: number;
  readonly closeTimeUnixSeconds?: string;
  readonly baseReserveStroops?: number;
}

/** Limits that the transaction declares; for memory and events, the network's. */
export interface OverriddenLimits {
  readonly instructions?: number;
  readonly memoryBytes?: number;
  readonly diskReadBytes?: number;
  readonly writeBytes?: number;
  readonly eventsBytes?: number;
  readonly resourceFeeStroops?: string;
}

export const NO_OVERRIDES: Overrides = {
  ledger: {},
  limits: {},
  arguments: new Map(),
  wasm: new Map(),
  entries: [],
};

export interface OverriddenWasm {
  /** Path that the user gave. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface OverriddenEntry {
  /** Its position in the file, for errors: `entries.0`. */
  readonly field: string;
  /** LedgerKey. */
  readonly keyXdr: string;
  readonly change: EntryChange;
  /** Null: as on chain; likewise `archived`. */
  readonly liveUntilLedger: number | null;
  readonly archived: boolean | null;
}

export type EntryChange =
  /** Another LedgerEntry of the same key. */
  | { readonly kind: "entry"; readonly entryXdr: string }
  /** Contract data with another ScVal. */
  | { readonly kind: "value"; readonly valueXdr: string }
  /** An account or trustline with another balance. */
  | { readonly kind: "balance"; readonly stroops: string }
  | { readonly kind: "removed" }
  /** The entry stays as it is, and its TTL changes. */
  | { readonly kind: "same" };
