import { describe, expect, test } from "bun:test";
import { nameCalls, showCall } from "../../src/explain/naming/named-calls.ts";
import type { CallNode } from "../../src/model/execution.ts";
import type { NamedCall } from "../../src/model/explanation.ts";
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
  // No function of this contract takes a single vector, so one is added to its specification.
  const withVector = (contract: string | null) => {
    const facts = lookup(contract);
    const element = { kind: "plain", name: "u32" } as const;
    const inputs = [{ name: "values", type: { kind: "vec", element } as const }];
    const functions = new Map([["fail", { name: "fail", inputs, output: null }]]);
    return facts?.spec ? { ...facts, spec: { ...facts.spec, functions } } : facts;
  };
  const show = (argumentsXdr: readonly string[], given = withVector) =>
    showCall({ ...real, argumentsXdr }, given);

  test("a vector of any length", () => {
    expect(show([])).toBe("fail(values: [])");
    expect(show([one])).toBe("fail(values: [1])");
    expect(show([one, one])).toBe("fail(values: [1, 1])");
    expect(elementsOf(vectorOf([one, one]))).toEqual([one, one]);
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
