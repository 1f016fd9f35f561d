// Messages of a client of `svc mcp` that are larger than the server reads: each is answered, nothing
// is kept of it, and what comes before and after is a message like any other.

import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { type MessageId, openBoundedMessages } from "../../src/mcp/bounded-messages.ts";
import { svcBinary } from "../cli/run-svc.ts";
import { until } from "../support/until.ts";

const MAXIMUM = 120;

interface Sent {
  readonly text: string;
  readonly id: MessageId;
}

const id = fc.oneof(fc.integer(), fc.string({ maxLength: 12 }));
/** A request whose id comes first, last or not at all, and text that looks like one. */
const request: fc.Arbitrary<Sent> = fc
  .record({
    id: fc.option(id, { nil: undefined }),
    isFirst: fc.boolean(),
    params: fc.oneof(
      fc.constant({ id: 7, '"id"': [{ id: "no" }] }),
      fc.string({ maxLength: 200, unit: "binary" }),
      fc.jsonValue({ depthSize: "small" }),
    ),
  })
  .map(({ id: given, isFirst, params }) => {
    const own = given === undefined ? {} : { id: given };
    const rest = { jsonrpc: "2.0", method: "x", params };
    const text = JSON.stringify(isFirst ? { ...own, ...rest } : { ...rest, ...own });
    return { text, id: given ?? null };
  });
const noise = fc
  .string({ maxLength: 300, unit: "binary" })
  .map((text): Sent => ({ text: `}{"id": ${text.replaceAll("\n", "")}`, id: null }));

