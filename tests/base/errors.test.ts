// An error that another sentence can name is written as a clause, and its message is that clause
// with a full stop.

import { expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { decode } from "../../src/xdr/reader/value.ts";

test("a clause is the message without its full stop", () => {
  const remedy = "Check that the data is complete.";
  const { clause, message, words } = new SvcError("XDR_INVALID", { clause: "it ends", remedy });
  expect([clause, message, words.message]).toEqual(["it ends", "it ends.", "it ends."]);
});

test("an error that is said in sentences is no clause", () => {
  const fields = { message: "It ends. More follows.", remedy: "Read on." };
  expect(new SvcError("XDR_INVALID", fields).clause).toBeNull();
});

test("every way in which XDR cannot be read has a clause", () => {
  const ledgerKeyOfUnknownType = new Uint8Array([0, 0, 1, 0]).toBase64();
  for (const xdr of ["AAAA", "not base64", ledgerKeyOfUnknownType, "AAAAAQAAAAEAAAAB"]) {
    let error: unknown = null;
    try {
      decode("LedgerKey", xdr);
    } catch (cause) {
      error = cause;
    }
    if (!(error instanceof SvcError)) throw new Error(`${xdr} was read`);
    expect(error.clause).not.toBeNull();
    expect(error.message).toBe(`${error.clause}.`);
  }
});
