// Texts about other networks and programs than Stellar's: nothing of Stellar is said of them.

import { describe, expect, test } from "bun:test";
import { TOOL_WORDS, toolMessageInWords } from "../../src/explain/host-messages/tool-words.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { TOOL_MESSAGES } from "../../src/xdr/outcome/tool-messages.ts";

const kindOf = (text: string) => explainText({ text, name: "the test" }).kind;

/** Log lines of other programs, which have words that Stellar's tools write too. */
const LINES = [
  "dial tcp: lookup freeipa.example.com on 10.255.0.10:53: no such host",
  "failed to connect to reporting server: dial tcp: i/o timeout",
  "connect: connection refused",
  "the API answered 429 Too Many Requests",
  "internal server error while handling the request",
  "status: FAILED",
  "FirebaseError: The popup has been closed by the user before finalizing the operation.",
  "java.net.SocketTimeoutException: Read timed out",
  "Your card has insufficient funds.",
];
const AROUND = [
  "kubectl logs -f dex-kubeaddons-5d55b6b94b-9pm2d -n kubeaddons --kubeconfig=admin.conf\n[...]\n",
  `${"INFO the orders service took the next batch of invoices from the queue. ".repeat(4)}\n`,
];

describe.each(LINES)("%s", (line) => {
  test.each(AROUND)("is not explained behind %s", (around) => {
    expect(kindOf(around + line)).toBe("unknown");
  });
});

test("the same words are explained alone, and in a text about Stellar", () => {
  expect(kindOf("Network Error")).toBe("codes");
  expect(kindOf(`${AROUND[1]}horizon: the API answered 429 Too Many Requests`)).toBe("codes");
});

test("an answer of another network keeps the words of its node, and gets no reason of Stellar", () => {
  const message = "insufficient funds for gas * price + value: balance 0";
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message } });
  const found = explainText({ text, name: "the test" });
  expect(JSON.stringify(found)).toContain(message);
  expect(JSON.stringify(found)).not.toMatch(/XLM|trustline|reserve/);
});

test("the words for a database are true of any program's", () => {
  const sqlite =
    'ERRO Failed to insert: SqliteFailure(Error { code: 5 }, Some("database is locked"))';
  const [meaning] = [toolMessageInWords(`${AROUND[1]}${sqlite}`)?.meaning];
  expect(meaning).toContain("The program's own database");
});

test("what is said of any program names no node, wallet or network of Stellar", () => {
  const ofAny = Object.entries(TOOL_MESSAGES).filter(([, row]) => "isOfAny" in row);
  expect(ofAny.length).toBeGreaterThan(30);
  const claims = ofAny.flatMap(([id]) => {
    const { meaning } = TOOL_WORDS[id as keyof typeof TOOL_WORDS];
    return /\bthe (?:node|wallet)\b|Stellar|Horizon|\bledgers?\b/.test(meaning) ? [meaning] : [];
  });
  expect(claims).toEqual([]);
});
