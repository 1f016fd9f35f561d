// An entry at one moment, and the interface of all that hold a state: what was decided for a
// transaction, a snapshot, and the layers of a fork. Who holds what is in ARCHITECTURE.md.

import type { Provenance } from "../provenance.ts";

/** An entry at a moment. A holder adds how long it lives, where it knows that with the entry. */
export interface EntryState {
  /** A LedgerEntry in base64; null if the entry did not exist. */
  readonly entryXdr: string | null;
  /** True if only the hot archive had it. */
  readonly archived: boolean;
  /** How the holder knows it; null for what a fork wrote itself. */
  readonly provenance: Provenance | null;
}

/** The holder does not know the entry's state. */
export interface UnknownState {
  /** The end of a sentence, without a full stop. */
  readonly reason: string;
}

/** The state at one moment. */
export interface StateAt<Known extends EntryState = EntryState> {
  get(keyXdr: string): Known | UnknownState;
}

export function isKnown<Found extends object>(state: Found): state is Exclude<Found, UnknownState> {
  return !("reason" in state);
}

/** The state of the entry; null if it is not known. */
export function knownIn<Known extends EntryState>(
  state: StateAt<Known>,
  keyXdr: string,
): Known | null {
  const entryState = state.get(keyXdr);
  return "reason" in entryState ? null : entryState;
}

/** The state with other entries in the place of its own, or added to them. */
export function withEntries<Known extends EntryState>(
  state: StateAt<Known>,
  entries: ReadonlyMap<string, Known>,
): StateAt<Known> {
  return { get: (keyXdr) => entries.get(keyXdr) ?? state.get(keyXdr) };
}
