// A log as people hold it: shortened, left out in parts, on one line, escaped, quoted, behind a prefix.
// Every form of a log says what the whole log says, but for the addresses that it does not have.

import { describe, expect, test } from "bun:test";
import { addressesIn, withAddresses } from "../../src/base/text/found-by-form.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { isCoreMetric } from "../../src/xdr/outcome/diagnostics.ts";
import { readErrorReports } from "../../src/xdr/outcome/error-reports.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { showError } from "../../src/xdr/values/value-text.ts";
import { logOf } from "../support/printed-log.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();
const logs = network.transactions
  .filter(({ status, soroban }) => status === "FAILED" && soroban)
  .flatMap((each) => {
    const meta = String(network.file(each).rpcGetTransaction.result.resultMetaXdr);
    const events = readTransactionMeta(meta).diagnosticsXdr.filter((xdr) => !isCoreMetric(xdr));
    const error = readErrorReports(events).at(-1)?.error;
    if (error === undefined) return [];
    return [{ name: each.name, text: `HostError: ${showError(error)}\n\n${logOf(events)}` }];
  });

const eachLine = (text: string, change: (line: string) => string) =>
  text.split("\n").map(change).join("\n");

/** Every form keeps the whole text but for its addresses. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  "one line": (text) => text.replaceAll(/\s*\n\s*/g, " "),
  "escaped line breaks": (text) => text.replaceAll("\n", "\\n"),
  "a JSON string": (text) => JSON.stringify(text),
  "JSON within JSON": (text) => JSON.stringify(JSON.stringify({ error: text })),
  "a text that a program quoted": (text) => `Error: it failed: ${JSON.stringify(text)}`,
  "a JavaScript literal": (text) => `error: '${text.replaceAll("\n", "\\n")}',`,
  "joined pieces": (text) => eachLine(text, (line) => `    '${line}\\n' +`),
  "a Python literal": (text) => `{'error': '${text.replaceAll("\n", "\\n")}', 'id': 1}`,
  "a quotation": (text) => eachLine(text, (line) => `> ${line}`),
  "a code block": (text) => `\`\`\`\n${text}\n\`\`\``,
  "the lines of a logger": (text) =>
    eachLine(text, (line) => `2026-09-01T10:00:00.000Z  ERROR app[12]: ${line}`),
  "the lines of a container": (text) => eachLine(text, (line) => `app-1  | ${line}`),
  "HTML entities": (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  "line breaks of Windows": (text) => text.replaceAll("\n", "\r\n"),
  colours: (text) => `\u001b[31m${text}\u001b[0m`,
  "curly quotes": (text) => text.replaceAll(/"([^"]*)"/g, "“$1”"),
  "no numbers": (text) => text.replaceAll(/\n {3}\d+: /g, "\n"),
  "no heading": (text) => text.slice(text.indexOf("   0: ")),
  "no quotes": (text) => text.replaceAll('"', ""),
};

/** Every form leaves out most of each address. */
const SHORTENED: Readonly<Record<string, (address: string) => string>> = {
  "…": (address) => `${address.slice(0, 4)}…${address.slice(-4)}`,
  "...": (address) => `${address.slice(0, 4)}...${address.slice(-4)}`,
  "the beginning and …": (address) => `${address.slice(0, 6)}…`,
  "<REDACTED>": () => "<REDACTED>",
};

interface Facts {
  readonly kind: string | undefined;
  /** The numbers that the cause states. */
  readonly numbers: readonly string[];
}

function factsOf(text: string): Facts {
  const found = explainText({ text, name: "the test" });
  const [answer] = found.kind === "answers" ? found.answers : [];
  const summary = answer?.cause?.summary ?? "";
  const numbers = withAddresses(summary, () => "").match(/(?<![\w#])-?\d[\d,]*(?!\w)/g) ?? [];
  return { kind: answer?.cause?.kind, numbers };
}

describe("a log says the same", () => {
  test.each(Object.keys(FORMS))("as %s", (name) => {
    const form = FORMS[name] ?? String;
    expect(logs.length).toBeGreaterThan(40);
    for (const { name: of, text } of logs) {
      // A quote in a text of a contract is lost with the others.
      if (name === "no quotes" && /\\"|Bytes|"[^"]*[,:[\]][^"]*"/.test(text)) continue;
      expect([of, factsOf(form(text))]).toEqual([of, factsOf(text)]);
    }
  });

  test.each(Object.keys(SHORTENED))("with addresses shortened by %s", (name) => {
    const shorten = SHORTENED[name] ?? String;
    for (const { name: of, text } of logs) {
      const { kind } = factsOf(text);
      const short = factsOf(withAddresses(text, shorten)).kind;
      // Where nothing of an address is left, nothing shows that it is an account with signatures.
      const isLost = name === "<REDACTED>" && kind === "authorization-signatures";
      expect([of, short]).toEqual([of, isLost ? "authorization-refused" : kind]);
    }
  });
});

test("an address that was shortened is shown as it was pasted", () => {
  const text =
    "HostError: Error(Contract, #10)\n\nEvent log (newest first):\n" +
    "   0: [Diagnostic Event] contract:CDLZ…CYSC, topics:[error, Error(Contract, #10)], " +
    'data:["balance is not sufficient to spend", 100, 500]\n' +
    "   1: [Diagnostic Event] topics:[fn_call, CDLZ…CYSC, transfer], data:[GAAA…AWHF, <WHO>, 500]\n";
  const found = explainText({ text, name: "the test" });
  const [answer] = found.kind === "answers" ? found.answers : [];
  const words = JSON.stringify(answer);
  expect(addressesIn(words)).toEqual([]);
  expect(answer?.cause?.summary).toContain("transfer(GAAA…AWHF, <WHO>, 500) of contract CDLZ…CYSC");
  expect(answer?.cause?.summary).toStartWith("GAAA…AWHF has 100 units and sends 500 units.");
});

describe("more text never gives a worse answer", () => {
  test("what the newest lines of a log say, the whole log says too", () => {
    for (const { name, text } of logs) {
      const lines = text.trimEnd().split("\n");
      const whole = JSON.stringify(explainText({ text, name: "the test" }));
      // The first event is on the fourth line.
      for (let count = 4; count < lines.length; count += 3) {
        const part = explainText({ text: lines.slice(0, count).join("\n"), name: "the test" });
        const [answer] = part.kind === "answers" ? part.answers : [];
        for (const line of answer?.evidence ?? [])
          for (const number of line.match(/\(\d[\d, -]*\)/g) ?? [])
            expect([name, count, whole]).toEqual([name, count, expect.stringContaining(number)]);
      }
    }
  });

  test("words around a log change nothing", () => {
    for (const { name, text } of logs) {
      const around = `I get this when I call my contract on testnet:\n\n${text}\n\nWhat is wrong? Thanks!`;
      expect([name, factsOf(around)]).toEqual([name, factsOf(text)]);
    }
  });
});
