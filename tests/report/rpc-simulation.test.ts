import { expect, test } from "bun:test";
import type { Simulation } from "../../src/model/simulation.ts";
import { rpcSimulation } from "../../src/report/rpc-simulation.ts";

const FAILED: Simulation = {
  host: { protocol: 28, crateVersion: "28.0.0+recording" },
  latestLedger: 7,
  error: "HostError: Error(WasmVm, InvalidAction)",
  transactionDataXdr: null,
  minResourceFeeStroops: "0",
  returnValueXdr: null,
  authorizationsXdr: [],
  diagnosticsXdr: ["AAAA"],
  changes: [],
  restorePreamble: null,
  cpuInstructions: "1",
  memoryBytes: "1",
};

test("a simulation that failed has its error, the events and the ledger, and nothing empty", () => {
  expect(rpcSimulation(FAILED)).toEqual({
    error: "HostError: Error(WasmVm, InvalidAction)",
    events: ["AAAA"],
    latestLedger: 7,
  });
});

test("names and order are Stellar RPC's", () => {
  const answer = rpcSimulation({
    ...FAILED,
    error: null,
    transactionDataXdr: "data",
    minResourceFeeStroops: "58181",
    returnValueXdr: "value",
    authorizationsXdr: ["auth"],
    changes: [{ kind: "created", keyXdr: "key", beforeXdr: null, afterXdr: "entry" }],
    restorePreamble: { transactionDataXdr: "restore", minResourceFeeStroops: "9" },
  });
  expect(JSON.stringify(answer)).toBe(
    JSON.stringify({
      transactionData: "data",
      events: ["AAAA"],
      minResourceFee: "58181",
      results: [{ auth: ["auth"], xdr: "value" }],
      restorePreamble: { transactionData: "restore", minResourceFee: "9" },
      stateChanges: [{ type: "created", key: "key", before: null, after: "entry" }],
      latestLedger: 7,
    }),
  );
});
