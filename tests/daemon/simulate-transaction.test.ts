// simulateTransaction of the daemon, called by stellar-sdk as on a Stellar RPC node: the answers
// equal the recorded answers of a node, and stellar-sdk builds transactions from them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { rpc, type Transaction, TransactionBuilder } from "@stellar/stellar-sdk";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { openNode } from "../support/scripted-node.ts";

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

/** The daemon's latest ledger is that of the recorded simulation. */
async function simulate(name: string) {
  const transaction = loopback.network.named(name);
  const { simulation, rpcGetTransaction } = loopback.network.file(transaction);
  const tip = `tip=${simulation?.latestLedger}`;
  await using daemon = await openDaemon(loopback, { rpc: tip });
  const server = new rpc.Server(`${daemon.url}/rpc`, { allowHttp: true });
  const { passphrase } = loopback.network;
  const envelope = String(rpcGetTransaction.result.envelopeXdr);
  const sent = TransactionBuilder.fromXdr(envelope, passphrase) as Transaction;
  const answer = await server.simulateTransaction(sent);
  const runs = (await scrape(daemon)).get('simulation_execution_total{status="success"}');
  const recorded: Readonly<Record<string, unknown>> = simulation ?? {};
  return { recorded, sent, answer, runs };
}

test("stellar-sdk takes the answer for a node's and assembles a transaction of it", async () => {
  const { recorded, sent, answer, runs } = await simulate("same ledger: inc main #3");
  if (!rpc.Api.isSimulationSuccess(answer)) throw new Error(answer.error);
  expect(answer.minResourceFee).toBe(String(recorded.minResourceFee));
  expect(answer.transactionData.build().toXdr("base64")).toBe(String(recorded.transactionData));
  expect(answer.latestLedger).toBe(Number(recorded.latestLedger));
  expect(runs).toBe(1);
  const assembled = rpc.assembleTransaction(sent, answer).build();
  expect(BigInt(assembled.fee)).toBeGreaterThan(BigInt(answer.minResourceFee));
});

test("what would fail is an error in the answer, with the host's own words", async () => {
  const { answer } = await simulate("panic -> unreachable trap");
  if (!rpc.Api.isSimulationError(answer)) throw new Error("it should fail");
  expect(answer.error).toStartWith("HostError: Error(WasmVm, InvalidAction)");
});

test("a node that fails is not a failed simulation", async () => {
  await using daemon = await openDaemon(loopback, { rpc: "html" });
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "simulateTransaction",
    params: { transaction: "AAAA" },
  };
  const answer = await daemon.post("/rpc", request);
  expect(await answer.json()).toMatchObject({ error: { data: { code: "NETWORK_BAD_ANSWER" } } });
  const simulations = [...(await scrape(daemon)).keys()].filter((key) =>
    key.startsWith("simulation_execution_total"),
  );
  expect(simulations).toEqual([]);
});

test("parameters that are none are refused as a node refuses them", async () => {
  await using daemon = await openDaemon(loopback);
  for (const params of [undefined, {}, { transaction: 1 }, { transaction: "AAAA", more: 1 }]) {
    const request = { jsonrpc: "2.0", id: 1, method: "simulateTransaction", params };
    const answer = await daemon.post("/rpc", request);
    expect(await answer.json()).toMatchObject({
      error: { code: -32602, data: { code: "REQUEST_INVALID" } },
    });
  }
});

test("without its simulator the nodes answer, and the log and /ready say what is missing", async () => {
  using fake = fakeSimulator(
    'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
      "else for await (const r of lines()) say(r.id);",
  );
  const simulated = { latestLedger: 7, minResourceFee: "1", transactionData: "AAAA" };
  await using node = openNode((_path, call) =>
    call?.method === "simulateTransaction" ? simulated : {},
  );
  const options = { simulatorPath: fake.path, rpcUrl: node.url };
  await using daemon = await openDaemon(loopback, options);
  const params = { transaction: "AAAA" };
  const request = { jsonrpc: "2.0", id: 1, method: "simulateTransaction", params };
  const answer = await daemon.post("/rpc", request);
  expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: simulated });
  expect(node.asked).toContain("simulateTransaction");
  const ready = await daemon.get("/ready");
  expect(await ready.json()).toMatchObject({ missing: ["svc-sim-recording"] });
  expect(daemon.log.map(({ level, message, code }) => [level, message, code])).toContainEqual([
    "warn",
    "svc-sim-recording is missing",
    "SIMULATOR_NOT_FOUND",
  ]);
});
