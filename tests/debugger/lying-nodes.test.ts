// Nodes that leave entries out, and nodes that lie: what only their word shows is never said to be
// known, nothing is said against the chain for it, and what a hash or another node refutes is
// NODE_LIED.

import { afterAll, describe, expect, test } from "bun:test";
import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import { reportSimulation } from "../../src/debugger/simulate/report-simulation.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { SIMULATION_RENDERERS } from "../../src/report/renderers.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { openOneShot, openRecordingOneShot } from "../../src/simulator/one-shot.ts";
import { missedEntries } from "../../src/verdict/missed-entries.ts";
import { failureOf } from "../support/failure.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, type WalkNodes } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { TestClock } from "../support/test-clock.ts";

const simulator = openTestSimulator();
const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

function recorded(n: number) {
  const found = loopback.network.transactions.find((each) => each.n === n);
  if (found === undefined) throw new Error(`no transaction ${n}`);
  return found;
}

function debug(n: number, nodes: WalkNodes) {
  const dependencies = { ...openWalk(loopback, nodes), simulator, progress: () => {} };
  return debugTransaction(dependencies, recorded(n).hash, { signal: NEVER_ABORTED });
}

/** One node is Horizon and RPC alike. */
function node(switches: string): WalkNodes {
  return { horizon: [switches], rpc: [switches] };
}

const OPTIONS = { color: false, verbose: false } as const;
const text = (found: Awaited<ReturnType<typeof debug>>) =>
  renderText(found, OPTIONS).replace(/\s+/g, " ");

/** A contract's error, a balance that is too low, a trap, and a success that reads an instance. */
const [NOT_FOUND, BALANCE, TRAP, SUCCESS] = [43, 108, 48, 41];
/** Of the contract that most of them call. */
const CODE_KEY = "AAAAB0tMvUQSvI9/u94IJDMugGOJo05hlFetRmAxJQUWnc5J";

