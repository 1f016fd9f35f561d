// What the feed says and does while the next ledger does not come. Time is that of a test clock.

import { expect, test } from "bun:test";
import { SvcError } from "../../../src/base/errors/errors.ts";
import { LedgerFeed } from "../../../src/debugger/follow/ledger-feed.ts";
import type { Source } from "../../../src/sources/source.ts";
import { failureIn } from "../../support/failure.ts";

interface Window {
  readonly first: number;
  readonly last: number;
}

const timeIsUp = () => new SvcError("INTERRUPTED", { message: "time is up", remedy: "None." });

/** A node without ledgers; `windowAt`: by the second. */
function nodeWith(name: string, windowAt: (second: number) => Window, now: () => number): Source {
  return {
    name,
    fetchTransaction: async () => null,
    range: () => windowAt(Math.floor(now() / 1000)),
    async *fetchLedgerCloseMetas() {},
  };
}

/** Everything that is logged within so many seconds, or until the feed ends. */
async function feed(
  windows: readonly ((second: number) => Window)[],
  { seconds, first, lake = false }: { seconds: number; first: number; lake?: boolean },
) {
  let now = 0;
  const log: string[] = [];
  const stop = new AbortController();
  const clock = {
    monotonicMilliseconds: () => now,
    unixMilliseconds: () => now,
    async sleep(milliseconds: number) {
      now += milliseconds;
      if (now > seconds * 1000) stop.abort(timeIsUp());
      stop.signal.throwIfAborted();
    },
  };
  const nodes = windows.map((windowAt, at) => nodeWith(`node ${at}`, windowAt, () => now));
  const empty: Source = { name: "lake", async *fetchLedgerCloseMetas() {} };
  const ledgers = new LedgerFeed({
    sources: lake ? [...nodes, empty] : nodes,
    networkPassphrase: "test",
    clock: clock as never,
    log: (_level, message, fields = {}) => {
      log.push(`${now / 1000} s: ${message}, ${Object.values(fields).join(" ")}`);
    },
  });
  const start = { first, previousHash: null, last: null };
  const backlog = { limit: null, policy: "catch-up" } as const;
  const failure = await failureIn(async () => {
    for await (const _ of ledgers.ledgers({ ...start, backlog }, stop)) expect(0).toBe(1);
  });
  return { log, failure, at: now / 1000 };
}

test("a ledger that no node keeps any more ends it, and not at once", async () => {
  const pruned = () => ({ first: 100, last: 200 });
  const older = () => ({ first: 60, last: 200 });
  const { failure, at } = await feed([pruned, older], { seconds: 300, first: 50 });
  expect(failure.code).toBe("FOLLOW_LEDGER_GONE");
  expect(failure.message).toContain(
    "No node keeps ledger 50 any more: the oldest that one has is 60.",
  );
  expect(at).toBe(30);
  // A node that shows a wrong window for a while does not end it.
  const mended = (second: number) => ({ first: second % 20 === 0 ? 40 : 100, last: 200 });
  expect((await feed([mended], { seconds: 200, first: 50 })).failure.message).toBe("time is up");
});

test("while a lake may have it, svc waits, and says so once a minute", async () => {
  const growing = (second: number) => ({ first: 100 + second, last: 200 + second });
  const { log, failure } = await feed([growing], { seconds: 150, first: 50, lake: true });
  expect(failure.message).toBe("time is up");
  expect(log).toEqual([
    "0 s: the node no longer keeps the ledger, node 0 50 100",
    "60 s: the node no longer keeps the ledger, node 0 50 160",
    "120 s: the node no longer keeps the ledger, node 0 50 220",
  ]);
});

test("a first ledger in the future is waited for, and no node is said to stand still", async () => {
  const growing = (second: number) => ({ first: 1, last: 200 + Math.floor(second / 5) });
  const { log } = await feed([growing], { seconds: 100, first: 5000 });
  expect(log).toEqual([
    "0 s: the node has not reached the ledger yet, node 0 5000 200",
    "60 s: the node has not reached the ledger yet, node 0 5000 212",
  ]);
});

test("a node that stands still is named once a minute", async () => {
  const { log } = await feed([() => ({ first: 1, last: 200 })], { seconds: 100, first: 201 });
  expect(log).toEqual([
    "30 s: the node stands still, node 0 201 200",
    "90 s: the node stands still, node 0 201 200",
  ]);
});
