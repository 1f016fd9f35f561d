import { afterAll, expect, test } from "bun:test";
import { fetchHorizonStatus, fetchRpcStatus } from "../../src/sources/nodes/node-status.ts";
import { failureOf } from "../support/failure.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openNode, rpcError } from "../support/scripted-node.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

test("a node reports its software, its network and its ledgers", async () => {
  await using node = openNode(() => null);
  const { http } = node.dependencies;
  const { passphrase: networkPassphrase, latestLedger } = loopback.network;
  const horizon = { http, url: `${loopback.url("horizon")}/` };
  expect(await fetchHorizonStatus(horizon, node.context)).toEqual({
    software: "Horizon 28.0.0",
    networkPassphrase,
    latestLedger,
    oldestLedger: 2,
  });
  expect(await fetchRpcStatus({ http, url: loopback.url("rpc") }, node.context)).toEqual({
    software: "Stellar RPC 28.0.0",
    networkPassphrase,
    latestLedger,
    oldestLedger: 71,
  });
});

test("a node that reports only its network is accepted", async () => {
  await using node = openNode((_, call) =>
    call?.method === "getNetwork" ? { passphrase: "p" } : rpcError(-32601, "no"),
  );
  expect(await fetchRpcStatus(node.dependencies, node.context)).toEqual({
    software: null,
    networkPassphrase: "p",
    latestLedger: null,
    oldestLedger: null,
  });
});

test("a node of another kind is a bad answer", async () => {
  await using node = openNode(() => ({ hello: "world" }));
  const { dependencies, context } = node;
  for (const asked of [
    fetchHorizonStatus(dependencies, context),
    fetchRpcStatus(dependencies, context),
  ]) {
    expect((await failureOf(asked)).code).toBe("NETWORK_BAD_ANSWER");
  }
});