describe("a node that leaves an entry out", () => {
  test("the code of a fixed run: nothing is said to be absent, although the replay is exact", async () => {
    const { n } = loopback.network.named("read of archived entry, not restored");
    const { fix, verdict } = await debug(n, { rpc: ["omit=0"] });
    expect([verdict?.kind, fix?.proof?.outcome]).toEqual(["exact", "fails-next"]);
    expect(fix?.summary).toContain(
      "Code is never deleted: it is archived, or the node left it out",
    );
    expect(fix?.summary).not.toContain("does not exist");
    expect(fix?.proof).toMatchObject({ cause: { confidence: "likely" } });
  });

  for (const n of [NOT_FOUND, BALANCE])
    for (let omitted = 0; omitted < 4; omitted += 1)
      test(`of ${n}, without diagnostics: entry ${omitted} decides no cause`, async () => {
        const { ledger } = recorded(n);
        const switches = `no-diagnostics,entries-at=${ledger + 1},omit=${omitted}`;
        const found = await debug(n, node(switches));
        const { explanation, verdict } = found;
        const truth = (await debug(n, node(`entries-at=${ledger + 1}`))).explanation.cause;
        const said = text(found);
        expect(said).not.toMatch(/does not exist|account \S+ has no trustline/);
        if (explanation.cause?.summary === truth?.summary) return;
        expect(verdict?.kind).not.toBe("exact");
        expect(explanation.cause?.confidence).toBe("likely");
      });

  test("no diagnostic events: an exact report says why its cause is only likely", async () => {
    const why =
      "svc got no diagnostic events that show the cause, so the cause is likely, not known.";
    const [without, whole] = await Promise.all(
      ["no-diagnostics", "plain"].map((each) => debug(NOT_FOUND, node(each))),
    );
    expect(without?.verdict?.kind).toBe("exact");
    expect(without?.explanation.cause?.confidence).toBe("likely");
    expect(without && text(without)).toContain(why);
    expect(whole && text(whole)).not.toContain(why);
  });

  test("code that was called was there: what was measured without it is not the chain's", async () => {
    const found = await debug(NOT_FOUND, node("no-diagnostics,omit=0"));
    const { verdict, explanation } = found;
    expect(verdict?.kind).toBe("inconclusive");
    expect(verdict?.caveats[0]?.detail).toStartWith(
      "svc ran without it, although the chain had it, since code is never deleted",
    );
    expect(explanation.cause?.confidence).not.toBe("known");
    expect(text(found)).toContain("Resources (replay only)");
  });

  test("the chain's own calls are shown, not those of a replay that stopped for lack of code", async () => {
    const found = await debug(NOT_FOUND, node("omit=0"));
    const { calls, diagnosticCalls, replayOnly } = found.explanation;
    expect(found.verdict?.kind).toBe("inconclusive");
    expect([calls, replayOnly]).toEqual([null, []]);
    expect(diagnosticCalls).toMatchObject([{ function: "fail", arguments: ["1"], failed: true }]);
    expect(text(found)).not.toContain("Calls (replay only)");
    const ofCode = found.verdict?.caveats.filter(({ keyXdr }) => keyXdr === CODE_KEY);
    expect(ofCode?.map(({ kind }) => kind)).toEqual(["unknown"]);
  });

  test("code that the node has is not said to be missing beside code that it left out", async () => {
    const [lacking, whole] = await Promise.all(
      ["no-diagnostics,omit=0", "no-diagnostics"].map((each) => debug(NOT_FOUND, node(each))),
    );
    const { snapshot, execution } = lacking ?? {};
    const present = whole?.snapshot?.entries.find(({ keyXdr }) => keyXdr === CODE_KEY);
    if (!snapshot || !execution || present === undefined) throw new Error("not replayed");
    // The same code under another key, as of a second contract.
    const keyXdr = Buffer.from(CODE_KEY, "base64").fill(1, 4).toString("base64");
    const provenance = { kind: "rpc-unchanged", detail: "by a node" } as const;
    const entries = [...snapshot.entries, { ...present, keyXdr, provenance }];
    const named = missedEntries({ ...snapshot, entries }, execution, [], 205);
    expect(named.map((each) => each.keyXdr)).toEqual([CODE_KEY]);
  });

  test("another node that has it is believed", async () => {
    const at = `entries-at=${recorded(NOT_FOUND).ledger + 1}`;
    const lacking = [0, 1].map((omitted) => `no-diagnostics,${at},omit=${omitted}`);
    for (const first of lacking) {
      const nodes = { horizon: ["no-diagnostics"], rpc: [first, `no-diagnostics,${at}`] };
      const { explanation, verdict } = await debug(NOT_FOUND, nodes);
      expect(verdict?.kind).toBe("exact");
      expect(explanation.cause?.summary).toContain("LabError::NotFound");
    }
  });
});

describe("a simulation where a node leaves entries out", () => {
  async function simulate(n: number, rpc: readonly string[]) {
    const transaction = recorded(n);
    const { rpcGetTransaction } = loopback.network.file(transaction);
    const { sources, networkPassphrase } = openWalk(loopback, { horizon: [], rpc });
    const clock = new TestClock({ grantedUpTo: 5000 });
    const state = openCurrentState({ sources, clock });
    const dependencies = {
      simulator: openRecordingOneShot({ path: RECORDING_BINARY }),
      replayer: openOneShot({ path: SIMULATOR_BINARY }),
      state,
      networkPassphrase,
    };
    const wish = { transactionXdr: String(rpcGetTransaction.result.envelopeXdr) };
    const report = await reportSimulation(dependencies, wish, {
      signal: NEVER_ABORTED,
      name: "test",
    });
    return { report, said: SIMULATION_RENDERERS.text(report, OPTIONS).replace(/\s+/g, " ") };
  }

  const cases = [
    ["a contract", NOT_FOUND, "omit=2", /node has no entry for contract CAU7\w+; fail\(1\) was/],
    ["a trustline", BALANCE, "omit=1", /The node has no trustline of account GAKP\w+ for LAB:G\w+/],
    ["contract code", SUCCESS, "tip=189,omit=1", /no entry for its code.* Code is never deleted/],
  ] as const;
  for (const [what, n, switches, words] of cases)
    test(`${what}: the node has no entry, and that is likely`, async () => {
      const { report, said } = await simulate(n, [switches]);
      expect(report.explanation.cause?.confidence).toBe("likely");
      expect(report.explanation.cause?.summary).toMatch(words);
      expect(said.match(/The node has no /g)?.length ?? 0).toBeLessThan(2);
      expect(report.explanation.remedy).toStartWith("Ask another node.");
      expect(said).not.toContain("does not exist");
    });

  test("the account: txNoAccount is likely", async () => {
    const { report, said } = await simulate(84, ["tip=313,omit=0"]);
    expect(report.sending?.refusals).toContainEqual(
      expect.objectContaining({ code: "txNoAccount", confidence: "likely" }),
    );
    expect(said).toMatch(/txNoAccount \(likely\): The node has no entry for account GBH7\w+\./);
    expect(said).not.toContain("does not exist");
  });

  test("another node that has them is believed", async () => {
    const { report } = await simulate(NOT_FOUND, ["omit=2", "plain"]);
    expect(report.explanation.cause?.summary).toContain("LabError::NotFound");
    expect(report.explanation.cause?.confidence).toBe("known");
    expect(report.sending?.refusals.map(({ code }) => code)).not.toContain("txNoAccount");
  });

  test("a node of an earlier ledger, or that cannot be asked, changes nothing", async () => {
    for (const second of ["tip=400", "status-500", "no-entries"]) {
      const { report } = await simulate(NOT_FOUND, ["omit=2", second]);
      expect(report.explanation.cause?.summary).toContain("The node has no entry for contract");
    }
  });
});

