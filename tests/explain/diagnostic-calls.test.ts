// Calls rebuilt from diagnostic events are the calls that a replay shows.

import { describe, expect, test } from "bun:test";
import { TransactionMeta } from "@stellar/stellar-sdk/xdr";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { explain } from "../../src/explain/explain.ts";
import { diagnosticTree } from "../../src/explain/naming/diagnostic-calls.ts";
import type { CallNode } from "../../src/model/execution.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { readDiagnosticEvent } from "../../src/xdr/outcome/diagnostics.ts";
import { symbolOf } from "../../src/xdr/values/value-parts.ts";
import { investigate } from "../report/investigations.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { contractEntries, executeCall } from "../support/executed.ts";
import { hostCallContract } from "../support/host-call-contract.ts";
import { openedAlone } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { protocolWalks } from "../verdict/protocol-walk.ts";

interface Shape {
  readonly call: string;
  readonly failed: boolean;
  readonly result: string | null;
  readonly below: readonly Shape[];
}

/** Without costs, and without frames that have no function. */
function shapesOf({ calls }: CallNode): Shape[] {
  return calls.flatMap((call): Shape[] => {
    if (call.function === null) return shapesOf(call);
    const { contract, function: name, argumentsXdr, resultXdr: result, failed } = call;
    const shown = [contract, name, ...argumentsXdr].join(" ");
    return [{ call: shown, failed, result, below: shapesOf(call) }];
  });
}

describe("as a replay shows them", () => {
  for (const { name, execution } of protocolWalks()) {
    const { callTree, diagnosticsXdr } = execution;
    if (callTree === null || shapesOf(callTree).length === 0) continue;
    test(name, () => {
      const tree = diagnosticTree(diagnosticsXdr);
      expect(tree && shapesOf(tree)).toEqual(shapesOf(callTree));
    });
  }
});

describe("up to a limit", () => {
  /** The first calls of a tree, in the order in which they began. */
  function cut(shapes: readonly Shape[], most: number): Shape[] {
    let left = most;
    const take = (list: readonly Shape[]): Shape[] =>
      list.flatMap((shape) => {
        if (left === 0) return [];
        left -= 1;
        return [{ ...shape, below: take(shape.below) }];
      });
    return take(shapes);
  }

  for (const { name, execution } of protocolWalks()) {
    const whole = diagnosticTree(execution.diagnosticsXdr);
    if (whole === null) continue;
    test(`${name}: further calls change nothing of those that are kept`, () => {
      for (let most = 0; most < 4; most += 1) {
        const tree = diagnosticTree(execution.diagnosticsXdr, most);
        expect(tree && shapesOf(tree)).toEqual(cut(shapesOf(whole), most));
      }
    });
  }

  test("what a call returns that is not kept is not the result of one that is", () => {
    const { execution } = protocolWalks().find(({ name }) => name === "sac-transfer") ?? {};
    const events = execution?.diagnosticsXdr ?? [];
    const [called, returned] = ["fn_call", "fn_return"].map((name) =>
      events.find((event) => symbolOf(readDiagnosticEvent(event).topicsXdr[0] ?? "") === name),
    ) as [string, string];
    const tree = diagnosticTree([called, called, returned], 1);
    expect(tree && shapesOf(tree)).toMatchObject([{ failed: true, result: null, below: [] }]);
  });
});

describe("a failure that a contract caught", () => {
  const simulator = openTestSimulator();

  test("ends when the caller reports it", async () => {
    const outer = contractEntries(
      hostCallContract([{ name: "try", host: ["d", "0"], parameters: 3 }]),
    );
    const inner = contractEntries(
      hostCallContract([{ name: "get", host: ["v", "1"], parameters: 2 }]),
      2,
    );
    const { execution } = await executeCall(simulator, {
      contract: outer.contract,
      function: "try",
      arguments: [
        { address: inner.contract },
        { symbol: "get" },
        { vec: [{ vec: [] }, { u32: 3 }] },
      ],
      readOnly: [...outer.entries, ...inner.entries],
    });
    const tree = diagnosticTree(execution.diagnosticsXdr);
    expect(tree && shapesOf(tree)).toEqual(shapesOf(execution.callTree as CallNode));
    expect(tree?.calls[0]?.calls[0]).toMatchObject({ function: "get", failed: true });
  });
});

test("without a replay the report shows them, and they name the failed call", () => {
  const real = investigate("fee-bump-failing");
  const explanation = explain(openedAlone(real.record), null, null);
  expect(explanation.calls).toBeNull();
  expect(explanation.diagnosticCalls).toMatchObject([
    { function: "trap", failed: true, calls: [] },
  ]);
  expect(explanation.headline).toBe("`trap()` (fee-bump) failed in ledger 381.");
  expect(explanation.cause?.kind).toBe("contract-panic");
  const investigation = { ...real, snapshot: null, execution: null, verdict: null, explanation };
  const text = renderText(investigation, { color: false });
  expect(text).toContain("Calls (from a node's diagnostic events)\n  trap() in CAU7…ZUBV ← FAILED");
});

test("the last call before a contract's error is in the cause, with its result", () => {
  const { record } = investigate("fee-bump-failing");
  const [gate, token] = [7, 8].map((byte) => new Uint8Array(32).fill(byte));
  const event = (of: Uint8Array | undefined, topics: readonly unknown[], data: unknown) => ({
    in_successful_contract_call: false,
    event: {
      ext: "v0",
      contract_id: of === undefined ? null : encodeStrkey("contract", of),
      type_: "diagnostic",
      body: { v0: { topics, data } },
    },
  });
  const id = (of: Uint8Array | undefined) => ({ bytes: (of ?? new Uint8Array()).toHex() });
  const error = [{ symbol: "error" }, { error: { contract: 13 } }];
  const resultMetaXdr = changedXdr(TransactionMeta, record.resultMetaXdr ?? "", ({ v4 }) => {
    v4.diagnostic_events = [
      event(undefined, [{ symbol: "fn_call" }, id(gate), { symbol: "open" }], "void"),
      event(gate, [{ symbol: "fn_call" }, id(token), { symbol: "balance" }], { u32: 5 }),
      event(token, [{ symbol: "fn_return" }, { symbol: "balance" }], { i128: "10000000" }),
      event(gate, error, { string: "escalating Ok(ScErrorType::Contract) frame-exit to Err" }),
    ];
  });
  const { cause } = explain(openedAlone({ ...record, resultMetaXdr }), null, null);
  expect(cause?.kind).toBe("contract-error");
  expect(cause?.summary).toStartWith("open() of contract C");
  expect(cause?.summary).toMatch(
    / The last call before the error, balance\(5\) of contract C\w+, returned 10000000\.$/,
  );
});

test("events without calls make no tree", () => {
  expect(diagnosticTree([])).toBeNull();
  expect(investigate("sac-transfer").explanation.diagnosticCalls).toEqual([]);
});
