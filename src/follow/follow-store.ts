// Everything that svc needs to continue after a restart: the last verified ledger, the groups of
// failures, the counts, the folded state, and the events that are not delivered yet. It is one
// SQLite database, so that these change together or not at all, whenever the process ends.
// Invariant: only one process uses the state at a time, and a state of another version or network
// is refused.

import type { FollowEvent, FollowTotals } from "../model/follow.ts";
import type {
  KeptRow,
  SavedState,
  StateChanges,
  StateFacts,
} from "../snapshot/stream/saved-state.ts";
import {
  createEventTables,
  type EventQueue,
  openEventQueue,
  type SinkWish,
} from "./event-queue.ts";
import type { SavedGroups } from "./group-failures.ts";
import { openStateDatabase, type StateDatabase, stateInvalid } from "./state-database.ts";

export interface FollowCursor {
  readonly networkPassphrase: string;
  /** The last ledger that was verified. */
  readonly ledger: number;
  readonly hash: string | null;
  readonly closeTimeUnixSeconds: number;
  readonly totals: FollowTotals;
  readonly groups: SavedGroups;
}

export interface FollowStore extends EventQueue, Disposable {
  /** The last one that was committed. */
  readonly cursor: FollowCursor | null;
  /** The state that was folded up to the cursor's ledger; null if there is none. */
  folded(): SavedState | null;
  /** Saves everything, or nothing. `folded` is null if nothing was folded. */
  commit(cursor: FollowCursor, events: readonly FollowEvent[], folded: StateChanges | null): void;
}

const VERSION = 5;
/** The keys of rows in the table `cursor`. */
const CURSOR = 1;
const FOLDED = 2;

/**
 * Opens the store. `sinks` are those that events are kept for; null keeps the sinks of the state,
 * which begins with none. Throws FOLLOW_STATE_INVALID and FOLLOW_STATE_UNWRITABLE, as all its
 * methods do.
 */
export function openFollowStore(
  directory: string,
  networkPassphrase: string,
  sinks: readonly SinkWish[] | null,
): FollowStore {
  const database = openStateDatabase(directory);
  try {
    return openTables(database, networkPassphrase, sinks);
  } catch (cause) {
    database[Symbol.dispose]();
    throw cause;
  }
}

function openTables(
  database: StateDatabase,
  networkPassphrase: string,
  sinks: readonly SinkWish[] | null,
): FollowStore {
  const { path } = database;
  const version =
    database.query<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
  if (version === 0) createTables(database);
  else if (version !== VERSION) throw stateInvalid(path, `has version ${version}, not ${VERSION}`);
  let cursor = readSaved<FollowCursor>(database, CURSOR);
  let folded = readSaved<SavedFacts>(database, FOLDED);
  if (cursor !== null && cursor.networkPassphrase !== networkPassphrase) {
    throw stateInvalid(path, `is of the network "${cursor.networkPassphrase}"`);
  }
  const { add, ...queue } = openEventQueue(database, sinks);
  const save = foldedSaver(database, folded?.facts.generation ?? 0);
  const all = database.query<KeptRow>("SELECT * FROM folded");
  const write = database.query("INSERT OR REPLACE INTO cursor (id, body) VALUES (?1, ?2)");
  return {
    ...queue,
    get cursor() {
      return cursor;
    },
    // After skipped ledgers, the folded state belongs to an earlier ledger.
    folded: () =>
      folded === null || folded.ledger !== cursor?.ledger
        ? null
        : { facts: folded.facts, rows: all.iterate() },
    commit(next, events, changes) {
      const saved = changes && { ledger: next.ledger, facts: changes.facts };
      database.transact(() => {
        write.run(CURSOR, JSON.stringify(next));
        if (changes !== null) save(changes);
        if (saved !== null) write.run(FOLDED, JSON.stringify(saved));
        add(events);
      });
      cursor = next;
      folded = saved ?? folded;
    },
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}

/** The ledger of the folded state, which is saved beside the cursor. */
interface SavedFacts {
  readonly ledger: number;
  readonly facts: StateFacts;
}

/**
 * Saves the folded state, one row for each entry, in the transaction that moves the cursor, so that
 * both belong to the same ledger. `latest` is the generation of the saved rows.
 */
function foldedSaver(database: StateDatabase, latest: number): (changes: StateChanges) => void {
  const write = database.query("INSERT OR REPLACE INTO folded VALUES (?1, ?2, ?3)");
  const remove = database.query("DELETE FROM folded WHERE key = ?1");
  const forget = database.query("DELETE FROM folded WHERE generation < ?1");
  let generation = latest;
  return ({ reset, facts, rows }) => {
    if (reset) database.run("DELETE FROM folded");
    for (const [key, value] of rows) {
      if (value === undefined) remove.run(key);
      else write.run(key, value, facts.generation);
    }
    if (facts.generation !== generation) forget.run(facts.generation - 1);
    generation = facts.generation;
  };
}

function createTables(database: StateDatabase): void {
  database.transact(() => {
    database.run("CREATE TABLE cursor (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    createEventTables(database);
    database.run("CREATE TABLE folded (key TEXT PRIMARY KEY, value, generation INTEGER NOT NULL)");
    database.run(`PRAGMA user_version = ${VERSION}`);
  });
}

function readSaved<Value>(database: StateDatabase, id: number): Value | null {
  const row = database.query<{ body: string }>("SELECT body FROM cursor WHERE id = ?1").get(id);
  if (row === null) return null;
  try {
    return JSON.parse(row.body) as Value;
  } catch (cause) {
    throw stateInvalid(database.path, "is damaged: its position cannot be read", cause);
  }
}