describe("what only a node's word shows", () => {
  test("is counted beside an exact verdict, and the network's limits are marked", async () => {
    const found = await debug(NOT_FOUND, node("compute-limits"));
    const { verdict, explanation, fix } = found;
    expect(verdict).toMatchObject({ kind: "exact", unconfirmed: { entries: 1, settings: 11 } });
    const cpu = explanation.resources.find(({ name }) => name === "CPU");
    expect(cpu).toMatchObject({ limit: "400000001", limitProvenance: "rpc-unchanged" });
    const said = text(found);
    expect(said).toContain("Not confirmed by a ledger: 1 entry and 11 network settings (from a");
    expect(said).toContain("Network limits reported by the node.");
    expect(fix?.summary).toContain("the maximum resources that the node reports");
    expect(fix?.summary).not.toContain("the network's maximum");
  });

  test("is the likely cause where the replay differs, and is counted", async () => {
    const lies: readonly (readonly [number, WalkNodes])[] = [
      [SUCCESS, node("other-instance")],
      [BALANCE, node("fee-rates")],
      [106, node("fee-rates")],
      [NOT_FOUND, node("forged-fees,no-ledgers")],
    ];
    for (const [n, nodes] of lies) {
      const found = await debug(n, nodes);
      const { kind, likelyCause } = found.verdict ?? {};
      expect([n, kind]).toEqual([n, "diverged"]);
      expect(likelyCause).toMatch(/state that was served is wrong|settings|what the node shows/);
      expect(text(found)).toContain("Not confirmed by a ledger: ");
    }
  });

  test("is not believed where another node's leads to the chain", async () => {
    for (const [n, lie] of [
      [SUCCESS, "other-instance"],
      [BALANCE, "fee-rates"],
    ] as const) {
      const at = `entries-at=${recorded(n).ledger + 1}`;
      const found = await debug(n, { horizon: [at], rpc: [`${lie},${at}`, at] });
      expect([n, found.verdict?.kind]).toEqual([n, "exact"]);
      expect(found.caveats.join()).toContain(
        " showed another state, with which the replay differs",
      );
      const both = await debug(n, { horizon: [at], rpc: [`${lie},${at}`, `${lie},${at}`] });
      expect([n, both.verdict?.kind]).toEqual([n, "diverged"]);
    }
  });

  test("a fix that ran on it says so", async () => {
    const { fix } = await debug(BALANCE, node("no-diagnostics"));
    expect(fix?.summary).toEndWith("The runs rest on state that only a node reported.");
  });

  test("what a fix ran into is likely where nothing tests the settings that it ran with", async () => {
    const { n } = loopback.network.named("read of archived entry, not restored");
    const { fix, verdict, explanation } = await debug(n, { rpc: ["cost-parameters"] });
    // The host never ran on the chain, so that nothing of the costs is compared.
    expect([verdict?.kind, explanation.cause?.confidence]).toEqual(["exact", "known"]);
    expect(fix?.proof).toMatchObject({ outcome: "fails-next", cause: { confidence: "likely" } });
    expect(fix?.summary).toEndWith(
      "The runs rest on network settings that only a node reported, and that no comparison tests.",
    );
  });

  test("nothing is advised about an entry that may have been there", async () => {
    const { network } = loopback;
    const { n, ledger } = network.named("SAC transfer to account without trustline");
    const { explanation, verdict } = await debug(n, node(`entries-at=${ledger},omit=1`));
    expect(verdict?.caveats.map(({ detail }) => detail).join()).toContain("it may have been there");
    const { cause, remedy } = explanation;
    expect(cause).toMatchObject({ kind: "trustline-missing", confidence: "likely" });
    expect(cause?.summary).toContain("The node has no trustline of account GAH4");
    expect(remedy).toStartWith(
      "Ask another node. If it has no entry either: Have the account open",
    );
  });

  test("an error with other values than the node's is inconclusive, and nothing is fixed", async () => {
    const { fix, verdict, explanation } = await debug(BALANCE, node("last-modified=50"));
    expect(verdict?.kind).toBe("inconclusive");
    const error = verdict?.comparisons.find(({ subject }) => subject === "diagnostic-error");
    expect(error?.result).toBe("different");
    expect(error?.chain).toContain("resulting balance is not within the allowed range");
    expect(explanation.cause?.confidence).toBe("likely");
    expect(explanation.evidence[0]).toEndWith("No hash covers diagnostic events.");
    expect(fix?.proof).toBeNull();
  });
});

