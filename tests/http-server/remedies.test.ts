// A client of the daemon has no command line: no remedy of an error over HTTP names a flag or a
// command of svc. tests/support/daemon.ts checks every error that the other tests provoke.

import { describe, expect, test } from "bun:test";
import { type ErrorCode, SvcError } from "../../src/base/errors/errors.ts";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { errorBody } from "../../src/http-server/routes/json-answer.ts";
import { transactionNotFound } from "../../src/ledgers/transaction-not-found.ts";
import { requestInvalid } from "../../src/simulator/simulator-error.ts";
import type { Source } from "../../src/sources/source.ts";
import { FOR_COMMAND_LINE } from "../support/daemon.ts";

const CODES = Object.keys(CATALOGUE) as ErrorCode[];

const remedyOf = (error: SvcError) => errorBody(error).remedy;

describe("the remedy over HTTP", () => {
  for (const code of CODES)
    test(`of ${code}`, () => {
      const remedy = CATALOGUE[code].advice;
      expect(remedyOf(new SvcError(code, { message: "", remedy }))).not.toMatch(FOR_COMMAND_LINE);
    });

  test("names the network that has the transaction", async () => {
    const source: Source = { name: "horizon", fetchTransaction: async () => ({}) as never };
    const context = { signal: new AbortController().signal };
    const elsewhere = [{ network: "mainnet", source }];
    const error = await transactionNotFound("ab".repeat(32), [], elsewhere, context);
    expect(error.remedy).toContain("--network mainnet");
    expect(remedyOf(error)).toBe("Send the request to a daemon of mainnet.");
    const unknown = await transactionNotFound("ab".repeat(32), [], [], context);
    expect(remedyOf(unknown)).not.toMatch(FOR_COMMAND_LINE);
  });

  test("names the required field of a request", () => {
    const error = requestInvalid([{ field: "envelope_xdr", problem: "is missing" }]);
    expect(remedyOf(error)).toContain("Only envelope_xdr is required");
    expect(remedyOf(error)).not.toContain("result_meta_xdr");
  });
});
