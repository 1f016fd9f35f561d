// The daemon and its tools for agents on a network of a protocol that svc does not know.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { LaterNetwork } from "../support/later-network.ts";
import { LATER_PROTOCOL } from "../support/later-protocol.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { connectHttp } from "../support/mcp-client.ts";

const SINCE = 414;
const loopback = openLoopback({ network: new LaterNetwork(SINCE) });
const { network } = loopback;
const [transaction] = network.transactions.filter(({ ledger }) => ledger === SINCE);
const hash = transaction?.hash ?? "";
const { envelopeXdr } = transaction ? network.file(transaction).rpcGetTransaction.result : {};
let daemon: TestDaemon;

beforeAll(async () => {
  ensureBuilt();
  daemon = await openDaemon(loopback);
}, 900_000);
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

test("its routes answer with PROTOCOL_UNKNOWN and a status of its own", async () => {
  const asked: [string, unknown][] = [
    ["/v1/debug", { hash }],
    ["/v1/simulate", { envelope_xdr: envelopeXdr, result_meta_xdr: "" }],
  ];
  for (const [path, body] of asked) {
    const answer = await daemon.post(path, body);
    const { error } = (await answer.json()) as { error: Record<string, string> };
    expect([path, answer.status, error.code]).toEqual([path, 501, "PROTOCOL_UNKNOWN"]);
    expect(error.message).toContain(`protocol ${LATER_PROTOCOL}`);
  }
});

test("its tools for agents do, too", async () => {
  await using agent = await connectHttp(daemon.url);
  const asked: [string, object][] = [
    ["debug_transaction", { hash }],
    ["why_failed", { hash }],
    ["fix_transaction", { hash }],
    ["what_if", { hash, overrides: { ledger: { protocolVersion: 28 } } }],
    ["simulate", { envelope: envelopeXdr }],
  ];
  for (const [name, given] of asked) {
    const error = await agent.fail(name, given);
    expect([name, error.code]).toEqual([name, "PROTOCOL_UNKNOWN"]);
    expect(error.message).toContain(`protocol ${LATER_PROTOCOL}`);
  }
});

test("its log has one line for the protocol", () => {
  const lines = daemon.log.filter(({ protocol }) => protocol === LATER_PROTOCOL);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: "error" });
});