describe("messages in any pieces", () => {
  const read = (bytes: Uint8Array, pieces: readonly number[]) => {
    const found: (string | MessageId)[] = [];
    let grown = 0;
    const receive = openBoundedMessages(MAXIMUM, {
      message: (message) => found.push(`message ${Buffer.from(message)}`),
      grewTooLarge: () => (grown += 1),
      passedOver: (own) => found.push(own),
    });
    let from = 0;
    for (const piece of pieces) {
      receive(bytes.subarray(from, from + piece));
      from += piece;
    }
    receive(bytes.subarray(from));
    return { found, grown };
  };

  test("are whole, or have their id", () => {
    const pieces = fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 6 }), pieces, (sent, cuts) => {
        const bytes = Buffer.from(sent.map(({ text }) => `${text}\n`).join(""));
        const isLarge = ({ text }: Sent) => Buffer.byteLength(text) > MAXIMUM;
        const expected = sent.map((each) => (isLarge(each) ? each.id : `message ${each.text}\n`));
        const { found, grown } = read(bytes, cuts);
        expect(found).toEqual(expected);
        expect(grown).toBe(sent.filter(isLarge).length);
      }),
      { numRuns: 400 },
    );
  });

  test("may be anything", () => {
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 4 }), request, (before, last) => {
        const texts = [...before, last].map(({ text }) => `${text}\n`);
        const { found } = read(Buffer.from(texts.join("")), []);
        expect(found).toHaveLength(before.length + 1);
        const isLarge = Buffer.byteLength(last.text) > MAXIMUM;
        expect(found.at(-1)).toBe(isLarge ? last.id : `message ${last.text}\n`);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the program", () => {
  beforeAll(ensureBuilt, 900_000);
  const MEBIBYTE = 1024 * 1024;
  const ping = (own: MessageId) => JSON.stringify({ jsonrpc: "2.0", id: own, method: "ping" });
  const large = (own: MessageId, mebibytes = 5) => {
    const params = { name: "explain", arguments: { text: "x".repeat(mebibytes * MEBIBYTE) } };
    // As the official SDK orders it: the id is last.
    return JSON.stringify({ method: "tools/call", params, jsonrpc: "2.0", id: own });
  };
  const tooLarge = (own: MessageId) => ({
    ...{ jsonrpc: "2.0", id: own },
    error: { code: -32600, message: "The message is larger than 4 MiB, the maximum." },
  });
  const initialize = JSON.stringify({
    ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
    params: {
      protocolVersion: "2025-06-18",
      ...{ capabilities: {}, clientInfo: { name: "test", version: "1" } },
    },
  });

  function start() {
    const child = Bun.spawn([svcBinary(), "mcp"], {
      ...{ stdin: "pipe", stdout: "pipe", stderr: "ignore" },
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of child.stdout) text += new TextDecoder().decode(chunk);
    })();
    return {
      child,
      send(written: string) {
        child.stdin.write(written);
        return child.stdin.flush();
      },
      /** The first answers, or those up to the end. */
      async answers(count = Number.POSITIVE_INFINITY) {
        const lines = () => text.split("\n").slice(0, -1);
        if (count === Number.POSITIVE_INFINITY) await reading;
        else await until(() => lines().length >= count);
        return lines().map((line) => JSON.parse(line));
      },
      /** Sleeps whenever it is looked at, as no process does that spins. */
      isIdle: () =>
        Array.from({ length: 300 }, () => {
          const [, state] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
          return state?.[0];
        }).every((state) => state === "S"),
    };
  }

  test.each([
    ["as the first message", []],
    ["after others", [initialize, ping(1), ping(2)]],
    ["after a line that is not JSON", ["not JSON", ping(1)]],
    ["after another one", [ping(1), large(2)]],
  ])("%s, it is answered, and the next one too", async (_, before) => {
    const { child, send, answers } = start();
    await send([...before, large("big"), ping("after")].map((each) => `${each}\n`).join(""));
    child.stdin.end();
    const found = await answers();
    expect(await child.exited).toBe(0);
    expect(found).toContainEqual(tooLarge("big"));
    expect(found.some(({ id: own, error }) => own === "after" && error === undefined)).toBeTrue();
  });

  test.each([
    ["text", "not JSON", -32700, null],
    ["bytes that are not UTF-8", "\u00ff\u00fe", -32700, null],
    ["half of a message", '{"jsonrpc":"2.0","id":4', -32700, null],
    ["brackets", "[".repeat(100_000), -32700, null],
    ["null", "null", -32600, null],
    ["an array", `[${ping(4)}]`, -32600, null],
    ["an object", "{}", -32600, null],
    ["a call without the version", '{"id":4,"method":"ping"}', -32600, 4],
    ["a call without a method", '{"jsonrpc":"2.0","id":"a"}', -32600, "a"],
  ] as const)(
    "a line that is %s has an error, so that no client waits",
    async (_, line, code, own) => {
      const { child, send, answers } = start();
      await send(`${initialize}\n\n${line}\n${ping("after")}\n`);
      child.stdin.end();
      const found = await answers();
      expect(await child.exited).toBe(0);
      const error = { code, message: expect.any(String) };
      expect(found).toContainEqual({ jsonrpc: "2.0", id: own, error });
      expect(found.filter((each) => each.error !== undefined)).toHaveLength(1);
      expect(found.some((each) => each.id === "after")).toBeTrue();
    },
  );

  test("without an end it is answered too, and costs nothing while the client waits", async () => {
    const { child, send, answers, isIdle } = start();
    await send(large("big").slice(0, 5 * MEBIBYTE));
    expect(await answers(1)).toEqual([tooLarge(null)]);
    await until(isIdle);
    await send(`"}},"id":"big"}\n${ping(3)}\n`);
    expect((await answers(3)).slice(1)).toEqual([
      tooLarge("big"),
      expect.objectContaining({ id: 3 }),
    ]);
    child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("a client that leaves in the middle of it ends the program", async () => {
    const { child, send } = start();
    await send(large("big").slice(0, 6 * MEBIBYTE));
    child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("so does one that does not read any more, also where its end stays open", async () => {
    const child = Bun.spawn([svcBinary(), "mcp"], { stdin: "pipe", stdout: "pipe" });
    const reader = child.stdout.getReader();
    child.stdin.write(`${ping(1)}\n`);
    await child.stdin.flush();
    await reader.read();
    await reader.cancel();
    let isEnded = false;
    const ended = child.exited.then(() => (isEnded = true));
    while (!isEnded) {
      // It may have ended meanwhile.
      await Promise.resolve(child.stdin.write(`${large("big")}\n${ping(2)}\n`)).catch(() => {});
      await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]);
    }
    expect(await child.exited).toBe(0);
  });

  test("the largest message that is read, and many of them in one piece", async () => {
    const { child, send, answers } = start();
    const name = "x".repeat(4 * MEBIBYTE - ping("").length);
    await send(`${ping(name)}\n${ping(`${name}y`)}\n`);
    const pings = Array.from({ length: 60_000 }, (_, index) => `${ping(index)}\n`);
    await send(pings.join(""));
    child.stdin.end();
    const found = await answers();
    expect(await child.exited).toBe(0);
    expect(found[0]).toEqual({ jsonrpc: "2.0", id: name, result: {} });
    expect(found[1]?.error?.code).toBe(-32600);
    expect(found).toHaveLength(pings.length + 2);
  }, 60_000);
});
