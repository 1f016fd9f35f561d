// The reason that is concluded from what differs and what does not, row by row, in the order in which
// one is preferred to another.

import { describe, expect, test } from "bun:test";
import type { Execution } from "../../src/model/execution.ts";
import type { Comparison } from "../../src/model/verdict.ts";
import { type KnownBesides, likelyCause } from "../../src/verdict/likely-cause.ts";
import { type ChainFacts, readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { dataKeyOf } from "../support/ledger-entries.ts";
import { walkOf } from "./protocol-walk.ts";

const { record, execution } = walkOf("sac-transfer");
const real = readChain(record);
const KEY = dataKeyOf("p0");

type Row = Pick<Comparison, "subject"> & Partial<Comparison>;
const differs = (row: Row): Comparison => ({
  ...{ item: null, result: "different", chain: null, replay: null, detail: null },
  ...row,
});

interface Given extends KnownBesides {
  readonly chain?: Partial<ChainFacts>;
  readonly result?: Partial<ChainFacts["result"]>;
  readonly run?: Partial<Execution>;
}

/** Nothing contradicts itself, and nothing has an opinion, but for what is given. */
function causeOf(differences: readonly Row[], given: Given = {}): string {
  const { chain, result, run, ...besides } = given;
  const facts: ChainFacts = {
    ...real,
    ...{ feeTakenStroops: null, refundStroops: null, ...chain },
    result: { ...real.result, ...result },
  };
  const all = differences.map(differs);
  const ran: Execution = { ...execution, hostError: null, ...run };
  // Nothing is known besides unless it is given.
  if (Object.keys(besides).length === 0) return likelyCause(facts, ran, all);
  return likelyCause(facts, ran, all, besides);
}

const { protocol, crateVersion } = execution.host;
const OTHERS = `the chain did not run the host of protocol ${protocol} (${crateVersion}), or svc applies the rules around the host incorrectly.`;
const UNKNOWN = `All inputs are known. Either ${OTHERS}`;
const SERVED = `Either the metas or the state that was served is wrong, ${OTHERS}`;
const NO_PARTS = { meta: { ...real.meta, sorobanFees: null } as ChainFacts["meta"] };
const CHARGED = real.result.feeChargedStroops;

describe("fees that contradict each other", () => {
  const taken = (more: bigint) => String(BigInt(CHARGED) + more);
  const contradiction = (more: bigint, refunded: string) =>
    `The source contradicts itself: the result has a fee of ${CHARGED} stroops, and beside it are ${taken(more)} taken and ${refunded} refunded.`;
  const fees = (more: bigint, refundStroops: string | null) => ({
    ...{ feeTakenStroops: taken(more), refundStroops },
  });
  const FEE = [{ subject: "fee-charged" }] as const;

  test("are the cause where only fees differ", () => {
    expect(causeOf(FEE, { chain: fees(5n, "4") })).toBe(contradiction(5n, "4"));
    expect(causeOf(FEE, { chain: fees(5n, "5") })).not.toContain("contradicts");
    expect(causeOf(FEE, { chain: fees(5n, null) })).not.toContain("contradicts");
    const noFeePhase = { feeTakenStroops: null, refundStroops: "5" };
    expect(causeOf(FEE, { chain: noFeePhase })).not.toContain("contradicts");
    const other = [...FEE, { subject: "events" }] as const;
    expect(causeOf(other, { chain: fees(5n, "4") })).toBe(UNKNOWN);
  });

  test("are judged by what the result of a fee-bump shows in its protocol", () => {
    const bump = { innerHash: "ab" };
    const at = (protocolVersion: number, more: bigint) =>
      causeOf(FEE, { chain: { ...fees(more, "5"), protocolVersion }, result: bump });
    expect(
      [at(20, 0n), at(21, 0n), at(20, 5n), at(21, 5n)].map((cause) =>
        cause.includes("contradicts"),
      ),
    ).toEqual([...[false, true, true, false]]);
    const alone = causeOf(FEE, { chain: { ...fees(0n, "5"), protocolVersion: 20 } });
    expect(alone).toBe(contradiction(0n, "5"));
  });
});

const fees = execution.fees;
const BEYOND =
  "The network settings for fees are not those of this ledger: with them the declared resources cost more than the declared resource fee.";
const NEGATIVE = { fees: { ...fees, refundStroops: "-1" } };
const FAILED = (code: string) => ({
  outcome: { kind: "failed", operation: "invokeHostFunction", code } as never,
});
const RESULT = [{ subject: "operation-result" }] as const;
const hostError = (type: string) => ({
  hostError: { type, code: "ExceededLimit", contractCode: null } as never,
});
const VERSION: Row = {
  ...{ subject: "ledger-change", item: KEY, chain: "AAAAAAxyz", replay: "AAAAABxyz" },
};
const RENT =
  "The network settings for fees and rent, or an entry or its TTL, are not those of this ledger.";
const BUDGET = "The replay exceeded its budget: the cost parameters are not those of this ledger.";
const MISSED = "The replay missed an entry that the chain had.";

test.each<[string, readonly Row[], Given, string]>([
  ["a refund below zero", [{ subject: "events" }], { run: NEGATIVE }, BEYOND],
  [
    "a refund of zero",
    [{ subject: "events" }],
    { run: { fees: { ...fees, refundStroops: "0" } } },
    UNKNOWN,
  ],
  [
    "a refund below zero before another outcome",
    RESULT,
    { run: { ...NEGATIVE, ...FAILED("trapped") } },
    BEYOND,
  ],
  [
    "an internal error of the host",
    RESULT,
    { run: { outcome: { kind: "internal_error", message: "index 7" } } },
    'The contract host ended with an internal error: "index 7".',
  ],
  [
    "the budget, where the chain succeeded",
    RESULT,
    { run: { ...FAILED("trapped"), ...hostError("Budget") } },
    BUDGET,
  ],
  [
    "the budget, where the chain failed",
    RESULT,
    { run: { ...FAILED("trapped"), ...hostError("Budget") }, result: { success: false } },
    UNKNOWN,
  ],
  [
    "an entry that is missed",
    RESULT,
    { run: { ...FAILED("trapped"), ...hostError("Storage") } },
    MISSED,
  ],
  [
    "an entry that both missed",
    RESULT,
    { run: { ...FAILED("trapped"), ...hostError("Storage") }, result: { success: false } },
    UNKNOWN,
  ],
  ["another error", RESULT, { run: { ...FAILED("trapped"), ...hostError("Value") } }, UNKNOWN],
  [
    "too little fee, where the chain succeeded",
    RESULT,
    { run: FAILED("insufficientRefundableFee") },
    RENT,
  ],
  [
    "too little fee of the chain, where the replay succeeds",
    RESULT,
    {
      result: {
        ...{ success: false },
        operationResults: [{ operation: "invokeHostFunction", code: "insufficientRefundableFee" }],
      } as never,
    },
    RENT,
  ],
  [
    "too little fee, where both failed",
    RESULT,
    { run: FAILED("insufficientRefundableFee"), result: { success: false, operationResults: [] } },
    UNKNOWN,
  ],
  [
    "too little fee on both sides",
    RESULT,
    {
      run: FAILED("insufficientRefundableFee"),
      result: {
        ...{ success: true },
        operationResults: [{ operation: "invokeHostFunction", code: "insufficientRefundableFee" }],
      } as never,
    },
    UNKNOWN,
  ],
  [
    "an outcome that nothing explains, of state that was served",
    RESULT,
    { run: FAILED("trapped"), isServed: true },
    SERVED,
  ],
  // Two successes have other results if their success hashes differ.
  ["two successes", [...RESULT, { subject: "success-hash" }], {}, UNKNOWN],
  [
    "another version of an entry",
    [
      { subject: "events" },
      { subject: "ledger-change", item: KEY, chain: "AAAAAAxyz", replay: "AAAAABxyz" },
    ],
    {},
    "The replay used a different version of an entry than the chain.",
  ],
  [
    "another version of an entry of two successes, whose results differ too",
    [...RESULT, VERSION],
    {},
    "The replay used a different version of an entry than the chain.",
  ],
  [
    "another version of an entry of two failures that end alike",
    [{ subject: "events" }, VERSION],
    { run: FAILED("trapped"), result: { success: false } },
    "The replay used a different version of an entry than the chain.",
  ],
  [
    "another value of an entry",
    [{ subject: "ledger-change", item: KEY, chain: "AAAAAAxyz", replay: "AAAAAAxyw" }],
    {},
    UNKNOWN,
  ],
  [
    "an entry of another length",
    [{ subject: "ledger-change", item: KEY, chain: "AAAAAAxyz", replay: "AAAAAxyz" }],
    {},
    UNKNOWN,
  ],
  [
    "an entry that only the chain changed",
    [{ subject: "ledger-change", item: KEY, chain: "AAAAAA" }],
    {},
    UNKNOWN,
  ],
  [
    "an entry that only the replay changed",
    [{ subject: "ledger-change", item: KEY, replay: "AAAAAA" }],
    {},
    UNKNOWN,
  ],
  [
    "a fee like a version of an entry",
    [{ subject: "events", chain: "123456x", replay: "654321x" }],
    {},
    UNKNOWN,
  ],
  [
    "a refund that was not paid",
    [{ subject: "refund" }],
    { chain: { refundStroops: "0" } },
    "The refund could not be paid: the fee source was merged, or its balance had no room.",
  ],
  [
    "no refund on either side",
    [{ subject: "fee-charged" }],
    { chain: { refundStroops: "0", ...NO_PARTS }, run: { fees: { ...fees, refundStroops: "0" } } },
    "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.",
  ],
  [
    "a refund that was not paid, beside other events",
    [{ subject: "refund" }, { subject: "events" }],
    { chain: { refundStroops: "0" } },
    UNKNOWN,
  ],
  [
    "a sum that is not that of its parts",
    [{ subject: "fee-charged" }],
    {},
    "The parts of the resource fee are equal: what the node shows as charged is not their sum.",
  ],
  [
    "a sum without parts",
    [{ subject: "fee-charged" }],
    { chain: NO_PARTS },
    "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.",
  ],
  [
    "a sum without a meta",
    [{ subject: "fee-charged" }],
    { chain: { meta: null } },
    "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.",
  ],
  ["a sum beside other events", [{ subject: "fee-charged" }, { subject: "events" }], {}, UNKNOWN],
  [
    "parts of a fee that was charged alike",
    [{ subject: "resource-fee", item: "rent" }],
    { isChargedEqual: true },
    "The fee charged is equal: the parts of it that the meta names are wrong.",
  ],
  [
    "parts of a fee that was charged otherwise",
    [{ subject: "resource-fee", item: "rent" }, { subject: "fee-charged" }],
    { isChargedEqual: true },
    "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.",
  ],
  [
    "parts of a fee alone",
    [{ subject: "resource-fee", item: "rent" }],
    {},
    "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.",
  ],
  [
    "a TTL and a fee",
    [
      { subject: "ledger-change", item: ttlKeyOf(KEY) },
      { subject: "resource-fee" },
      { subject: "transaction-result" },
    ],
    {},
    "The network settings for rent and TTL, or an entry or its TTL, are not those of this ledger.",
  ],
  [
    "a TTL and an entry",
    [
      { subject: "ledger-change", item: ttlKeyOf(KEY) },
      { subject: "ledger-change", item: KEY },
    ],
    {},
    UNKNOWN,
  ],
  ["a change of no key", [{ subject: "ledger-change" }], {}, UNKNOWN],
  ["an event with the name of a TTL", [{ subject: "events", item: ttlKeyOf(KEY) }], {}, UNKNOWN],
  ["anything else, of state that was served", [{ subject: "events" }], { isServed: true }, SERVED],
])("%s", (_, differences, given, cause) => {
  expect(causeOf(differences, given)).toBe(cause);
});
