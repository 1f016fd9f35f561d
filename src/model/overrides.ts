// Overrides are the user's changes to the transaction and to the state that it ran on: the file of
// `--override` and the flags, read and checked. Everything else stays as on chain.

export interface Overrides {
  readonly ledger: OverriddenLedger;
  readonly limits: OverriddenLimits;
  /** The JSON values of the call's arguments, by the specification's name or by position from 0. */
  readonly arguments: ReadonlyMap<string, unknown>;
  /** The replaced code by contract (strkey). */
  readonly wasm: ReadonlyMap<string, OverriddenWasm>;
  /** The entries, with each key at most once. */
  readonly entries: readonly OverriddenEntry[];
}

export interface OverriddenLedger {
  readonly sequence?: number;
  readonly protocolVersion?: number;
  readonly closeTimeUnixSeconds?: string;
  readonly baseReserveStroops?: number;
}

/** Limits that the transaction declares. The limits for memory and events are the network's. */
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
  /** The path of the file. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface OverriddenEntry {
  /** The entry's position in the file, for errors, such as `entries.0`. */
  readonly field: string;
  /** A LedgerKey. */
  readonly keyXdr: string;
  readonly change: OverriddenChange;
  /** Null to keep the value of the chain, as for `archived`. */
  readonly liveUntilLedger: number | null;
  readonly archived: boolean | null;
}

export type OverriddenChange =
  /** Another LedgerEntry of the same key. */
  | ({ readonly kind: "entry"; readonly entryXdr: string } & {
      /** The one value that is different in the storage of a contract's instance, if that is all. */
      readonly stored?: StoredInInstance;
    })
  /** Contract data with another ScVal. */
  | { readonly kind: "value"; readonly valueXdr: string }
  /** A contract's instance with another value in its storage. */
  | ({ readonly kind: "stored" } & StoredInInstance)
  /** An account or trustline with another balance. */
  | { readonly kind: "balance"; readonly stroops: string }
  | { readonly kind: "removed" }
  /** The entry stays as it is, and its TTL changes. */
  | { readonly kind: "same" };

/** A value in the storage of a contract's instance. */
export interface StoredInInstance {
  /** An ScVal. */
  readonly storedKeyXdr: string;
  /** An ScVal; null: the storage has no such key. */
  readonly valueXdr: string | null;
}

/** The place that an override replaces. Two overrides of the same place exclude each other. */
export function placeOfEntry({
  keyXdr,
  change,
}: Pick<OverriddenEntry, "keyXdr" | "change">): string {
  return change.kind === "stored" ? `${keyXdr} ${change.storedKeyXdr}` : keyXdr;
}

/** One override that svc proposes, or that a run of it made. */
export type StatedOverride =
  | { readonly kind: "close-time"; readonly unixSeconds: string }
  | { readonly kind: "ledger"; readonly sequence: number }
  /** `json`: the entry and its change, as the file of overrides has them. */
  | { readonly kind: "entry"; readonly keyXdr: string; readonly json: string }
  /** `value`: an integer, or a word in capitals that the user replaces. */
  | { readonly kind: "argument"; readonly name: string; readonly value: string }
  /** `json`: the whole value of the argument. */
  | { readonly kind: "argument-value"; readonly name: string; readonly json: string }
  /** Another build of the contract, which the user has. */
  | { readonly kind: "code"; readonly contract: string };

/** The document of overrides that makes it; null: it needs a file of the user. */
export function overrideDocument(override: StatedOverride): string | null {
  switch (override.kind) {
    case "close-time":
      return `{"ledger": {"closeTime": ${override.unixSeconds}}}`;
    case "ledger":
      return `{"ledger": {"sequence": ${override.sequence}}}`;
    case "entry":
      return `{"entries": [${override.json}]}`;
    case "argument": {
      const { name, value } = override;
      const isInteger = /^-?\d+$/.test(value);
      return `{"arguments": {"${name}": ${isInteger ? value : JSON.stringify(value)}}}`;
    }
    case "argument-value":
      return `{"arguments": {"${override.name}": ${override.json}}}`;
    case "code":
      return null;
  }
}
