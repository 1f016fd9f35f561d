import { expect, test } from "bun:test";
import type { NamedCall } from "../../../src/model/explanation.ts";
import { type CallSpan, callSpans } from "../../../src/report/otlp/call-spans.ts";
import { investigate } from "../investigations.ts";

const TIME = { beginMilliseconds: 1000, endMilliseconds: 1100 };
const real = investigate("try-call-catches-callee-failure").explanation.calls as NamedCall;

function call(name: string, cpuInstructions: string, calls: readonly NamedCall[] = []): NamedCall {
  return { ...real, kind: "invoke", function: name, cpuInstructions, memoryBytes: "10", calls };
}

function all(spans: readonly CallSpan[]): CallSpan[] {
  return spans.flatMap((span) => [span, ...all(span.calls)]);
}

test("a real call tree: callees below their callers, failed calls marked", () => {
  const { spans, omitted } = callSpans(real, TIME);
  expect(omitted).toBe(0);
  expect(spans).toHaveLength(1);
  const [outer] = spans;
  expect(outer?.failed).toBe(false);
  expect(all(outer?.calls ?? []).some(({ failed }) => failed)).toBe(true);
});

test("calls share their caller's time by their instructions, one after the other", () => {
  const root = call("root", "1000", [call("a", "250"), call("b", "500", [call("c", "250")])]);
  const times = all(callSpans(root, TIME).spans).map((span) => [
    span.name,
    span.beginMilliseconds,
    span.endMilliseconds,
  ]);
  expect(times).toEqual([
    ["root", 1000, 1100],
    ["a", 1000, 1025],
    ["b", 1025, 1075],
    ["c", 1025, 1050],
  ]);
});

test("spans have total and self costs", () => {
  const { spans } = callSpans(call("root", "9007199254740993", [call("a", "250")]), TIME);
  expect(spans[0]?.attributes).toMatchObject({
    "svc.cpu.instructions": "9007199254740993",
    "svc.cpu.instructions.self": 9007199254740743,
    "svc.memory.bytes": 10,
    "svc.memory.bytes.self": 0,
    "svc.call.time": "estimated from instructions",
  });
});

test("no division by zero, and a name from the chain is neutral", () => {
  const { spans } = callSpans(call("\u001b[2J", "0", [call("a", "0")]), TIME);
  expect(all(spans).map(({ endMilliseconds }) => endMilliseconds)).toEqual([1100, 1000]);
  expect(spans[0]?.name).toBe("\\u{1b}[2J");
});

test("a large tree is cut, and the omitted calls are counted", () => {
  const wide = call(
    "root",
    "5000",
    Array.from({ length: 5000 }, () => call("leaf", "1")),
  );
  const { spans, omitted } = callSpans(wide, TIME);
  expect([all(spans).length, omitted]).toEqual([2000, 3001]);
});
