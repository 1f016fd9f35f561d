// What a program catches is explained, in whatever form it has it.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { xdr } from "@stellar/stellar-sdk";
import fc from "fast-check";
import { phrased } from "../../src/base/phrase.ts";
import { PROGRAM } from "../../src/library/audience.ts";
import { explain, explainTransaction, inWords } from "../../src/library/explain.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { readContractSpec } from "../../src/xdr/contract/contract-spec.ts";
import { valuesIn } from "../../src/xdr/contract/wasm-sections.ts";
import { encode } from "../../src/xdr/reader/value.ts";

const ANSWER = {
  title: "Transaction Failed",
  extras: { result_codes: { transaction: "tx_failed", operations: ["op_underfunded"] } },
};

test("a text, an Error, and an answer in an Error of an SDK are explained", async () => {
  const given = [
    JSON.stringify(ANSWER),
    ANSWER,
    Object.assign(new Error("Request failed with status code 400"), { response: { data: ANSWER } }),
  ];
  const [first, ...others] = await Promise.all(given.map((each) => explain(each)));
  expect(first?.kind).not.toBe("unknown");
  for (const other of others) expect(other).toEqual(first as never);
});

test("a message of the host is explained in sentences", async () => {
  const words = inWords(await explain(new Error("HostError: Error(Storage, MissingValue)")));
  expect(words).toContain("ledger entry");
  expect(words).toEndWith(".");
});

test("advice that names a command of svc is plain text, too", async () => {
  const explained = await explain("NOT_FOUND");
  if (explained.kind !== "codes") throw new Error(explained.kind);
  expect(explained.codes.map(({ remedy }) => typeof remedy)).not.toContain("object");
  const words = inWords(explained);
  expect(words).toContain("run `svc debug` with its hash");
  expect(words).not.toContain("[object");
});

test("what wallets and browsers say is explained, also as the cause of an Error", async () => {
  const declined = await explain("User declined access");
  expect(inWords(declined, "user")).toContain("declined");
  for (const said of [
    { code: -4, message: "The user rejected this request." },
    "The user closed the modal.",
    "Popup closed by user",
    new Error("The wallet failed", { cause: new Error("User rejected the request") }),
  ])
    expect(await explain(said)).toMatchObject({
      codes: [{ meaning: "codes" in declined ? declined.codes[0]?.meaning : "" }],
    });
  const unreachable = inWords(await explain(new TypeError("Failed to fetch")), "user");
  for (const said of ["NetworkError when attempting to fetch resource.", "Load failed"])
    expect(inWords(await explain(new TypeError(said)), "user")).toBe(unreachable);
  expect(unreachable).toContain("could not be reached");
});

test("what says nothing is not explained", async () => {
  for (const nothing of ["", "hello there", undefined, null])
    expect(inWords(await explain(nothing))).toBeNull();
});

test("a specification names the error of a contract: its wasm, or the entries of its bindings", async () => {
  const wasm = await Bun.file(join(import.meta.dir, "../contracts/keys-z.wasm")).bytes();
  const [error] = readContractSpec(wasm)?.errors ?? [];
  if (error === undefined) throw new Error("the contract has no errors");
  const text = `HostError: Error(Contract, #${error.value})`;
  expect(inWords(await explain(text))).not.toContain(error.name);
  const entries = [...valuesIn(wasm, "contractspecv0", "ScSpecEntry", 100)].map((each) =>
    encode("ScSpecEntry", each),
  );
  for (const spec of [wasm, entries]) {
    const explained = await explain(text, { spec });
    expect(JSON.stringify(explained)).toContain(error.name);
    expect(inWords(explained, "user")).toContain(error.name);
  }
  await expect(explain(text, { spec: ["AAAA"] })).rejects.toThrow();
});

test("parts that are loaded later explain as those that svc has at once", async () => {
  const texts = [
    "txBadSeq",
    "HostError: Error(Contract, #2000)",
    "error: Missing argument amount",
    "could not connect: fetch failed",
    "HostError: Error(WasmVm, InvalidAction)\nEvent log (newest first):\n" +
      '   0: [Diagnostic Event] topics:[error, Error(WasmVm, InvalidAction)], data:"escalating error"',
    JSON.stringify({ status: "ERROR", errorResultXdr: "AAAAAAAAAGT////7AAAAAA==" }),
    "transaction simulation failed: something else",
    "AAAAAAAAAGT////7AAAAAA==",
    "hello there",
  ];
  const name = "The text";
  for (const text of texts)
    expect(await explain(text)).toEqual(phrased(explainText({ text, name }), PROGRAM));
  const json = JSON.stringify({ nothing: 1 });
  expect(() => explainText({ text: json, name })).toThrow("an answer that svc can explain");
  expect(await explain(json)).toMatchObject({ kind: "unknown", problem: { code: "FILE_INVALID" } });
});

test("a user reads why, and a developer what to do as well", async () => {
  const explained = await explain(ANSWER);
  const [user, developer] = [inWords(explained, "user"), inWords(explained)];
  expect(user?.length).toBeLessThan(developer?.length ?? 0);
  expect((await explainTransaction(ANSWER))?.resultCodes).toEqual(
    explained.kind === "answers" ? explained.answers[0]?.resultCodes : undefined,
  );
  expect(await explainTransaction("hello there")).toBeNull();
});

test("an answer that the SDK has read is explained as the node's own", async () => {
  const errorResultXdr = "AAAAAAAAAGT////7AAAAAA==";
  const sent = { status: "ERROR", hash: "ab".repeat(32), latestLedger: 3 };
  const read = { ...sent, errorResult: xdr.TransactionResult.fromXDR(errorResultXdr, "base64") };
  expect(await explainTransaction(read)).toEqual(
    await explainTransaction({ ...sent, errorResultXdr }),
  );
  expect((await explainTransaction(read))?.resultCodes).toEqual(["txBadSeq"]);
});

test("whatever a program has caught has an answer, so that a handler does not throw", async () => {
  const circle: Record<string, unknown> = { message: 5 };
  circle.self = circle;
  const own = new Error("tx_bad_seq in a circle of causes");
  own.cause = own;
  const nothing = [
    ...[{}, [], [1], new Map(), new Date(0), circle, { status: "?" }, new AbortController().signal],
    ...["{}", "{", "[object Object]", '"undefined" is not valid JSON', "[Axios] no"],
    ...[new Error("[object Object]"), new Error("x", { cause: {} }), Object.create(null)],
    Object.assign(new Error("Request failed"), { response: { data: {} } }),
  ];
  for (const caught of nothing) {
    expect(inWords(await explain(caught))).toBeNull();
    expect(await explainTransaction(caught)).toBeNull();
  }
  await fc.assert(
    fc.asyncProperty(fc.anything({ withBigInt: true, withDate: true }), async (caught) => {
      expect(["answers", "codes", "unknown"]).toContain((await explain(caught)).kind);
    }),
  );
  const codesOf = async (caught: unknown) => {
    const explained = await explain(caught, { spec: null });
    return explained.kind === "codes" ? explained.codes.map(({ code }) => code) : [];
  };
  expect(await codesOf(own)).toEqual(["txBadSeq"]);
  // The message has what the body of the response lacks.
  const failed = Object.assign(new Error("tx_bad_seq"), { response: { data: {} } });
  expect(await codesOf(failed)).toEqual(["txBadSeq"]);
});
