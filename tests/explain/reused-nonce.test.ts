// A nonce that is used twice: by an earlier transaction, or by two entries of the same one.

import { expect, test } from "bun:test";
import { authorizationCause } from "../../src/explain/causes/authorization.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { CauseFinding } from "../../src/explain/words/found-cause.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { readWritten } from "../../src/xdr/reader/written.ts";

const ADDRESS = "GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4";
const VALUE = readWritten("ScVal", { address: ADDRESS });
const CALL = { contract: null, function: null, argumentsXdr: [], calls: [] };

function causeWith(nonces: readonly string[]) {
  const error = { type: "Auth", code: "ExistingValue", contractCode: null };
  const message = "nonce already exists for address";
  const origin = { message, valuesXdr: [VALUE], contract: null, dataXdr: VALUE, error };
  const signed = { address: ADDRESS, expirationLedger: 9, signed: true, signatureXdr: null };
  const authorizations = nonces.map((nonce) => ({ ...signed, nonce, root: CALL }));
  const failure = {
    ...{ error, origin, reports: [origin], call: null, tree: null, execution: null, ledger: 5 },
    ...{ envelope: { authorizations, terms: {} }, lookup: contractLookup([]), absentByNode: [] },
  };
  const found = authorizationCause(failure as never);
  const { cause } = inWords(found as CauseFinding);
  return `${cause.confidence}: ${cause.summary}`;
}

test("by an earlier transaction", () => {
  expect(causeWith(["1", "2"])).toMatch(/^known: .* and an earlier one used this nonce/);
});

test("by another entry of the same transaction", () => {
  expect(causeWith(["1", "1"])).toMatch(
    /^likely: .* another entry of this transaction has the same nonce\.$/,
  );
});
