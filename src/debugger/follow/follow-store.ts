// What svc needs to go on where it stopped: the last ledger that was verified, the groups of
// failures, the counts, what was folded, and the events that are not delivered yet. It is one
// SQLite database, so that these change together or not at all, whenever the process ends.
// Invariant: one process at a time; a state of another version or network, or one whose checksum is
// wrong, is refused.

import type { FollowEvent, FollowTotals } from "../../model/follow.ts";
import type { FoldChanges, SavedFold } from "../../snapshot/stream/ledgers-fold.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import {
  addWishes,
  createEventTables,
  type EventQueue,
  openEventQueue,
  type SinkWish,
} from "./event-queue.ts";
import { createFoldedTable, type FoldedSummary, openFoldedTable } from "./folded-table.ts";
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
  readonly cursor: FollowCursor | null;
  /** What was folded up to the cursor's ledger; null: nothing. Throws FOLLOW_STATE_INVALID. */
  folded(): SavedFold | null;
  /** Saves all of it, or nothing. `folded`: null where nothing was folded. */
  commit(cursor: FollowCursor, events: readonly FollowEvent[], folded: FoldChanges | null): void;
}

const VERSION = 3;
/** Rows of the table `cursor`. */
const CURSOR = 1;
const FOLDED = 2;

/**
 * `sinks`: those that events are kept for; null: those of the state, which has none at first. Throws
 * FOLLOW_STATE_INVALID and FOLLOW_STATE_UNWRITABLE, as all its methods do.
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
  if (version < VERSION) createTables(database, version);
  else if (version !== VERSION) throw stateInvalid(path, `has version ${version}, not ${VERSION}`);
  const cursor = readSealed<FollowCursor>(database, CURSOR);
  const summary = readSealed<FoldedSummary>(database, FOLDED);
  if (cursor !== null && cursor.networkPassphrase !== networkPassphrase) {
    throw stateInvalid(path, `is of the network "${cursor.networkPassphrase}"`);
  }
  const { add, ...queue } = openEventQueue(database, sinks);
  const table = openFoldedTable(database, summary);
  const write = database.query(
    "INSERT OR REPLACE INTO cursor (id, body, checksum) VALUES (?1, ?2, ?3)",
  );
  const save = (id: number, value: object) => {
    const body = JSON.stringify(value);
    write.run(id, body, checksumOf(body));
  };
  return {
    ...queue,
    cursor,
    folded() {
      // After skipped ledgers what was folded is of an earlier one.
      if (summary === null || summary.ledger !== cursor?.ledger) return null;
      const saved = table.read(summary);
      if (saved === null) throw stateInvalid(path, "has a folded state with a wrong checksum");
      return saved;
    },
    commit: (next, events, folded) =>
      database.transact(() => {
        save(CURSOR, next);
        if (folded !== null) save(FOLDED, table.apply(folded, next.ledger));
        add(events);
      }),
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}

/** Version 1 has nothing that was folded. */
function createTables(database: StateDatabase, version: number): void {
  database.transact(() => {
    if (version === 0) {
      database.run(
        "CREATE TABLE cursor (id INTEGER PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL)",
      );
      createEventTables(database);
    }
    if (version < 2) createFoldedTable(database);
    addWishes(database);
    database.run(`PRAGMA user_version = ${VERSION}`);
  });
}

function readSealed<Value>(database: StateDatabase, id: number): Value | null {
  const found = database
    .query<{ body: string; checksum: string }>("SELECT body, checksum FROM cursor WHERE id = ?1")
    .get(id);
  if (found === null) return null;
  if (checksumOf(found.body) !== found.checksum) {
    throw stateInvalid(database.path, "has a wrong checksum");
  }
  return JSON.parse(found.body) as Value;
}

function checksumOf(body: string): string {
  return sha256(Buffer.from(body)).toHex();
}
