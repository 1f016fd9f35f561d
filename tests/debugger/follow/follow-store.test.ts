import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_TOTALS } from "../../../src/debugger/follow/follow-events.ts";
import { type FollowCursor, openFollowStore } from "../../../src/debugger/follow/follow-store.ts";
import type { FoldChanges } from "../../../src/snapshot/stream/ledgers-fold.ts";
import { failureIn } from "../../support/failure.ts";
import { failureEvent } from "../../support/follow-events.ts";

const NETWORK = "Test Network";
const cursor: FollowCursor = {
  networkPassphrase: NETWORK,
  ledger: 7,
  hash: "ab".repeat(32),
  closeTimeUnixSeconds: 1_700_000_000,
  totals: NO_TOTALS,
  groups: [],
};
const newDirectory = () => mkdtempSync(join(tmpdir(), "svc-"));
const open = (directory: string, sinks: readonly string[] = []) =>
  openFollowStore(directory, NETWORK, sinks);
const refusal = async (directory: string, network = NETWORK) => {
  const { code, message } = await failureIn(() => openFollowStore(directory, network, []));
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

  test("is refused for another network, version or checksum, and when it is no state", async () => {
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
    change("UPDATE cursor SET body = replace(body, '\"ledger\":7', '\"ledger\":9')");
    expect(await refusal(directory)).toContain("has a wrong checksum");
    change("PRAGMA user_version = 99");
    expect(await refusal(directory)).toContain("has version 99");
    const other = newDirectory();
    writeFileSync(join(other, "follow.sqlite"), "x".repeat(5000));
    expect(await refusal(other)).toMatch(/cannot be opened|is not a state/);
    const file = join(other, "a-file");
    writeFileSync(file, "");
    expect(await refusal(file)).toContain("cannot be opened");
  });

  test("of version 1 goes on, without anything that was folded", () => {
    const directory = newDirectory();
    {
      using store = open(directory);
      store.commit(cursor, [], null);
    }
    const database = new Database(join(directory, "follow.sqlite"));
    database.run("DROP TABLE folded");
    database.run("PRAGMA user_version = 1");
    database.close();
    using again = open(directory);
    expect(again.cursor).toEqual(cursor);
    expect(again.folded()).toBeNull();
  });

  test("has what was folded up to the cursor's ledger, and nothing of an earlier one", () => {
    const directory = newDirectory();
    const facts = {
      firstLedger: 3,
      youngSince: 3,
      everyLedgerFolded: false,
      genesisProtocol: null,
    };
    const changes = (generation: number, rows: FoldChanges["rows"], reset = false) => {
      return { reset, facts: { ...facts, generation }, rows };
    };
    const rowsOf = (expected: FollowCursor) => {
      using again = open(directory);
      expect(again.cursor).toEqual(expected);
      const saved = again.folded();
      return saved && [...saved.rows].map(({ row, generation }) => [...row, generation]);
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
    again.queueAgain("c", [failureEvent(3)]);
    expect([again.countWaiting("b"), again.countWaiting("c")]).toEqual([2, 1]);
  });
});
