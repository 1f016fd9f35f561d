// The events that wait for sinks, in the database of a state. An event is saved once. Each sink has
// a position and receives the events after it. Invariant: an event is removed after every sink that
// wants it has passed it. A sink is removed only by `removeSink`, with its events: opening a state
// without its sinks loses nothing.

import type { FollowEvent } from "../model/follow.ts";
import type { Sink } from "./sinks/sink.ts";
import { type StateDatabase, stateInvalid } from "./state-database.ts";

export type SinkWish = Pick<Sink, "name" | "wantsAll">;

/** An event that waits for delivery. */
export interface QueuedEvent {
  readonly sequence: number;
  readonly event: FollowEvent;
}

export interface EventQueue {
  /** Sinks that have a position in the state but that the queue was opened without. */
  readonly unknownSinks: readonly string[];
  /** The next events for a sink. A new sink begins with the next event. */
  waiting(sink: string, most: number): readonly QueuedEvent[];
  countWaiting(sink: string): number;
  delivered(sink: string, sequence: number): void;
  /** Removes the sink and the events that wait for it. */
  removeSink(sink: string): void;
}

export interface OpenedQueue extends EventQueue {
  /** Adds the events for every sink that wants them, within the caller's transaction. */
  add(events: readonly FollowEvent[]): void;
}

/** The condition of events that wait for the sink ?1. `+` keeps the order of the table. */
const waitsFor = (alert: string) =>
  `${alert} >= 1 - (SELECT wants_all FROM sinks WHERE name = ?1)
   AND sequence > (SELECT sequence FROM sinks WHERE name = ?1)`;

export function createEventTables(database: StateDatabase): void {
  database.run(
    `CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL,
     alert INTEGER NOT NULL)`,
  );
  database.run(
    "CREATE TABLE sinks (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, wants_all INTEGER NOT NULL)",
  );
  database.run("CREATE INDEX waiting ON events (alert, sequence)");
}

/**
 * Opens the queue. `sinks` are all wanted sinks; null leaves the sinks of the state as they are.
 */
export function openEventQueue(
  database: StateDatabase,
  sinks: readonly SinkWish[] | null,
): OpenedQueue {
  if (sinks !== null) saveWishes(database, sinks);
  const named = (sinks ?? []).map(({ name }) => name);
  const known = database.query<{ name: string }>("SELECT name FROM sinks").all();
  const insert = database.query("INSERT INTO events (body, alert) VALUES (?1, ?2)");
  const waiting = database.query<{ sequence: number; body: string }>(
    `SELECT sequence, body FROM events WHERE ${waitsFor("+alert")} ORDER BY sequence LIMIT ?2`,
  );
  const count = database.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM events WHERE ${waitsFor("alert")}`,
  );
  const wish = database.query<{ all: number | null }>("SELECT max(wants_all) AS `all` FROM sinks");
  const advance = database.query("UPDATE sinks SET sequence = ?2 WHERE name = ?1");
  return {
    unknownSinks: known.flatMap(({ name }) => (named.includes(name) ? [] : [name])),
    add(events) {
      const all = wish.get()?.all ?? null;
      if (all === null) return;
      for (const event of events) {
        if (event.alert || all === 1) insert.run(JSON.stringify(event), Number(event.alert));
      }
    },
    waiting: (sink, most) =>
      waiting.all(sink, most).map(({ sequence, body }) => {
        return { sequence, event: readEvent(database, sequence, body) };
      }),
    countWaiting: (sink) => count.get(sink)?.waiting ?? 0,
    delivered: (sink, sequence) =>
      database.transact(() => {
        advance.run(sink, sequence);
        forget(database);
      }),
    removeSink: (sink) =>
      database.transact(() => {
        database.query("DELETE FROM sinks WHERE name = ?1").run(sink);
        forget(database);
      }),
  };
}

function saveWishes(database: StateDatabase, sinks: readonly SinkWish[]): void {
  const save = database.query(
    `INSERT INTO sinks (name, wants_all, sequence)
     VALUES (?1, ?2, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'))
     ON CONFLICT (name) DO UPDATE SET wants_all = ?2`,
  );
  database.transact(() => {
    for (const { name, wantsAll } of sinks) save.run(name, Number(wantsAll));
    forget(database);
  });
}

/** Removes events that no sink will receive. There are two deletions because each uses an index. */
function forget(database: StateDatabase): void {
  const end = Number.MAX_SAFE_INTEGER;
  const leave = (which: string, sinks: string) =>
    database
      .query(
        `DELETE FROM events
         WHERE ${which} sequence <= (SELECT coalesce(min(sequence), ${end}) FROM sinks ${sinks})`,
      )
      .run();
  leave("", "");
  leave("alert = 0 AND", "WHERE wants_all = 1");
}

function readEvent({ path }: StateDatabase, sequence: number, body: string): FollowEvent {
  try {
    return JSON.parse(body) as FollowEvent;
  } catch (cause) {
    throw stateInvalid(path, `is damaged: event ${sequence} cannot be read`, cause);
  }
}
