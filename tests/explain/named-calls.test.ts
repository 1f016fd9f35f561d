import { describe, expect, test } from "bun:test";
import { completeCallTree } from "../../src/explain/naming/complete-call-tree.ts";
import { nameCalls, showCall } from "../../src/explain/naming/named-calls.ts";
import type { CallNode } from "../../src/model/execution.ts";
import type { NamedCall } from "../../src/model/explanation.ts";
import type { SpecType } from "../../src/xdr/contract/contract-spec.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { elementsOf, vectorOf, voidValue } from "../../src/xdr/values/value-parts.ts";
import { investigate } from "../report/investigations.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

function find(call: NamedCall | null, name: string): NamedCall | null {
  if (call === null || call.function === name) return call;
  return call.calls.map((each) => find(each, name)).find((each) => each !== null) ?? null;
}

describe("calls of real transactions", () => {
  test("a token transfer is named by the asset contract's own specification", () => {
    const transfer = find(investigate("sac-transfer").explanation.calls, "transfer");
    expect(transfer?.argumentNames).toEqual(["from", "to", "amount"]);
    expect(transfer?.arguments[2]).toBe("1234 (0.0001234 LAB)");
  });

  test("a vector argument is one argument", () => {
    const { calls } = investigate("try-call-catches-callee-failure").explanation;
    const forward = find(calls, "fwd_try");
    expect(forward?.argumentNames).toEqual(["other", "f", "args"]);
    expect(forward?.arguments[2]).toStartWith("[");
  });
});

describe("one argument that looks like none or several", () => {
  const { snapshot, execution } = walkOf("contract-error");
  const lookup = contractLookup(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const real = execution.callTree?.calls[0]?.calls[0] as CallNode;
  const one = real.argumentsXdr[0] ?? "";
  const element = { kind: "plain", name: "u32" } as const;
  const vector = { kind: "vec", element } as const;
  // No function of this contract takes a single vector, so one is added to its specification.
  const taking = (type: SpecType) => (contract: string | null) => {
    const facts = lookup(contract);
    const inputs = [{ name: "values", type }];
    const functions = new Map([["fail", { name: "fail", inputs, output: null }]]);
    return facts?.spec ? { ...facts, spec: { ...facts.spec, functions } } : facts;
  };
  const withVector = taking(vector);
  const show = (argumentsXdr: readonly string[], given = withVector) =>
    showCall({ ...real, argumentsXdr }, given);

  test("a vector of any length", () => {
    expect(show([])).toBe("fail(values: [])");
    expect(show([one])).toBe("fail(values: [1])");
    expect(show([one, one])).toBe("fail(values: [1, 1])");
    expect(elementsOf(vectorOf([one, one]))).toEqual([one, one]);
  });

  test("a vector that may be missing is none or empty, and which is unknown", () => {
    const optional = taking({ kind: "option", element: vector });
    expect(show([], optional)).toBe("fail()");
    expect(show([voidValue()], optional)).toBe("fail(values: none)");
    expect(show([vectorOf([])], optional)).toBe("fail(values: [])");
    expect(show([], taking({ kind: "option", element }))).toBe("fail(values: none)");
  });

  test("of the outermost call, the envelope has the argument", () => {
    const own = walkOf("contract-error").execution;
    const { contract, function: name } = real;
    const call = { ...real, argumentsXdr: [] };
    const tree = { ...own, callTree: { ...real, contract: null, function: null, calls: [call] } };
    const argumentsXdr = [vectorOf([])];
    const invoked = { kind: "invoke", contract, function: name, argumentsXdr } as never;
    const [outermost] = completeCallTree(tree, invoked)?.calls ?? [];
    expect(outermost?.argumentsXdr).toEqual(argumentsXdr);
  });

  test("too many arguments stay unchanged, without names", () => {
    expect(show([one], lookup)).toBe("fail(code: 1)");
    expect(show([one, one], lookup)).toBe("fail(1, 1)");
    expect(show([voidValue()], lookup)).toBe("fail(code: void)");
    expect(nameCalls({ ...real, argumentsXdr: [] }, lookup).argumentNames).toBeNull();
  });

  test("without the contract nothing is named", () => {
    expect(nameCalls(real, () => null)).toMatchObject({ arguments: ["1"], argumentNames: null });
  });
});
