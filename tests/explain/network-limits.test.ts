// Each limit that is exceeded says which it is, by how much, who sets it, and whether a simulation
// checks it. A limit of the network is not answered with another simulation.

import { describe, expect, test } from "bun:test";
import { networkRemedyOf } from "../../src/explain/words/limit-words.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { type DECLARED_LIMITS, LIMITS } from "../../src/xdr/outcome/host-messages.ts";
import { readPrintedEvents } from "../../src/xdr/outcome/printed-events.ts";
import { resultOfRefusal } from "../../src/xdr/outcome/result.ts";
import { said } from "../support/said.ts";

/** As stellar-core reports them when it checks what a transaction declares. */
const DECLARED: Readonly<Record<keyof typeof DECLARED_LIMITS, string>> = {
  instructions: "transaction instructions resources exceed network config limit",
  read: "transaction byte-read resources exceed network config limit",
  write: "transaction byte-write resources exceed network config limit",
  footprint: "the number of entries in transaction footprint exceeds the network config limit",
  "disk-entries": "transaction entry-disk-read resources exceed network config limit",
  "written-entries": "transaction entry-write resources exceed network config limit",
  key: "transaction footprint key exceeds network config limit",
  size: "total transaction size exceeds network config limit",
};

const CHECKED = new Set(["instructions"]);

const event = (message: string, used: number, allowed: number) =>
  `[Diagnostic Event] topics:[error, Error(Budget, ExceededLimit)], data:["${message}", ${used}, ${allowed}]`;

const answerOf = (text: string) => {
  const found = explainText({ text, name: "the test" });
  const [answer] = found.kind === "answers" ? found.answers : [];
  return { summary: answer?.cause?.summary ?? "", remedy: said(answer?.remedy) };
};

describe.each(Object.entries(DECLARED))("a node that refuses for %s", (id, message) => {
  const diagnosticEventsXdr = readPrintedEvents(event(message, 120_300, 100_000));
  const errorResultXdr = resultOfRefusal("txSorobanInvalid");
  const answer = { status: "ERROR", hash: "ab".repeat(32), errorResultXdr, diagnosticEventsXdr };

  test("says which limit, by how much, and who sets it", () => {
    for (const [text, code] of [
      [JSON.stringify(answer), "txSorobanInvalid: "],
      [
        `HostError: Error(Budget, ExceededLimit)\n\nEvent log (newest first):\n   0: ${event(message, 120_300, 100_000)}`,
        "",
      ],
    ] as const) {
      const { summary, remedy } = answerOf(text);
      expect(summary).toStartWith(`${code}Network limit exceeded: 120,300 `);
      expect(summary).toContain("the network allows 100,000 per");
      expect(summary).toContain("20,300 too many");
      expect(remedy).toContain("The network sets this limit; the transaction cannot raise it.");
      expect(remedy).not.toMatch(/simulate again/i);
      expect(remedy.includes("A node's simulation does not check it.")).toBe(!CHECKED.has(id));
    }
  });
});

const RUN: Readonly<Record<string, readonly [message: string, isChecked: boolean]>> = {
  memory: ["operation memory usage exceeds network config limit", true],
  events: ["total events size exceeds network config maximum", false],
  result: ["return value pushes events size above network config maximum", false],
  data: ["ContractData size exceeds network config maximum size", false],
  code: ["Wasm size exceeds network config maximum contract size", false],
};

test.each(Object.entries(RUN))("a run over the limit of %s says so", (_, [message, isChecked]) => {
  const text = `HostError: Error(Budget, ExceededLimit)\n\nEvent log (newest first):\n   0: ${event(message, 20_000, 16_384)}`;
  const { summary, remedy } = answerOf(text);
  expect(summary).toContain("20,000");
  expect(summary).toContain("16,384");
  expect(remedy).toContain("3,616 bytes");
  expect(remedy).toContain("The network sets this limit; the transaction cannot raise it.");
  expect(remedy).not.toMatch(/simulate again/i);
  expect(remedy.includes("A node's simulation does not check it.")).toBe(!isChecked);
});

test("each limit of a run has words", () => {
  expect(Object.keys(LIMITS)).toEqual([
    "instructions",
    "memory",
    "write",
    "read",
    "events",
    "result",
  ]);
  expect(networkRemedyOf("events-size-exceeded", "1 bytes")).toContain("at least 1 bytes less");
  expect(networkRemedyOf()).not.toContain("at least");
});

test("a result code without its log says that a limit of the network may be the cause", () => {
  const found = explainText({ text: "invokeHostFunctionResourceLimitExceeded", name: "the test" });
  const [code] = found.kind === "codes" ? found.codes : [];
  const codeRemedy = said(code?.remedy);
  expect(codeRemedy).toContain("a limit of the network is exceeded");
  expect(codeRemedy).toContain("keys, entries, events and the transaction");
});
