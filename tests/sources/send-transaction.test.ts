// The one call with an effect: whatever a node does, no second node gets a transaction that the
// first may have taken.

import { describe, expect, test } from "bun:test";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { sendTransaction } from "../../src/sources/nodes/send-transaction.ts";
import { openStandings } from "../../src/sources/standing.ts";
import { failureOf } from "../support/failure.ts";
import { FAULTS } from "../support/faults.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { openRawServer } from "../support/raw-server.ts";
import { openNode, rpcError } from "../support/scripted-node.ts";
import { TestClock } from "../support/test-clock.ts";

const PENDING = { status: "PENDING", hash: "ab".repeat(32), latestLedger: 7 };
const PARAMETERS = { transaction: "AAAA" };
/** Nothing listens on the discard port. */
const REFUSES = "http://127.0.0.1:9";
const NOBODY = "http://nobody.invalid";

/** These end with the time limit, which no test clock can bring forward: the request is on its way. */
const ENDLESS = new Set(["silent", "drip"]);

function send(
  rpcUrls: readonly string[],
  parameters: unknown = PARAMETERS,
  options = { clock: new TestClock({ grantedUpTo: 5_000 }) as Clock, timeoutMilliseconds: 60_000 },
): Promise<unknown> {
  const http = openHttp({ ...options, userAgent: "svc/test" });
  const standings = openStandings(options);
  const dependencies = { http, standings, rpcUrls, networkPassphrase: "" };
  return sendTransaction(dependencies, parameters, { signal: NEVER_ABORTED });
}

test("the first node gets the transaction, with the client's parameters", async () => {
  const got: unknown[] = [];
  await using first = openNode((_, call) => {
    got.push(call?.params);
    return PENDING;
  });
  await using second = openNode(() => PENDING);
  expect(await send([first.url, second.url], { ...PARAMETERS, xdrFormat: "json" })).toEqual(
    PENDING,
  );
  expect([got, second.asked]).toEqual([[{ ...PARAMETERS, xdrFormat: "json" }], []]);
});

describe("the next node gets it when the one before", () => {
  test.each([REFUSES, NOBODY])("cannot be connected to: %s", async (absent) => {
    await using next = openNode(() => PENDING);
    expect(await send([absent, next.url])).toEqual(PENDING);
    expect(next.asked).toEqual(["sendTransaction"]);
  });

  test.each([
    ["a rate limit", () => FAULTS["rate-limited"]?.(() => new Response())],
    ["no such method", () => rpcError(-32601, "method not found")],
    ["no such path", () => Response.json({ title: "not here" }, { status: 404 })],
  ])("takes no requests: %s", async (_, answer) => {
    await using first = openNode(answer);
    await using next = openNode(() => PENDING);
    expect(await send([first.url, next.url])).toEqual(PENDING);
    expect([first.asked.length, next.asked.length]).toEqual([1, 1]);
  });
});

describe("no node gets it again after one that", () => {
  const faults = Object.keys(FAULTS).filter((name) => name !== "rate-limited");
  test.each(faults)("answers badly, or not at all: %s", async (fault) => {
    await using first = openNode(() => FAULTS[fault]?.(() => Response.json({ result: PENDING })));
    await using next = openNode(() => PENDING);
    const options = { clock: systemClock, timeoutMilliseconds: 1_000 };
    const slowly = ENDLESS.has(fault) ? options : undefined;
    const error = await failureOf(send([first.url, next.url], PARAMETERS, slowly));
    expect(error.code).toStartWith("NETWORK_");
    expect(error.message).toEndWith("The transaction may have been sent.");
    expect(error.httpRemedy).toContain("getTransaction");
    expect([first.asked.length, next.asked.length]).toEqual([1, 0]);
  });

  test("has trouble of its own", async () => {
    await using first = openNode(() => rpcError(-32603, "could not submit to stellar-core"));
    await using next = openNode(() => PENDING);
    const error = await failureOf(send([first.url, next.url]));
    expect(error.message).toEndWith("The transaction may have been sent.");
    expect([first.asked.length, next.asked.length]).toEqual([1, 0]);
  });

  test("closes the connection after the request", async () => {
    using first = openRawServer(() => "end");
    await using next = openNode(() => PENDING);
    const error = await failureOf(send([first.url, next.url]));
    expect(error.message).toEndWith("The transaction may have been sent.");
    expect([first.connections(), next.asked.length]).toEqual([1, 0]);
  });
});

test("a call that the node refuses is refused with its words, and no other node is asked", async () => {
  await using first = openNode(() => rpcError(-32602, "invalid_xdr"));
  await using next = openNode(() => PENDING);
  const error = await failureOf(send([first.url, next.url]));
  expect([error.code, error.message, error.details]).toEqual([
    "REQUEST_INVALID",
    "invalid_xdr",
    { rpcCode: -32602 },
  ]);
  expect(next.asked).toEqual([]);
});

test("without a node that takes it, the first failure says why", async () => {
  const error = await failureOf(send([REFUSES, NOBODY]));
  expect(error).toMatchObject({ code: "NETWORK_UNREACHABLE" });
  expect(error.message).not.toContain("may have been sent");
  expect(await failureOf(send([]))).toMatchObject({ code: "CONFIG_INVALID" });
});
