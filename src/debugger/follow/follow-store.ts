// What svc needs to go on where it stopped: the last ledger that was verified, the groups of
// failures, the counts, what was folded, and the events that are not delivered yet. It is one
// SQLite database, so that these change together or not at all, whenever the process ends.
// Invariant: one process at a time; a state of another version or network, or one whose checksum is
// wrong, is refused.

import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import type { FollowEvent, FollowTotals } from "../../model/follow.ts";
import type { FoldChanges, SavedFold } from "../../snapshot/stream/ledgers-fold.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { createFoldedTable, type FoldedSummary, openFoldedTable } from "./folded-table.ts";
import type { SavedGroups } from "./group-failures.ts";

export interface FollowCursor {
  readonly networkPassphrase: string;
  /** The last ledger that was verified. */
  readonly ledger: number;
  readonly hash: string | null;
  readonly closeTimeUnixSeconds: number;
  readonly totals: FollowTotals;
  readonly groups: SavedGroups;
}

/** An event that waits for delivery. */
export interface QueuedEvent {
  readonly sequence: number;
  readonly event: FollowEvent;
}

export interface FollowStore extends Disposable {
  readonly cursor: FollowCursor | null;
  /** What was folded up to the cursor's ledger; null: nothing. Throws FOLLOW_STATE_INVALID. */
  folded(): SavedFold | null;
  /** Saves all of it, or nothing. `folded`: null where nothing was folded. */
  commit(cursor: FollowCursor, events: readonly FollowEvent[], folded: FoldChanges | null): void;
  /** The next events for a sink that it has not delivered; each sink begins with the next event. */
  waiting(sink: string, most: number): readonly QueuedEvent[];
  countWaiting(sink: string): number;
  delivered(sink: string, sequence: number): void;
  /** For one sink. */
  queueAgain(sink: string, events: readonly FollowEvent[]): void;
}

const FILE = "follow.sqlite";
const VERSION = 2;
/** Rows of the table `cursor`. */
const CURSOR = 1;
const FOLDED = 2;

/** `sinks`: names of those that events are kept for. Throws FOLLOW_STATE_INVALID. */
export function openFollowStore(
  directory: string,
  networkPassphrase: string,
  sinks: readonly string[],
): FollowStore {
  const path = join(directory, FILE);
  const database = openDatabase(directory, path);
  try {
    return openTables(database, path, networkPassphrase, sinks);
  } catch (cause) {
    database.close();
    if (cause instanceof SvcError) throw cause;
    throw invalid(path, "is not a state of svc", cause);
  }
}

function openDatabase(directory: string, path: string): Database {
  try {
    mkdirSync(directory, { recursive: true });
    const database = new Database(path, { create: true, strict: true });
    // One process holds the file from its first statement to its end, however it ends.
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = FULL");
    database.run("BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    if (code === "SQLITE_BUSY") {
      throw new SvcError("FOLLOW_STATE_INVALID", {
        message: `Another process uses the state in ${path}.`,
        remedy: "Stop it, or set another directory with `--state`.",
        cause,
      });
    }
    throw invalid(path, "cannot be opened", cause);
  }
}

