// What is said of messages that nodes, builds and wallets write around a failure: the facts that the
// message has, and who can act.

import { expect, test } from "bun:test";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { toolMessageInWords } from "../../src/explain/host-messages/tool-words.ts";
import { explainText } from "../../src/tools/explain-text.ts";

/** A pasted text → words of its meaning, and of its remedy. */
const SAID: readonly (readonly [text: string, meaning: string, remedy: string])[] = [
  [
    "error: unexpected argument '--decimals' found\n\nUsage: __constructor --name <String> --asset <Address>\n",
    'Its usage is "__constructor --name <String> --asset <Address>"',
    "another build of the contract",
  ],
  [
    "error: unexpected argument '--message' found\n\nUsage: stellar message sign [OPTIONS] [MESSAGE]\n",
    "stellar message sign [OPTIONS] [MESSAGE]",
    "without a name",
  ],
  [
    "Failed to parse argument 'config': value is not parseable to Some(\n    Address,\n)",
    "An address within the argument config",
    "stellar keys address NAME",
  ],
  ["Status(ContractError(7))", "its own error number 7", "#[contracterror]"],
  [
    "Status(VmError(TrapUnreachable))\n2: \"caught panic from contract function 'Symbol(add_with)'\"",
    "The log names the function add_with.",
    "that function",
  ],
  [
    "[default FATAL] Got an exception: No DB schema version found, try stellar-core new-db",
    "never set up",
    "stellar-core new-db",
  ],
  [
    "[Process ERROR] Error starting process: posix_spawn() failed [ProcessManagerImpl.cpp:489]",
    "could not start a program",
    "Install the program",
  ],
  [
    "error[E0152]: duplicate lang item in crate soroban_sdk: panic_impl",
    "soroban_sdk is in the build twice",
    "cargo tree -d",
  ],
  ["'testutils' feature is not supported on 'wasm' target", "only for tests", "[dev-dependencies]"],
  [
    'Default network "local" (http://localhost:8000/rpc) is unreachable',
    "No node answers at http://localhost:8000/rpc",
    "stellar container start local",
  ],
  [
    '{"errorReason":"settle_exact_stellar_transaction_submission_failed"}',
    "does not show what the network said",
    "facilitator's own log",
  ],
  ['error="reingest range overlaps with horizon ingestion"', "at the same time", "--force"],
  ["Named export 'SorobanRpc' not found.", "uses SorobanRpc", "`SorobanRpc` is `rpc`"],
];

test.each(SAID)("%s", (text, meaning, remedy) => {
  const said = toolMessageInWords(text);
  expect(said?.meaning).toContain(meaning);
  expect(said && phraseFor(said.remedy, SHELL)).toContain(remedy);
});

test("a message of the host beside a general one of a tool is what is explained", () => {
  const text =
    "`trying to access contract data key outside of the footprint … {}` /\n`error: transaction submission failed`";
  const found = explainText({ text, name: "the test" });
  expect(found.kind === "codes" && found.codes[0]?.code).toBe(
    "trying to access contract data key outside of the footprint",
  );
});

test("an account to merge need not lose its signers", () => {
  const found = explainText({ text: "ACCOUNT_MERGE_HAS_SUB_ENTRIES", name: "the test" });
  expect(JSON.stringify(found)).toContain("Its signers may stay.");
});

test("result codes alone have the place of the operation", () => {
  const text = '{"transaction":"tx_failed","operations":["op_success","op_no_trust"]}';
  expect(JSON.stringify(explainText({ text, name: "the test" }))).toContain("of operation 2");
});
