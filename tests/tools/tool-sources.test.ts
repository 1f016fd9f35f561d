// The messages in the tools' own sources: each has words, and those that have none are listed. The
// sources of stellar-sdk are installed here; `bun scripts/tool-messages.ts` compares the others.

import { describe, expect, test } from "bun:test";
import {
  commonOf,
  INSTALLED_SDK,
  messagesBelow,
  type ToolSource,
} from "../../scripts/tool-messages.ts";
import { TOOL_WORDS, toolMessageInWords } from "../../src/explain/host-messages/tool-words.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import SOURCES from "../../src/xdr/outcome/tool-sources.json" with { type: "json" };

const all = Object.entries(SOURCES).flatMap(([tool, { messages }]) =>
  Object.entries(messages).flatMap(([row, each]) =>
    each.map((message) => ({ tool, row, message })),
  ),
);

/** As a program prints it. */
const filled = (message: string) => message.replaceAll("{}", "X1");

test("every message in the sources has words, and they are those of its row", () => {
  expect(all.length).toBeGreaterThan(1200);
  const other = all.flatMap(({ tool, row, message }) => {
    const found = toolMessageInWords(filled(message))?.row ?? null;
    return found === row ? [] : [{ tool, message, row, found }];
  });
  expect(other).toEqual([]);
});

test("no message in the sources is refused, also behind other words", () => {
  for (const { message } of all)
    for (const text of [
      filled(message),
      `❌ error: ${filled(message)}`,
      `Error: "${filled(message)}"`,
    ]) {
      const { kind } = explainText({ text, name: "the test" });
      expect([text, kind]).not.toEqual([text, "unknown"]);
    }
});

test("the messages without words are listed, and have none", () => {
  const unknown: string[] = Object.values(SOURCES).flatMap((source) => source.unknown);
  expect(unknown.filter((message) => toolMessageInWords(filled(message)) !== null)).toEqual([]);
  expect(unknown).toMatchInlineSnapshot(`
    [
      "an unknown error occurred",
      "Zemu response error",
      "not in transaction",
      "EventWriter incorrectly initialized without stmtCache",
      "unhandled event phase: {}",
      "mock NewTx error",
      "TransactionWriter incorrectly initialized without stmtCache",
      "Implement in subclass",
      "The method has not been implemented.",
      "Operation of asset_type={} is not implemented.",
      "Operation of type={} is not implemented.",
      "This claim predicate type has not been implemented yet,",
      "This ledger entry type has not been implemented yet,",
      "This is an unknown signer key type, please consider creating an issuer at {}.",
      "type assertion failed",
    ]
  `);
});

test("each row of words is one of a message", () => {
  const rows = new Set(all.map(({ row }) => row));
  expect([...rows].filter((row) => !(row in TOOL_WORDS))).toEqual([]);
});

test("the table has the messages of the installed SDK", () => {
  const source = SOURCES["stellar-sdk"];
  const found = Object.values(messagesBelow(INSTALLED_SDK, source as ToolSource)).flat();
  const known: string[] = [
    ...Object.values(source.messages),
    source.unknown,
    commonOf("stellar-sdk"),
  ].flat();
  expect(found.length).toBeGreaterThan(400);
  expect({
    missing: found.filter((message) => !known.includes(message)),
    gone: known.filter((message) => !found.includes(message)),
  }).toEqual({ missing: [], gone: [] });
});

test.each([
  ["DisconnectedDevice: UNKNOWN_ERROR (0x6511)", "the Stellar app is not open"],
  ["Ledger device: Condition not satisfied (0x6985)", "the user rejected it on the device"],
  ["TransportStatusError: UNKNOWN_ERROR (0xb005)", "could not read the transaction"],
  ["Ledger APDU retcode: 0x1234", "0x1234 (svc has no words for it)"],
  ["Error: XDR Read Error: Unknown TransactionMeta member for value 1094795585", "base64"],
  ["TypeError: Bad union switch: 1094795585\n    at read (xdr.js:1)", "base64"],
  [
    "TypeError: Cannot read properties of undefined (reading 'switch')\n    at fromXDR",
    "undefined",
  ],
  ["TypeError: e.switch is not a function", "another release or copy of the SDK"],
  [
    "new xdr.ScVal(...) is not supported: XDR unions are built from factories",
    "written for an older one",
  ],
  ["TransactionMeta: unknown v 9", "older than the network's protocol"],
  ["Channels: Too many transactions queued. Please try again later", "no free channel"],
  ['level=fatal msg="could not run ingestion" error="…"', "cannot take in ledgers"],
  ['Transaction Failed: "Bad source account sequence number"', "not the next one"],
  ["error: jsonrpc error: Parse error: missing field `events` at line 1 column 9", "this release"],
  ["= note: the `wasm32v1-none` target may not be installed", "for the target wasm32v1-none"],
  [
    "wasm error: reference-types not enabled: zero byte expected (at offset 0x4e2)",
    "(reference-types)",
  ],
  ["bulk memory support is not enabled (at offset 0x1f)", "does not accept: bulk memory"],
  ["floating-point instruction disallowed (at offset 0x9)", "floating-point numbers"],
  ["Unable to fund account: X", "Friendbot did not fund"],
  ['msg="could not create captive core" error="x"', "cannot take in ledgers"],
  [
    'reported "transaction byte-write resources exceed network config limit", requested 2, limit 1',
    "more than the network allows",
  ],
  ['[-32603] "could not submit transaction: tx_insufficient_fee"', "below what the network"],
  ["[-32603] start is before oldest ledger", "older than those that it keeps"],
  ["RPC could not find your transaction by hash.", "no transaction with this hash"],
])("%s: %s", (text, meaning) => {
  const found = explainText({ text, name: "the test" });
  const [code] = found.kind === "codes" ? found.codes : [];
  expect(code?.meaning).toContain(meaning);
});

test.each(["ledger 503, then 504", "429 of 1000 were right", "we had 502, 503 and 504 of them"])(
  "a number alone is no status of HTTP: %s",
  (text) => {
    expect(toolMessageInWords(text)).toBeNull();
  },
);

test.each(["504", "HTTP/1.1 503", "status: 429", "[504] {}", "error 502", "429 Too Many"])(
  "a status of HTTP is one: %s",
  (text) => {
    expect(toolMessageInWords(text)).not.toBeNull();
  },
);

describe("a short message of the sources", () => {
  test.each([
    "We said that the invalid memo typewriter is no part of it",
    "the account is invalidated by its owner",
    "a sentence about missing results of a query",
    "the Parse step said: missing field `x`",
  ])("is no part of a sentence: %s", (text) => {
    expect(toolMessageInWords(text)).toBeNull();
  });
});