function openTables(
  database: Database,
  path: string,
  networkPassphrase: string,
  sinks: readonly string[],
): FollowStore {
  const { user_version: version } = database.query("PRAGMA user_version").get() as {
    readonly user_version: number;
  };
  if (version < VERSION) createTables(database, version);
  else if (version !== VERSION) throw invalid(path, `has version ${version}, not ${VERSION}`);
  const cursor = readSealed<FollowCursor>(database, path, CURSOR);
  const summary = readSealed<FoldedSummary>(database, path, FOLDED);
  if (cursor !== null && cursor.networkPassphrase !== networkPassphrase) {
    throw invalid(path, `is of the network "${cursor.networkPassphrase}"`);
  }
  keepSinks(database, sinks);
  const table = openFoldedTable(database, summary);
  const write = database.query(
    "INSERT OR REPLACE INTO cursor (id, body, checksum) VALUES (?1, ?2, ?3)",
  );
  const save = (id: number, value: object) => {
    const body = JSON.stringify(value);
    write.run(id, body, checksumOf(body));
  };
  const queue = database.query("INSERT INTO events (body, sink) VALUES (?1, ?2)");
  const waiting = database.query(
    `SELECT sequence, body FROM events
     WHERE sequence > (SELECT sequence FROM sinks WHERE name = ?1) AND coalesce(sink, ?1) = ?1
     ORDER BY sequence LIMIT ?2`,
  );
  const count = database.query(
    `SELECT count(*) AS waiting FROM events
     WHERE sequence > (SELECT sequence FROM sinks WHERE name = ?1) AND coalesce(sink, ?1) = ?1`,
  );
  const advance = database.query("UPDATE sinks SET sequence = ?2 WHERE name = ?1");
  const forget = database.query(
    "DELETE FROM events WHERE sequence <= (SELECT min(sequence) FROM sinks)",
  );
  const queueAll = (events: readonly FollowEvent[], sink: string | null) => {
    if (sinks.length > 0) for (const event of events) queue.run(JSON.stringify(event), sink);
  };
  const commit = database.transaction(
    (next: FollowCursor, events: readonly FollowEvent[], folded: FoldChanges | null) => {
      save(CURSOR, next);
      if (folded !== null) save(FOLDED, table.apply(folded, next.ledger));
      queueAll(events, null);
    },
  );
  const delivered = database.transaction((sink: string, sequence: number) => {
    advance.run(sink, sequence);
    forget.run();
  });
  return {
    cursor,
    folded() {
      // After skipped ledgers what was folded is of an earlier one.
      if (summary === null || summary.ledger !== cursor?.ledger) return null;
      const saved = table.read(summary);
      if (saved === null) throw invalid(path, "has a folded state with a wrong checksum");
      return saved;
    },
    commit: (next, events, folded) => commit(next, events, folded),
    waiting: (sink, most) =>
      (waiting.all(sink, most) as { readonly sequence: number; readonly body: string }[]).map(
        ({ sequence, body }) => ({ sequence, event: JSON.parse(body) as FollowEvent }),
      ),
    countWaiting: (sink) => (count.get(sink) as { readonly waiting: number }).waiting,
    delivered: (sink, sequence) => delivered(sink, sequence),
    queueAgain: (sink, events) => database.transaction(queueAll)(events, sink),
    [Symbol.dispose]: () => database.close(),
  };
}

/** Version 1 has nothing that was folded. */
function createTables(database: Database, version: number): void {
  database.transaction(() => {
    if (version === 0) {
      database.run(
        "CREATE TABLE cursor (id INTEGER PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL)",
      );
      database.run(
        "CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, sink TEXT)",
      );
      database.run("CREATE TABLE sinks (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL)");
    }
    createFoldedTable(database);
    database.run(`PRAGMA user_version = ${VERSION}`);
  })();
}

function readSealed<Value>(database: Database, path: string, id: number): Value | null {
  const found = database.query("SELECT body, checksum FROM cursor WHERE id = ?1").get(id) as {
    readonly body: string;
    readonly checksum: string;
  } | null;
  if (found === null) return null;
  if (checksumOf(found.body) !== found.checksum) throw invalid(path, "has a wrong checksum");
  return JSON.parse(found.body) as Value;
}

/** A new sink begins with the next event; events for removed ones are deleted. */
function keepSinks(database: Database, sinks: readonly string[]): void {
  database.transaction(() => {
    const known = database.query("SELECT name FROM sinks").all() as { readonly name: string }[];
    for (const { name } of known) {
      if (!sinks.includes(name)) database.query("DELETE FROM sinks WHERE name = ?1").run(name);
    }
    for (const name of sinks) {
      database
        .query(
          `INSERT OR IGNORE INTO sinks (name, sequence)
           VALUES (?1, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'))`,
        )
        .run(name);
    }
    if (sinks.length === 0) database.run("DELETE FROM events");
    else database.run("DELETE FROM events WHERE sequence <= (SELECT min(sequence) FROM sinks)");
  })();
}

function checksumOf(body: string): string {
  return sha256(Buffer.from(body)).toHex();
}

function invalid(path: string, why: string, cause?: unknown): SvcError {
  return new SvcError("FOLLOW_STATE_INVALID", {
    message: `The state in ${path} ${why}.`,
    remedy: "Set another directory with `--state`, or move the file away to begin anew.",
    ...(cause === undefined ? {} : { cause }),
  });
}
