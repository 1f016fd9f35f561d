// Simulations as a program has them are those of `svc simulate`. acceptance/module.ts has the modules.

import { afterAll, expect, test } from "bun:test";
import { simulate } from "../../src/library/simulate.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NATIVE } from "../support/native-instance.ts";
import { simulateTwice } from "../support/simulated-by-library.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";

const loopback = openLoopback();
const svc = { simulator: openTestRecorder(), replayer: openTestSimulator() };
afterAll(() => loopback[Symbol.asyncDispose]());

const sent = loopback.network.transactions.filter(({ soroban }) => soroban);
/** Every tenth, and at least three of each outcome. */
const sample = [
  ...sent.filter((_, index) => index % 10 === 0),
  ...sent.filter(({ status }) => status === "FAILED").slice(0, 3),
  ...sent.filter(({ status }) => status === "SUCCESS").slice(0, 3),
];

test.each(sample.map((each) => [each.name, each] as const))("%s", async (_, transaction) => {
  const { byLibrary, bySvc } = await simulateTwice(loopback, svc, transaction, NATIVE);
  expect(byLibrary).toEqual(bySvc);
});

test("the module of simulations is loaded once, when it is needed", async () => {
  const [transaction] = sent;
  if (transaction === undefined) throw new Error("no transaction");
  let loaded = 0;
  const recordingModule = async () => {
    loaded += 1;
    return NATIVE.recordingModule;
  };
  await simulateTwice(loopback, svc, transaction, { ...NATIVE, recordingModule });
  expect(loaded).toBe(1);
  const spoilt = simulate("AAAA", { ...NATIVE, recordingModule, network: "testnet" });
  await expect(spoilt).rejects.toMatchObject({ code: "FILE_INVALID" });
  expect(loaded).toBe(1);
});