describe("a failure that left nothing but its code", () => {
  test("is not known to be a panic by what a node said of the storage that decided", async () => {
    const { n, ledger } = loopback.network.named("auth entry replayed (nonce exists)");
    const lie = `no-diagnostics,entries-at=${ledger},no-instance-storage`;
    const { explanation } = await debug(n, node(lie));
    expect(explanation.decidedBy).not.toBeNull();
    expect(explanation.cause).toMatchObject({ kind: "contract-panic", confidence: "likely" });
  });
});

describe("what is refuted", () => {
  test("a result that does not have the hash in its ledger's header", async () => {
    const error = await failureOf(debug(SUCCESS, node("forged-fees,forged-ledgers")));
    expect(error).toMatchObject({ code: "NODE_LIED", details: { field: "results" } });
  });

  test("an entry last modified before a ledger that changed it", async () => {
    const { network } = loopback;
    // The transaction wrote entries of its own footprint.
    const n = network.transactions.find(({ name }) => name === "same ledger: inc main #3")?.n ?? 0;
    const error = await failureOf(debug(n, node("last-modified=50")));
    expect(error).toMatchObject({
      code: "NODE_LIED",
      details: { field: "lastModifiedLedgerSeq" },
    });
    expect(error.message).toMatch(/was last modified in ledger 50, but ledger \d+ changed it/);
  });

  test("a meta with other changes: the field is named", async () => {
    const nodes = { horizon: ["changed-meta"], rpc: ["plain"] };
    const error = await failureOf(debug(106, nodes));
    expect(error).toMatchObject({ code: "NODE_LIED", details: { field: "resultMetaXdr" } });
    expect(error.message).toMatch(
      /the ledger changes of .* in their metas differ \(resultMetaXdr\)/,
    );
  });

  test("one node that contradicts itself is named once", async () => {
    const error = await failureOf(debug(SUCCESS, { horizon: [], rpc: ["forged-fees"] }));
    expect(error.message).toMatch(/^rpc http\S+ contradicts itself on /);
  });

  test("a trap whose entries are said to be old is exact on the node's word", async () => {
    const found = await debug(TRAP, node("last-modified=50"));
    expect(found.verdict).toMatchObject({ kind: "exact", unconfirmed: { entries: 2 } });
    expect(text(found)).toContain("Not confirmed by a ledger: 2 entries");
  });
});
