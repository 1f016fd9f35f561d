// What a program catches is explained, in whatever form it has it.

import { expect, test } from "bun:test";
import { explain, inWords } from "../../src/library/explain.ts";

const ANSWER = {
  title: "Transaction Failed",
  extras: { result_codes: { transaction: "tx_failed", operations: ["op_underfunded"] } },
};

test("a text, an Error, and an answer in an Error of an SDK are explained", () => {
  const given = [
    JSON.stringify(ANSWER),
    ANSWER,
    Object.assign(new Error("Request failed with status code 400"), { response: { data: ANSWER } }),
  ];
  const [first, ...others] = given.map((each) => explain(each));
  expect(first?.kind).not.toBe("unknown");
  for (const other of others) expect(other).toEqual(first as never);
});

test("a message of the host is explained in sentences", () => {
  const words = inWords(explain(new Error("HostError: Error(Storage, MissingValue)")));
  expect(words).toContain("ledger entry");
  expect(words).toEndWith(".");
});

test("advice that names a command of svc is plain text, too", () => {
  const explained = explain("NOT_FOUND");
  if (explained.kind !== "codes") throw new Error(explained.kind);
  expect(explained.codes.map(({ remedy }) => typeof remedy)).not.toContain("object");
  const words = inWords(explained);
  expect(words).toContain("run `svc debug` with its hash");
  expect(words).not.toContain("[object");
});

test("what says nothing is not explained", () => {
  for (const nothing of ["", "hello there", undefined, null])
    expect(inWords(explain(nothing))).toBeNull();
});
