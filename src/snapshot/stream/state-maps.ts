// What a folded state knows, by key, and the rows in which it is kept elsewhere.

import { RecentMap } from "../../base/recent-map.ts";
import type { KeptRow, StateRow } from "./state-changes.ts";

const ENTRY = "e";
const LIVE_UNTIL = "t";
const ARCHIVED = "a";

export class StateMaps {
  readonly entries = new RecentMap<string | null>((entryXdr) => entryXdr?.length ?? 0);
  /** By the TTL entry's key. */
  readonly liveUntil = new RecentMap<number | null>(() => 0);
  /** Evicted persistent entries (protocol 23+). */
  readonly hotArchive = new RecentMap<string>(({ length }) => length);
  private readonly all = [this.entries, this.liveUntil, this.hotArchive];

  /** Of what was used lately. */
  get characters(): number {
    return this.all.reduce((sum, { characters }) => sum + characters, 0);
  }

  clear(): void {
    for (const map of this.all) map.clear();
  }

  /** True if something was forgotten. */
  forgetUnused(): boolean {
    return this.all.map((map) => map.forgetUnused()).includes(true);
  }

  track(): void {
    for (const map of this.all) map.track();
  }

  takeRows(): StateRow[] {
    return [
      ...rowsOf(ENTRY, this.entries),
      ...rowsOf(LIVE_UNTIL, this.liveUntil),
      ...rowsOf(ARCHIVED, this.hotArchive),
    ];
  }

  /** `generation`: of now; rows that are older than the one before are left out. */
  keep({ row: [name, value], generation: its }: KeptRow, generation: number): void {
    const [map, key] = [name.charAt(0), name.slice(1)];
    if (its < generation - 1) return;
    const isOld = its < generation;
    if (map === ENTRY && typeof value !== "number") put(this.entries, key, value, isOld);
    if (map === LIVE_UNTIL && typeof value !== "string") put(this.liveUntil, key, value, isOld);
    if (map === ARCHIVED && (value === undefined || typeof value === "string")) {
      put(this.hotArchive, key, value, isOld);
    }
  }
}

function* rowsOf<Value extends string | number | null>(
  name: string,
  map: RecentMap<Value>,
): Generator<StateRow> {
  for (const [key, value] of map.takeTouched()) {
    yield value === undefined ? [name + key] : [name + key, value];
  }
}

function put<Value>(
  map: RecentMap<Value>,
  key: string,
  value: Value | undefined,
  isOld: boolean,
): void {
  if (value === undefined) map.delete(key);
  else if (isOld) map.setOld(key, value);
  else map.set(key, value);
}
