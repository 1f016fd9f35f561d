// The state while a ledger closes, in layers like stellar-core's LedgerTxn: the changes of a
// transaction or operation are visible to the layers above it, and stay only if they are committed.
// Invariant: as in stellar-core, an entry that is loaded counts as changed and gets the ledger's
// number. An entry that is only looked at does not.

import {
  type EntryState,
  isKnown,
  knownIn,
  type StateAt,
  type UnknownState,
} from "../../model/state/entry-state.ts";
import { modifiedIn } from "../../xdr/ledger/patch-entry.ts";
import type { EntryChange } from "../../xdr/outcome/meta.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";

/** The state below a layer. As in stellar-core, a TTL is an entry under a key of its own. */
export type Below = StateAt;

export const NOT_READ: UnknownState = { reason: "it has not been read" };

/** A state of which nothing was read. */
export const UNREAD: Below = { get: () => NOT_READ };

/** Thrown if a ledger needs more than was read for it. The caller reads it and begins anew. */
export class NotRead extends Error {
  readonly keysXdr: readonly string[];

  constructor(...keysXdr: readonly string[]) {
    super("not read");
    this.keysXdr = keysXdr;
  }
}

/**
 * Thrown if one transaction cannot be applied, for the reason in the cause. Others can be applied
 * without it.
 */
export class NotApplied extends Error {
  constructor(
    /** Hex. */
    readonly hash: string,
    override readonly cause: unknown,
  ) {
    super("not applied");
  }
}

export type Entry = Value<"LedgerEntry">;

export class Layer implements Below {
  private readonly held = new Map<string, EntryState>();

  constructor(
    private readonly below: Below,
    private readonly ledger: number,
  ) {}

  get(keyXdr: string): EntryState | UnknownState {
    return this.held.get(keyXdr) ?? this.below.get(keyXdr);
  }

  /** A layer on this one. */
  above(): Layer {
    return new Layer(this, this.ledger);
  }

  /** The LedgerEntry of the live state; null if there is none. Throws NotRead. */
  entryXdr(keyXdr: string): string | null {
    const held = this.need(keyXdr);
    return held.archived ? null : held.entryXdr;
  }

  /** Looks at an entry without loading it (`loadWithoutRecord`). */
  peek(keyXdr: string): Entry | null {
    const entryXdr = this.entryXdr(keyXdr);
    return entryXdr === null ? null : decode("LedgerEntry", entryXdr);
  }

  load(keyXdr: string): Entry | null {
    const entryXdr = this.entryXdr(keyXdr);
    if (entryXdr === null) return null;
    const loaded = modifiedIn(entryXdr, this.ledger);
    this.write(keyXdr, loaded);
    return decode("LedgerEntry", loaded);
  }

  set(keyXdr: string, entry: Entry): void {
    this.write(keyXdr, encode("LedgerEntry", { ...entry, lastModifiedLedgerSeq: this.ledger }));
  }

  /** Writes the entry unchanged; null erases it. */
  write(keyXdr: string, entryXdr: string | null): void {
    this.held.set(keyXdr, { entryXdr, archived: false, provenance: null });
  }

  /** The changes of this layer in the form of a meta: STATE before UPDATED and REMOVED. */
  changes(): EntryChange[] {
    return [...this.held].flatMap(([keyXdr, { entryXdr }]) =>
      changesOf(keyXdr, liveXdr(knownIn(this.below, keyXdr)), entryXdr),
    );
  }

  commit(into: { hold(keyXdr: string, held: EntryState): void } = this.below as Layer): void {
    for (const [keyXdr, held] of this.held) into.hold(keyXdr, held);
  }

  hold(keyXdr: string, held: EntryState): void {
    this.held.set(keyXdr, held);
  }

  private need(keyXdr: string): EntryState {
    return needed(this, keyXdr);
  }
}

/** Throws NotRead. */
export function needed(state: Below, keyXdr: string): EntryState {
  const entryState = state.get(keyXdr);
  if (!isKnown(entryState)) throw new NotRead(keyXdr);
  return entryState;
}

function liveXdr(held: EntryState | null): string | null {
  return held === null || held.archived ? null : held.entryXdr;
}

function changesOf(keyXdr: string, before: string | null, after: string | null): EntryChange[] {
  if (before === null) return after === null ? [] : [{ kind: "created", keyXdr, entryXdr: after }];
  const state: EntryChange = { kind: "state", keyXdr, entryXdr: before };
  if (after === null) return [state, { kind: "removed", keyXdr, entryXdr: null }];
  return [state, { kind: "updated", keyXdr, entryXdr: after }];
}
