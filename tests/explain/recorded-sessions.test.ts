// Failures of public networks, recorded with another tool's diagnosis: their causes without a
// replay, only from the host's own messages.

import { afterAll, expect, test } from "bun:test";
import { explain } from "../../src/explain/explain.ts";
import type { CauseKind } from "../../src/model/cause-kinds.ts";
import { hasCorpus } from "../support/corpus.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openWalk, recordOf } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";

const TESTNET = "Test SDF Network ; September 2015";
const MAINNET = "Public Global Stellar Network ; September 2015";

const CASES: readonly (readonly [name: string, hash: string, kind: CauseKind, summary: RegExp])[] =
  [
    [
      "mainnet-wild-trapped-1",
      "4126449f48a6b362e82e8da3f79f229ece084d2e86db15449e2a1679f9208e9b",
      "stale-simulation",
      /data Block\(171488\) of contract CDL74\w+, but its footprint has Block\(171487\) instead/,
    ],
    [
      "onchain-auth-expired",
      "dfc614382f347e4b710be29faab5a5f7376b0f9cf87217d19da426fb85f81577",
      "authorization-expired",
      /valid until ledger 3879721, but was used in ledger 3879727/,
    ],
    [
      "onchain-budget-exceeded",
      "ae3bfdfc628217b207ff5a68c15934b9609afd7f8cdf52981222f9903f17584e",
      "cpu-exceeded",
      /590,073 instructions used, 590,020 declared/,
    ],
    [
      "onchain-contract-error-1",
      "fc5a57eaed4b158d352352340d3795fcc673fe93a0105837149a6b4c7ddaf22e",
      "contract-error",
      /fail_with\(1\) of contract CCF543\w+ returned Error\(Contract, #1\), an error number of its own\.$/,
    ],
    [
      "onchain-footprint-miss",
      "7bd5843c7665fe28cbc1c507af8a74da3785f852240988d51a007ccc33d87c44",
      "footprint-miss",
      /instance of contract CDIOECR5/,
    ],
    [
      "onchain-payment-underfunded",
      "5311445b8fbfee2f8fe7f419b00cd343011194b1bd8e56c0ac915abbe30a9ee1",
      "result-code",
      /paymentUnderfunded/,
    ],
    [
      "onchain-wasm-panic",
      "d9dcd6202fa97f6ae591d84ca6c8a0dd53b220dabbfa45945a404fc7afe7712f",
      "contract-panic",
      /panicked/,
    ],
  ];

const corpus = needs("../shared/corpus", hasCorpus("rpc-recordings"));

corpus.describe("causes without a replay", () => {
  const loopback = openLoopback();
  afterAll(() => loopback[Symbol.asyncDispose]());

  for (const [name, hash, kind, summary] of CASES) {
    test(name, async () => {
      const networkPassphrase = name.startsWith("mainnet") ? MAINNET : TESTNET;
      const nodes = { horizon: [], rpc: [`session=${name}`], more: { networkPassphrase } };
      const fetched = await recordOf(openWalk(loopback, nodes), hash);
      const { cause } = explain({ ...fetched, snapshot: null }, null, null);
      expect(cause?.kind).toBe(kind);
      expect(cause?.summary).toMatch(summary);
      // No hash covers what a node's diagnostic events show, and nothing was replayed.
      expect(cause?.confidence).toBe(kind === "result-code" ? "known" : "likely");
    });
  }
});
