// What a person shortened in a pasted log is shown as it was pasted, wherever a fact has the value,
// and no other text changes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { addressesIn } from "../../src/base/text/found-by-form.ts";
import { withPastedValues } from "../../src/explain/words/pasted-values.ts";
import { explainText } from "../../src/tools/explain-text.ts";

const strange = fc.constantFrom("$&", "$1", "`", "…", "<WHO>", "C".repeat(56), "\\", '"');

/** The log of a transfer, with the contract, the sender and a text as they were pasted. */
function logOf(contract: string, sender: string, text: string): string {
  return [
    "HostError: Error(Contract, #10)\n\nEvent log (newest first):",
    `   0: [Diagnostic Event] contract:${contract}, topics:[error, Error(Contract, #10)], data:["balance is not sufficient to spend", 100, 500]`,
    `   1: [Diagnostic Event] topics:[fn_call, ${contract}, transfer], data:[${sender}, ${text}, 500]\n`,
  ].join("\n");
}

test("no stand-in is shown, whatever was left out", () => {
  const shortened = fc.constantFrom("CDLZ…CYSC", "CDLZ...CYSC", "CDLZFC…", "<REDACTED>", "[A B]");
  const senders = fc.constantFrom("GAAA…AWHF", "GAAA…", "<WHO>", "***");
  fc.assert(
    fc.property(shortened, senders, fc.constantFrom("<WHO>", "memo", "5"), (...parts) => {
      const found = explainText({ text: logOf(...parts), name: "the test" });
      const [answer] = found.kind === "answers" ? found.answers : [];
      const [contract, sender, text] = parts;
      expect(addressesIn(JSON.stringify(answer))).toEqual([]);
      expect(answer?.cause?.summary).toContain(`transfer(${sender}, ${text}, 500)`);
      expect(answer?.cause?.summary).toContain(contract);
    }),
  );
});

test("a value becomes the pasted text in each fact, and nothing else changes", () => {
  const facts = fc.object({ values: [fc.string(), fc.integer(), fc.constant(null)] });
  fc.assert(
    fc.property(facts, strange, fc.string(), (others, shown, around) => {
      const value = "CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA";
      const text = `${around.replaceAll(value, "")}[${value}]`;
      const finding = { others, call: { whole: text, list: [text] }, id: 5n, map: new Map() };
      const changed = withPastedValues(finding as never, new Map([[value, shown]])) as never;
      const pasted = text.split(value).join(shown);
      expect(changed).toEqual({ ...finding, call: { whole: pasted, list: [pasted] } } as never);
    }),
  );
});
