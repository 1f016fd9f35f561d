import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FollowCursor,
  type FollowStore,
  openFollowStore,
} from "../../src/follow/follow-store.ts";
import { openStateDatabase } from "../../src/follow/state-database.ts";
import { FOLLOW_COUNTS } from "../../src/model/follow.ts";
import { noValues } from "../../src/model/verification.ts";
import type { StateChanges } from "../../src/snapshot/stream/saved-state.ts";
import { failureIn } from "../support/failure.ts";
import { failureEvent } from "../support/follow-events.ts";

const NETWORK = "Test Network";
const cursor: FollowCursor = {
  networkPassphrase: NETWORK,
  ledger: 7,
  hash: "ab".repeat(32),
  closeTimeUnixSeconds: 1_700_000_000,
  totals: noValues(FOLLOW_COUNTS),
  groups: [],
};
const idsOf = (store: FollowStore, sink: string) =>
  store.waiting(sink, 100).map(({ event }) => event.id);
const newDirectory = () => mkdtempSync(join(tmpdir(), "svc-"));
const open = (directory: string, sinks: readonly string[] | null = null) => {
  const wishes = sinks?.map((name) => ({ name, wantsAll: true })) ?? null;
  return openFollowStore(directory, NETWORK, wishes);
};
const refusal = async (directory: string, network = NETWORK) => {
  const { code, message } = await failureIn(() => openFollowStore(directory, network, null));
  expect(code).toBe("FOLLOW_STATE_INVALID");
  return message;
};

