// Every trap of the recorded public ledgers is a stale simulation: the footprint has a neighbor of
// the key that was asked for. The code of the contracts was not recorded, so nothing is replayed.

import { describe, expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { explainStaleState } from "../../src/debugger/walk/find-moved-state.ts";
import { causeOfFailure } from "../../src/explain/cause-of-failure.ts";
import { explain } from "../../src/explain/explain.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import { LedgerReader } from "../../src/ledgers/ledger-reader.ts";
import type { Explanation } from "../../src/model/explanation.ts";
import { endedWith } from "../../src/model/result-code.ts";
import type { Verdict } from "../../src/model/verdict.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { openLedgerFiles, readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { dataKeyOf } from "../../src/xdr/contract/key-typed.ts";
import { withArguments } from "../../src/xdr/envelope/patch-envelope.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readResultBytes } from "../../src/xdr/outcome/result.ts";
import { neighboringKeys } from "../../src/xdr/values/neighboring-key.ts";
import { showValue } from "../../src/xdr/values/value.ts";
import { contractDataKeys } from "../../src/xdr/values/value-parts.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { contractEntries, executeCall } from "../support/executed.ts";
import { hostCallContract } from "../support/host-call-contract.ts";
import { NEVER_ABORTED, recordOf } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { opened } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";

const PUBLIC = "Public Global Stellar Network ; September 2015";
const TESTNET = "Test SDF Network ; September 2015";
const LEDGERS: readonly (readonly [file: string, passphrase: string, traps: number])[] = [
  ["pubnet-57500008.xdr.gz", PUBLIC, 12],
  ["pubnet-63719136.xdr.gz", PUBLIC, 7],
  ["testnet-3880146.xdr.gz", TESTNET, 1],
];
const POSITION = "fd524da6aa1b3595c0d32c7a297d944716b14eb37ae61b7fa46b76f5a4a6e247";
const BLOCK = "2661b0ae0bfa91468ab2f986402c0b9a684ac46248c42f76487ad95ddbb59008";
const signal = NEVER_ABORTED;
const scval = (json: unknown) => ScVal.fromJson(json as never).toXdr("base64");
const ADDRESS = scval({ address: "CDQWYNOHQDEEIGUNEZI5F4NH46REH26EBNBKEYHANSHF4LDOWIBGLLO3" });
const MOVED = "The state moved on between the simulation and the execution.";

function sourceOf(file: string, networkPassphrase: string) {
  const sources = [openLedgerFiles([corpusPath("mainnet-ledgers", file)], networkPassphrase)];
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine = () => openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
  return { sources, ledgers, startEngine, networkPassphrase };
}

async function failuresOf(file: string, passphrase: string): Promise<Explanation[]> {
  const found: Explanation[] = [];
  for await (const { ledgerCloseMeta } of readLedgerFile(corpusPath("mainnet-ledgers", file), {
    signal,
  })) {
    const { transactions } = readLedgerCloseMeta(ledgerCloseMeta, passphrase);
    for (const { hash, result } of transactions) {
      const { operationResults } = readResultBytes(result);
      if (!operationResults.some((each) => endedWith(each, "trapped"))) continue;
      const fetched = await recordOf(sourceOf(file, passphrase), hash);
      const explanation = explain({ ...fetched, snapshot: null }, null, null);
      found.push(explanation);
    }
  }
  return found;
}

const corpus = needs("../shared/corpus", hasCorpus("mainnet-ledgers"));

corpus.describe("a trap on a public network", () => {
  for (const [file, passphrase, traps] of LEDGERS) {
    test(`of ${file} is a stale simulation, with both keys`, async () => {
      const failures = await failuresOf(file, passphrase);
      expect(failures).toHaveLength(traps);
      for (const { cause, details, remedy } of failures) {
        expect(cause).toMatchObject({ kind: "stale-simulation", confidence: "likely" });
        const [asked, named] = [cause?.keys?.askedXdr, cause?.keys?.footprintXdr].map((key) =>
          showValue(dataKeyOf(key ?? "").key),
        );
        expect(asked).toMatch(/^\[(Block|Position), \d+\]$/);
        // A vector that begins with a symbol is shown as a case of an enum.
        const asCase = (text = "") => text.replace(/^\[(\w+), (\d+)\]$/, "$1($2)");
        expect(cause?.summary).toContain(`accessed data ${asCase(asked)} of contract C`);
        expect(cause?.summary).toContain(`its footprint has ${asCase(named)} instead`);
        expect(details.map(({ text }) => text).join("\n")).toContain("outside of the footprint");
        // Nothing was replayed, and no other ledger read.
        expect(cause?.summary).not.toContain("state moved on");
        expect(remedy).toStartWith("Simulate the transaction again right before you send it");
      }
    });
  }

  test("is no stale simulation when the call itself asks for the key", async () => {
    const fetched = await recordOf(sourceOf("testnet-3880146.xdr.gz", TESTNET), POSITION);
    const explained = (number: number) => {
      const argumentsXdr = [scval({ map: [{ key: { symbol: "id" }, val: { u64: `${number}` } }] })];
      const { xdr } = withArguments(fetched.envelope, argumentsXdr);
      const record = { ...fetched.record, envelopeXdr: xdr };
      return explain({ ...opened({ record, snapshot: null }), snapshot: null }, null, null).cause
        ?.kind;
    };
    expect(explained(20_083)).toBe("footprint-miss");
    expect(explained(20_084)).toBe("stale-simulation");
  });
});

corpus.describe("what moved on", () => {
  const simulator = openTestSimulator();
  const debug = (file: string, passphrase: string, hash: string) =>
    debugTransaction({ ...sourceOf(file, passphrase), simulator, progress: () => {} }, hash, {
      signal,
    });

  test("is named with its transaction and both numbers, where the ledger shows it", async () => {
    const { explanation } = await debug("testnet-3880146.xdr.gz", TESTNET, POSITION);
    expect(explanation.evidence[0]).toMatch(
      /^State changed by: transaction eef2e69b\w+ \(ledger 3880146, transaction 10\) changed persistent data \[PositionCounter\] of contract CBHH\w+ from 20081 to 20082\.$/,
    );
    expect(explanation.cause?.summary).toEndWith(MOVED);
    expect(explanation.cause?.confidence).toBe("likely");
  });

  test("is the entry that contains the number, where an earlier ledger changed it", async () => {
    const { explanation } = await debug("pubnet-57500008.xdr.gz", PUBLIC, BLOCK);
    expect(explanation.evidence[0]).toMatch(
      /^The instance of contract CDL74\w+ contains 57390\. It was last changed in ledger 57500007\.$/,
    );
    // That entry is not shown to have had another number before.
    expect(explanation.cause?.summary).not.toContain("state moved on");
  });

  test("is known where the transaction succeeds on the state before a conflicting one", async () => {
    const found = await debug("testnet-3880146.xdr.gz", TESTNET, POSITION);
    const { record, snapshot, verdict, execution } = found;
    if (snapshot === null || verdict === null || execution === null) throw new Error("nothing ran");
    const conflict = { summary: "Conflicting transaction: …" } as never;
    const replayed = opened({ record, snapshot, verdict, execution });
    const first = causeOfFailure(replayed, execution, verdict);
    if (first === null) throw new Error("it did not fail");
    const known = { cause: first, conflict };
    const finding = await explainStaleState({ simulator, ledgers: null }, replayed, known, {
      signal,
      caveats: [],
    });
    const { cause } = inWords(finding);
    expect(cause.confidence).toBe("known");
    expect(cause.summary).toEndWith(MOVED);
    expect(finding.evidence).toEqual(first.evidence);
  });
});

describe("a key that is made from the ledger", () => {
  const simulator = openTestSimulator();
  const CLOSED = 1_790_000_000;
  const made = contractEntries(
    hostCallContract([
      { name: "time", host: ["x", "4"], parameters: 0 },
      { name: "sequence", host: ["x", "3"], parameters: 0 },
      { name: "by_time", host: ["l", "0"], parameters: 0, raw: [1], fedBy: 0 },
      { name: "get_by_time", host: ["l", "1"], parameters: 0, raw: [1], fedBy: 0 },
      { name: "by_sequence", host: ["l", "0"], parameters: 0, raw: [1], fedBy: 1 },
    ]),
  );

  /** `key`: what the footprint has in place of the ledger's own number. */
  async function causeOf(name: string, key: unknown, changed: Partial<Verdict> = {}) {
    const { explanation, execution, ran } = await executeCall(simulator, {
      contract: made.contract,
      function: name,
      arguments: [],
      readOnly: made.entries,
      absent: [{ contract_data: { contract: made.contract, key, durability: "persistent" } }],
      ledger: { closeTimeUnixSeconds: String(CLOSED), sequence: 5000 },
    });
    const found = causeOfFailure(ran, execution, null);
    const { cause } = explanation;
    if (cause === null || found === null) throw new Error("it did not fail");
    expect(cause).toMatchObject({ kind: "stale-simulation", confidence: "likely" });
    expect(cause.summary).not.toContain("state moved on");
    const known = { cause: found, conflict: null };
    const verdict = { kind: "exact", comparisons: [], caveats: [], ...changed } as never;
    const dependencies = { simulator, ledgers: null };
    const shown = await explainStaleState(dependencies, { ...ran, execution, verdict }, known, {
      signal,
      caveats: [],
    });
    return inWords(shown);
  }

  test("is known to be the clock's where an earlier close time makes it succeed", async () => {
    for (const seconds of [5, 26, 37, 300]) {
      const { cause, remedy } = await causeOf("by_time", { u64: String(CLOSED - seconds) });
      expect(cause).toMatchObject({ kind: "stale-close-time", confidence: "known" });
      expect(cause.summary).toEndWith(
        `The ledger's close time decided: ${seconds} s earlier, the transaction succeeds.`,
      );
      expect(cause.summary).not.toContain("state moved on");
      expect(remedy).toContain("on the time or the number of the ledger");
    }
  });

  test("is likely the clock's where the transaction gets further", async () => {
    const { cause } = await causeOf("get_by_time", { u64: String(CLOSED - 26) });
    expect(cause).toMatchObject({ kind: "stale-close-time", confidence: "likely" });
    expect(cause.summary).toEndWith("26 s earlier, it gets further, and fails for another cause.");
  });

  test("is nobody's where no earlier close time finds the key", async () => {
    const { cause } = await causeOf("by_sequence", { u32: 4990 });
    expect(cause).toMatchObject({ kind: "stale-simulation", confidence: "likely" });
    expect(cause.summary).not.toContain("state moved on");
    expect(cause.summary).not.toContain("close time decided");
  });

  test("is nobody's where the replay is not what the chain ran", async () => {
    const key = { u64: String(CLOSED - 26) };
    const { cause } = await causeOf("by_time", key, { kind: "inconclusive" });
    expect(cause).toMatchObject({ kind: "stale-simulation", confidence: "likely" });
  });
});

describe("a neighboring key", () => {
  const keyOf = (value: unknown) => contractDataKeys(ADDRESS, scval(value));

  test("differs in one number, or in several by as much, and is the nearest", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 62n }),
        fc.uniqueArray(fc.integer({ min: -400, max: 400 }), { minLength: 1 }),
        fc.constantFrom("u64", "i128", "u256", "timepoint"),
        (number, distances, type) => {
          const key = (at: bigint) => keyOf({ vec: [{ symbol: "Block" }, { [type]: `${at}` }] });
          const others = distances.filter((each) => each !== 0 && number + BigInt(each) >= 0n);
          const footprint = others.map((each) => key(number + BigInt(each))[0] ?? "");
          const found = neighboringKeys(key(number), footprint);
          const nearest = Math.min(...others.map(Math.abs));
          if (nearest > 300) return expect(found).toBeNull();
          expect(found?.accessedNumber).toBe(number);
          const distance = Number(number - (found?.neighbor ?? 0n));
          expect(Math.abs(distance)).toBe(nearest);
        },
      ),
    );
  });

  test("is none of another type, contract, durability, name or shape", () => {
    const asked = keyOf({ vec: [{ symbol: "Block" }, { u32: 8 }] });
    const [persistent = "", temporary = ""] = keyOf({ vec: [{ symbol: "Block" }, { u32: 7 }] });
    expect(neighboringKeys(asked, [temporary])?.askedXdr).toBe(asked[1] ?? "");
    expect(neighboringKeys(asked.slice(0, 1), [persistent])).not.toBeNull();
    expect(neighboringKeys(asked.slice(0, 1), [temporary])).toBeNull();
    for (const other of [
      { vec: [{ symbol: "Block" }, { u64: "7" }] },
      { vec: [{ symbol: "Pail" }, { u32: 7 }] },
      { vec: [{ symbol: "Block" }, { u32: 7 }, { u32: 7 }] },
      { vec: [{ symbol: "Block" }, { symbol: "7" }] },
      { u32: 7 },
    ])
      expect(neighboringKeys(asked, keyOf(other))).toBeNull();
  });
});
