// What a folded state knows, by key, and the rows in which it is kept elsewhere: all rows since the
// beginning, the later one of each key, are the state again.

import { RecentMap } from "../../base/recent-map.ts";

type RowValue = string | number | null;

/** Without a value: nothing is known of the key any more. */
export type StateRow = readonly [key: string, value?: RowValue];

/** What a state is besides its rows; plain data. */
export interface StateFacts {
  /** Nothing is missing from this ledger on; 0 before the first. */
  readonly firstLedger: number;
  /** Of a state that forgets what was not used for long. */
  readonly youngSince: number;
  /** Of the rows of now. Those of the generation before it are known too, older ones are not. */
  readonly generation: number;
  readonly everyLedgerFolded: boolean;
}

/** What was learnt or used since the last time. */
export interface StateChanges {
  /** Rows from before are void. */
  readonly reset: boolean;
  readonly facts: StateFacts;
  readonly rows: readonly StateRow[];
}

/** A row as it was kept, with the generation of the facts that it came with. */
export interface KeptRow {
  readonly key: string;
  readonly value: RowValue;
  readonly generation: number;
}

export interface SavedState {
  readonly facts: StateFacts;
  readonly rows: Iterable<KeptRow>;
}

export class StateMaps {
  readonly entries = new RecentMap<string | null>((entryXdr) => entryXdr?.length ?? 0);
  /** By the TTL entry's key. */
  readonly liveUntil = new RecentMap<number | null>(() => 0);
  /** Evicted persistent entries (protocol 23+). */
  readonly hotArchive = new RecentMap<string>(({ length }) => length);
  /** By the letter that the keys of their rows begin with. A row goes back to where it is from. */
  private readonly byLetter = new Map<string, RecentMap<unknown>>(
    Object.entries({ e: this.entries, t: this.liveUntil, a: this.hotArchive }) as never,
  );

  /** Of what was used lately. */
  get characters(): number {
    return this.entries.characters + this.liveUntil.characters + this.hotArchive.characters;
  }

  clear(): void {
    for (const map of this.byLetter.values()) map.clear();
  }

  /** True if something was forgotten. */
  forgetUnused(): boolean {
    return [...this.byLetter.values()].map((map) => map.forgetUnused()).includes(true);
  }

  track(): void {
    for (const map of this.byLetter.values()) map.track();
  }

  takeRows(): StateRow[] {
    return [...this.byLetter].flatMap(([letter, map]) =>
      [...map.takeTouched()].map(([key, value]): StateRow => {
        return value === undefined ? [letter + key] : [letter + key, value as RowValue];
      }),
    );
  }

  /** `now`: the generation of now; rows that are older than the one before are left out. */
  keep({ key, value, generation }: KeptRow, now: number): void {
    const map = this.byLetter.get(key.charAt(0));
    if (generation === now - 1) map?.setOld(key.slice(1), value);
    else if (generation === now) map?.set(key.slice(1), value);
  }
}