describe("the saved state", () => {
  test("is what was committed last", () => {
    const directory = newDirectory();
    {
      using store = open(directory);
      expect(store.cursor).toBeNull();
      store.commit(cursor, [], null);
      store.commit({ ...cursor, ledger: 8 }, [], null);
    }
    using again = open(directory);
    expect(again.cursor).toEqual({ ...cursor, ledger: 8 });
  });

  test("is refused for another network or version, and when it is no state", async () => {
    const directory = newDirectory();
    {
      using store = open(directory);
      store.commit(cursor, [], null);
    }
    expect(await refusal(directory, "Other")).toContain(`is of the network "${NETWORK}"`);
    const path = join(directory, "follow.sqlite");
    const change = (statement: string) => {
      const database = new Database(path);
      database.run(statement);
      database.close();
    };
    change("UPDATE cursor SET body = substr(body, 1, 20)");
    expect(await refusal(directory)).toContain("is damaged");
    change("PRAGMA user_version = 99");
    expect(await refusal(directory)).toContain("has version 99");
    const other = newDirectory();
    writeFileSync(join(other, "follow.sqlite"), "x".repeat(5000));
    expect(await refusal(other)).toMatch(/cannot be opened|is not a state/);
  });

  test("that lost its content is refused, and not begun anew", async () => {
    const directory = newDirectory();
    open(directory)[Symbol.dispose]();
    expect(readdirSync(directory)).toEqual(["follow.sqlite"]);
    writeFileSync(join(directory, "follow.sqlite"), "");
    expect(await refusal(directory)).toEndWith("is empty: its content was lost.");
  });

  test("that the disk or the directory does not let be written is not called damaged", async () => {
    const file = join(newDirectory(), "a-file");
    writeFileSync(file, "");
    const directory = newDirectory();
    mkdirSync(join(directory, "follow.sqlite"));
    const full = () => {
      using database = openStateDatabase(newDirectory());
      database.run("PRAGMA max_page_count = 4");
      database.run("CREATE TABLE rows (body TEXT)");
      const insert = database.query("INSERT INTO rows VALUES (?1)");
      database.transact(() => insert.run("x".repeat(100_000)));
    };
    for (const [run, reason, remedy] of [
      [() => open(file), "not a directory", "Set a directory with `--state`"],
      [() => open("/proc/x"), "no such directory", "Check the directory"],
      [() => open(directory), "EISDIR", "Check the directory"],
      [full, "disk full", "Free space or make the volume larger, then start svc again"],
    ] as const) {
      const { code, message, remedy: advice } = await failureIn(run);
      expect([code, message]).toEqual([
        "FOLLOW_STATE_UNWRITABLE",
        expect.stringContaining(`cannot be written (${reason}).`),
      ]);
      expect(advice).toStartWith(remedy);
    }
  });

  test("that is overwritten anywhere is refused, or opens", async () => {
    const directory = newDirectory();
    const facts = {
      ...{ firstLedger: 3, youngSince: 3, everyLedgerFolded: false, genesisProtocol: null },
      generation: 0,
    };
    const rows = Array.from({ length: 300 }, (_, i) => [`e${i}`, "AAAA".repeat(20)] as const);
    {
      using store = open(directory, ["team"]);
      const events = Array.from({ length: 30 }, (_, i) => failureEvent(i));
      store.commit(cursor, events, { reset: true, facts, rows });
    }
    const path = join(directory, "follow.sqlite");
    const whole = readFileSync(path);
    let refused = 0;
    for (let at = 0; at < whole.length; at += 997) {
      writeFileSync(path, Buffer.from(whole).fill(0xa5, at, at + 300));
      try {
        using store = open(directory, ["team"]);
        for (const _ of store.folded()?.rows ?? []);
        store.waiting("team", 100);
        store.commit({ ...cursor, ledger: 8 }, [], null);
      } catch (error) {
        expect(error).toMatchObject({ code: "FOLLOW_STATE_INVALID" });
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(20);
  });

  test("has what was folded up to the cursor's ledger, and nothing of an earlier one", () => {
    const directory = newDirectory();
    const facts = {
      firstLedger: 3,
      youngSince: 3,
      everyLedgerFolded: false,
      genesisProtocol: null,
    };
    const changes = (generation: number, rows: StateChanges["rows"], reset = false) => {
      return { reset, facts: { ...facts, generation }, rows };
    };
    const rowsOf = (expected: FollowCursor) => {
      using again = open(directory);
      expect(again.cursor).toEqual(expected);
      const saved = again.folded();
      return saved && [...saved.rows].map(({ key, value, generation }) => [key, value, generation]);
    };
    {
      using store = open(directory);
      const rows = [
        ["eA", "AA"],
        ["eB", null],
        ["tC", 7],
      ] as const;
      store.commit(cursor, [], changes(0, rows, true));
      store.commit({ ...cursor, ledger: 8 }, [], changes(0, [["eA", "AB"], ["tC"]]));
    }
    const now = { ...cursor, ledger: 8 };
    expect(rowsOf(now)).toEqual([
      ["eB", null, 0],
      ["eA", "AB", 0],
    ]);
    {
      using store = open(directory);
      store.commit(now, [], changes(1, [["eD", "AD"]]));
      store.commit(now, [], changes(2, [["eA", "AE"]]));
    }
    expect(rowsOf(now)).toEqual([
      ["eD", "AD", 1],
      ["eA", "AE", 2],
    ]);
    {
      using store = open(directory);
      store.commit({ ...cursor, ledger: 99 }, [], null);
    }
    expect(rowsOf({ ...cursor, ledger: 99 })).toBeNull();
  });

  test("belongs to one process", async () => {
    const directory = newDirectory();
    using _held = open(directory);
    expect(await refusal(directory)).toContain("Another process");
  });

  test("keeps events until every sink has them", () => {
    const directory = newDirectory();
    {
      using store = open(directory, ["a", "b"]);
      store.commit(cursor, [failureEvent(1), failureEvent(2)], null);
      store.delivered("a", store.waiting("a", 1)[0]?.sequence ?? 0);
      expect([store.countWaiting("a"), store.countWaiting("b")]).toEqual([1, 2]);
    }
    using again = open(directory, ["b", "c"]);
    expect(again.waiting("b", 10).map(({ event }) => event.id)).toEqual(["failure:1", "failure:2"]);
    // A new sink begins with what comes next.
    expect(again.countWaiting("c")).toBe(0);
  });

  test("opened without sinks, keeps those it has, their events, and what they get next", () => {
    const directory = newDirectory();
    {
      using store = open(directory, ["team"]);
      store.commit(cursor, [failureEvent(1)], null);
    }
    {
      using store = open(directory, null);
      store.commit({ ...cursor, ledger: 8 }, [failureEvent(2)], null);
    }
    using again = open(directory, ["team"]);
    expect(idsOf(again, "team")).toEqual(["failure:1", "failure:2"]);
    // Without any sink, no event is kept.
    using other = open(newDirectory(), null);
    other.commit(cursor, [failureEvent(1)], null);
    expect(other.unknownSinks).toEqual([]);
    expect(other.countWaiting("team")).toBe(0);
  });

  test("keeps what waits for a sink that is no longer wanted, until it is removed", () => {
    const directory = newDirectory();
    {
      using store = open(directory, ["old", "team"]);
      store.commit(cursor, [failureEvent(1), failureEvent(2)], null);
      store.delivered("team", store.waiting("team", 2).at(-1)?.sequence ?? 0);
    }
    {
      using store = open(directory, ["new", "team"]);
      expect(store.unknownSinks).toEqual(["old"]);
      expect(idsOf(store, "old")).toEqual(["failure:1", "failure:2"]);
      store.removeSink("old");
      expect(idsOf(store, "old")).toEqual([]);
    }
    using again = open(directory, ["new", "team", "old"]);
    expect(again.unknownSinks).toEqual([]);
    expect([idsOf(again, "new"), idsOf(again, "old")]).toEqual([[], []]);
  });

  test("counts and hands out what a sink gets: alerts, or all events", () => {
    const directory = newDirectory();
    const all = { name: "record", wantsAll: true };
    const alerts = { name: "am", wantsAll: false };
    const quiet = failureEvent(2, { alert: false });
    const events = [failureEvent(1), quiet, failureEvent(3), failureEvent(4, { alert: false })];
    {
      using store = openFollowStore(directory, NETWORK, [all, alerts]);
      store.commit(cursor, events, null);
      expect([store.countWaiting("record"), store.countWaiting("am")]).toEqual([4, 2]);
      expect(idsOf(store, "am")).toEqual(["failure:1", "failure:3"]);
      store.delivered("record", store.waiting("record", 4).at(-1)?.sequence ?? 0);
    }
    // Nothing is kept that no sink gets.
    const stored = () => {
      using database = openStateDatabase(directory);
      return database.query<{ count: number }>("SELECT count(*) AS count FROM events").get()?.count;
    };
    expect(stored()).toBe(2);
    {
      using store = openFollowStore(directory, NETWORK, [alerts]);
      store.removeSink("record");
      store.commit(cursor, events, null);
      expect(store.countWaiting("am")).toBe(4);
    }
    expect(stored()).toBe(4);
  });
});
