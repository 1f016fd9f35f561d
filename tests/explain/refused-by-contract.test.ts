// An account's contract that refuses an entry without a signature with an error of its own.

import { expect, test } from "bun:test";
import { refusedAuthorization } from "../../src/explain/causes/refused-authorization.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { AuthorizationFacts } from "../../src/xdr/envelope/authorizations.ts";
import { readWritten } from "../../src/xdr/reader/written.ts";

const ACCOUNT = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
const ENTRY = { signed: false, expirationLedger: 9, signatureXdr: null, root: {} };

function causeWith(error: object) {
  const valuesXdr = [readWritten("ScVal", { address: ACCOUNT }), readWritten("ScVal", { error })];
  const message = "failed account authentication with error";
  const origin = { message, valuesXdr, contract: null, dataXdr: "", error: {} };
  const failure = { origin, reports: [origin], call: null, tree: null, ledger: 5, envelope: {} };
  const own = [ENTRY] as unknown as AuthorizationFacts[];
  const found = refusedAuthorization(failure as never, ACCOUNT, own);
  return inWords({ by: "authorization", ...found, evidence: [] });
}

test("its own error is the cause, not the signature that it need not have", () => {
  const { cause, remedy } = causeWith({ contract: 7 });
  expect(cause.kind).toBe("authorization-refused");
  expect(cause.summary).toContain("own authorization check with Error(Contract, #7)");
  expect(remedy).toContain("The entry has no signature");
});

test("where its check could not read the signature, there is none", () => {
  const { cause } = causeWith({ value: "unexpected_type" });
  expect(cause.kind).toBe("authorization-unsigned");
});
