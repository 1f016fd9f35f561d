// The memory for answers that wait to be sent, and how a large answer leaves it.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SvcError } from "../../src/base/errors/errors.ts";
import { openAnswerMemory } from "../../src/http-server/limits/answer-memory.ts";
import { type Part, PIECE_BYTES, Reply, sendReply } from "../../src/http-server/routes/reply.ts";
import { openDaemon, scrape } from "../support/daemon.ts";
import { failureOf } from "../support/failure.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openNode } from "../support/scripted-node.ts";
import { until } from "../support/until.ts";

const MEBIBYTE = 1024 * 1024;

describe("the memory", () => {
  test("never has more than its limit, and refuses only who has his share", () => {
    const step = fc.record({
      client: fc.constantFrom("a", "b", "c"),
      bytes: fc.integer({ min: 1, max: 40 }),
      leaves: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = openAnswerMemory(100);
        let held: { client: string; bytes: number; leave: () => void }[] = [];
        for (const { client, bytes, leaves } of steps) {
          held[leaves]?.leave();
          held = held.filter((_, index) => index !== leaves);
          const has = (of: string) =>
            held.reduce((sum, each) => sum + (each.client === of ? each.bytes : 0), 0);
          const answer = { client, bytes, leave: () => {} };
          const giveWay = () => {
            held = held.filter((each) => each !== answer);
          };
          try {
            answer.leave = memory.hold(client, bytes, giveWay).leave;
            held.push(answer);
          } catch (error) {
            expect((error as SvcError).code).toBe("ANSWER_ROOM_FULL");
            for (const other of ["a", "b", "c"].filter((each) => each !== client))
              expect(has(other)).toBeLessThanOrEqual(has(client) + bytes);
          }
          expect(memory.bytes()).toBe(held.reduce((sum, each) => sum + each.bytes, 0));
          expect(memory.bytes()).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});

describe("an answer in pieces", () => {
  const open = () => {
    const memory = openAnswerMemory(64 * MEBIBYTE);
    const leaving = new AbortController();
    const cutting = new AbortController();
    const seconds: (number | null)[] = [];
    const way = {
      request: { method: "POST", signal: leaving.signal },
      hold: (bytes: number) => memory.hold("a", bytes, () => cutting.abort()),
      cut: cutting.signal,
      patience: (given: number | null) => void seconds.push(given),
      streams: () => {},
    };
    return { memory, way, leaving, cutting, seconds };
  };

  test("has every character of its text, wherever it is cut", async () => {
    const wide = fc.constantFrom("😀", "é", "a", "𝄞", "\u2028");
    const fill = fc.tuple(fc.integer({ min: PIECE_BYTES - 3, max: PIECE_BYTES + 3 }), wide);
    await fc.assert(
      fc.asyncProperty(fc.array(fill, { minLength: 1, maxLength: 3 }), async (fills) => {
        const { memory, way } = open();
        const parts: Part[] = fills.map(([length, end], index) => {
          const text = "x".repeat(length) + end + "y".repeat(10);
          return index % 2 === 0 ? text : new TextEncoder().encode(text);
        });
        const expected = fills.map(([length, end]) => `${"x".repeat(length)}${end}yyyyyyyyyy`);
        const answer = await sendReply(new Reply(parts), way);
        expect(await answer.text()).toBe(expected.join(""));
        expect(memory.bytes()).toBe(0);
      }),
      { numRuns: 10 },
    );
  });

  test("waits in the memory until its client has taken it, or is gone", async () => {
    const { memory, way, leaving } = open();
    const bytes = 2 * MEBIBYTE;
    const taken = await sendReply(new Reply(["x".repeat(bytes)]), way);
    const left = await sendReply(new Reply(["x".repeat(bytes)]), way);
    expect(memory.bytes()).toBe(2 * bytes);
    expect((await taken.text()).length).toBe(bytes);
    expect(memory.bytes()).toBe(bytes);
    leaving.abort();
    expect(memory.bytes()).toBe(0);
    // Nobody reads the body of this one.
    await sendReply(new Reply(["x".repeat(bytes)]), way);
    const head = {
      ...open().way,
      request: { method: "HEAD", signal: new AbortController().signal },
    };
    expect((await sendReply(new Reply(["x".repeat(bytes)]), head)).body).toBeNull();
    expect(memory.bytes()).toBe(0);
    void left;
  });

  test("that gave way does not end as if it were complete", async () => {
    const { memory, way, cutting } = open();
    const answer = await sendReply(new Reply(["x".repeat(2 * MEBIBYTE)]), way);
    const reader = answer.body?.getReader();
    await reader?.read();
    cutting.abort();
    expect(memory.bytes()).toBe(0);
    const next = await Promise.race([
      reader?.read(),
      new Promise((go) => setImmediate(go, "open")),
    ]);
    expect(next).toBe("open");
  });

  test("is refused if there is no room for it", async () => {
    const { way } = open();
    const tooMuch = sendReply(new Reply(["x".repeat(65 * MEBIBYTE)]), way);
    expect((await failureOf(tooMuch)).code).toBe("ANSWER_ROOM_FULL");
  });
});

describe("a daemon", () => {
  const ANSWER_BYTES = 20 * MEBIBYTE;
  const getLedgers = (id: number) => ({ jsonrpc: "2.0", id, method: "getLedgers" });

  test("holds no more than its limit for clients that do not read, and answers one that does", async () => {
    await using loopback = openLoopback();
    await using node = openNode(() => ({ ledgers: ["A".repeat(ANSWER_BYTES)] }));
    const settings = { answerMemory: 64, clientHeader: "X-Client" };
    await using daemon = await openDaemon(loopback, { rpcUrl: node.url, daemon: settings });
    const body = JSON.stringify(getLedgers(1));
    const port = Number(new URL(daemon.url).port);
    const socket = { data() {}, error() {} };
    const sockets: Bun.Socket[] = [];
    for (let index = 0; index < 6; index += 1) {
      const open = await Bun.connect({ hostname: "127.0.0.1", port, socket });
      open.pause();
      const head = `POST /rpc HTTP/1.1\r\nhost: localhost\r\nx-client: silent\r\ncontent-type: application/json\r\n`;
      open.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      open.flush();
      sockets.push(open);
    }
    const waiting = async () => (await scrape(daemon)).get("svc_answer_bytes") ?? 0;
    await until(async () => (await waiting()) > 2 * ANSWER_BYTES);
    expect(await waiting()).toBeLessThanOrEqual(64 * MEBIBYTE);
    const answer = await daemon.post("/rpc", body, { "x-client": "reads" });
    expect((await answer.text()).length).toBeGreaterThan(ANSWER_BYTES);
    for (const open of sockets) open.terminate();
    await until(async () => (await waiting()) === 0);
  });

  test("sends a batch while it is made, in the order of its calls", async () => {
    await using loopback = openLoopback();
    await using node = openNode(() => ({ ledgers: ["A".repeat(ANSWER_BYTES)] }));
    await using daemon = await openDaemon(loopback, {
      rpcUrl: node.url,
      daemon: { answerMemory: 128 },
    });
    const calls = Array.from({ length: 6 }, (_, id) => getLedgers(id));
    const answer = await daemon.post("/rpc", [...calls, { jsonrpc: "2.0", id: 6, method: "none" }]);
    const text = await answer.text();
    const read = JSON.parse(text) as { id: number; result?: object; error?: { code: number } }[];
    expect(read.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(read.map(({ result }) => result !== undefined)).toEqual([...Array(6).fill(true), false]);
    await until(() => daemon.log.some(({ failedCalls }) => failedCalls === 1));
    expect((await scrape(daemon)).get("svc_answer_bytes")).toBe(0);
  });
});
