// Overrides are what the user wants different from the transaction as the chain ran it: a file of
// --override and flags, read and checked. Everything not named stays.

export interface Overrides {
  readonly ledger: OverriddenLedger;
  readonly limits: OverriddenLimits;
  /** JSON values of the call's arguments, by the specification's name or by position from 0. */
  readonly arguments: ReadonlyMap<string, unknown>;
  /** By contract, as a strkey. */
  readonly wasm: ReadonlyMap<string, OverriddenWasm>;
  /** No key twice. */
  readonly entries: readonly OverriddenEntry[];
}

export interface OverriddenLedger {
  readonly sequence?: number;
  readonly protocolVersion?: number;
  readonly closeTimeUnixSeconds?: string;
  readonly baseReserveStroops?: number;
}

/** What the transaction declares, and of memory and events what the network allows. */
export interface OverriddenLimits {
  readonly instructions?: number;
  readonly memoryBytes?: number;
  readonly diskReadBytes?: number;
  readonly writeBytes?: number;
  readonly eventsBytes?: number;
  readonly resourceFeeStroops?: string;
}

export interface OverriddenWasm {
  /** As the user named it. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface OverriddenEntry {
  /** Where it was written, for errors: `entries.0`. */
  readonly field: string;
  /** LedgerKey. */
  readonly keyXdr: string;
  readonly change: EntryChange;
  readonly liveUntilLedger?: number;
  readonly archived?: boolean;
}

export type EntryChange =
  /** Another LedgerEntry of the same key. */
  | { readonly kind: "entry"; readonly entryXdr: string }
  /** Contract data with another ScVal. */
  | { readonly kind: "value"; readonly valueXdr: string }
  /** An account or trustline with another balance. */
  | { readonly kind: "balance"; readonly stroops: string }
  | { readonly kind: "removed" }
  /** Only its time to live. */
  | { readonly kind: "same" };
