// What the feed says and does while the next ledger does not come. Time is that of a test clock.

import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/base/clock.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { forgivingSource } from "../../src/ledgers/feed/feed-node.ts";
import { LedgerFeed } from "../../src/ledgers/feed/ledger-feed.ts";
import { LedgerReader } from "../../src/ledgers/ledger-reader.ts";
import { openRpc } from "../../src/sources/nodes/rpc.ts";
import type { Source } from "../../src/sources/source.ts";
import { failureIn } from "../support/failure.ts";
import { type LongChain, openLongChain } from "../support/long-chain.ts";

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
  const sources = lake ? [...nodes, empty] : nodes;
  const ledgers = new LedgerFeed({
    sources,
    ledgers: new LedgerReader({ sources, networkPassphrase: "test" }),
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
    "30 s: the node has no new ledger, node 0 201 200",
    "90 s: the node has no new ledger, node 0 201 200",
  ]);
});

/** Takes all ledgers of the chain from its node, on a clock that only waits move. */
async function takeAll(chain: LongChain, now: { milliseconds: number }) {
  const { signal } = new AbortController();
  const failedAttempts: string[] = [];
  const http = openHttp({
    clock: systemClock,
    timeoutMilliseconds: 5000,
    userAgent: "svc/test",
    observe: ({ succeeded, status }) =>
      succeeded || status === "aborted" || failedAttempts.push(status),
  });
  const node = forgivingSource(openRpc({ http, url: chain.url }));
  const refused: { readonly at: number; readonly ledger: number; readonly problem: string }[] = [];
  const standstills: number[] = [];
  const feeding = new LedgerFeed({
    sources: [node],
    ledgers: new LedgerReader({ sources: [node], networkPassphrase: chain.passphrase }),
    clock: {
      ...systemClock,
      monotonicMilliseconds: () => now.milliseconds,
      async sleep(milliseconds) {
        now.milliseconds += milliseconds;
      },
    },
    log: () => {},
    refused: (refusal) => refused.push({ at: now.milliseconds / 1000, ...refusal }),
    standsStill: ({ ledger }) => standstills.push(ledger),
  });
  const start = { first: chain.first + 1, previousHash: null, last: chain.tip };
  const backlog = { limit: null, policy: "catch-up" } as const;
  const taken: number[] = [];
  for await (const item of feeding.ledgers({ ...start, backlog }, { signal }))
    if (item.kind === "ledger") taken.push(item.view.facts.sequence);
  return { taken, refused, standstills, failedAttempts };
}

describe("a ledger of the only node that is not accepted", () => {
  const bad = 1008;
  test.each([
    ["truncated", "a ledger cannot be read", (bytes: Uint8Array) => bytes.subarray(0, 600)],
    [
      "with one bit flipped",
      "the hash of a ledger is not that of its header",
      (bytes: Uint8Array) => bytes.with(150, (bytes[150] ?? 0) ^ 1),
    ],
    ["of another history", "a ledger does not follow", null],
  ])(
    "%s, is asked for again with pauses, counted, and taken when it is right",
    async (_name, problem, spoil) => {
      await using chain = openLongChain({ successes: 1, failures: 0 });
      await using other = openLongChain({ successes: 1, failures: 0, beginUnixSeconds: 1 });
      chain.tip = chain.first + 20;
      const now = { milliseconds: 0 };
      chain.spoil = (sequence, bytes) => {
        if (sequence !== bad || now.milliseconds >= 100_000) return bytes;
        return spoil === null ? other.bytes(sequence) : new Uint8Array(spoil(bytes));
      };
      const { taken, refused, standstills, failedAttempts } = await takeAll(chain, now);
      expect(taken).toEqual(Array.from({ length: 20 }, (_, i) => chain.first + 1 + i));
      for (const each of refused) expect(each).toMatchObject({ ledger: bad });
      expect(refused[0]?.problem).toContain(problem);
      const times = refused.map(({ at }) => at);
      const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0));
      expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
      expect(new Set(standstills)).toEqual(new Set([bad]));
      // Each attempt that brought it counts as a failure of the node.
      expect(failedAttempts).toHaveLength(refused.length);
    },
  );
});
