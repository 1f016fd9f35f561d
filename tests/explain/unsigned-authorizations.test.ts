// Which of an address's authorization entries was refused, and for what: a void signature and one
// of another form end with the same error of the host, so the envelope decides what is said.

import { afterAll, expect, test } from "bun:test";
import { findCause } from "../../src/explain/causes/cause.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { withAuthorizations } from "../../src/xdr/envelope/patch-envelope.ts";
import { decode, encode, type Value } from "../../src/xdr/reader/value.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openWalk, recordOf } from "../support/loopback-walk.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

async function recorded(n: number) {
  const found = loopback.network.transactions.find((each) => each.n === n);
  return recordOf(openWalk(loopback), found?.hash ?? "");
}
const UNSIGNED = await recorded(83);
/** Another call, signed in the usual form. */
const SIGNED = await recorded(85);

function entryOf({ envelope }: { readonly envelope: Envelope }) {
  return decode("SorobanAuthorizationEntry", envelope.authorizationsXdr[0] ?? "");
}

function signatureOf(entry: Value<"SorobanAuthorizationEntry">): Value<"ScVal"> {
  if (entry.credentials.type !== 1) throw new Error("not of an address");
  return entry.credentials.address.signature;
}

function signedWith(signature: Value<"ScVal">): string {
  const entry = entryOf(UNSIGNED);
  if (entry.credentials.type !== 1) throw new Error("not of an address");
  const address = { ...entry.credentials.address, signature };
  return encode("SorobanAuthorizationEntry", {
    ...entry,
    credentials: { ...entry.credentials, address },
  });
}

const VOID = UNSIGNED.envelope.authorizationsXdr[0] ?? "";
const OTHER_CALL = SIGNED.envelope.authorizationsXdr[0] ?? "";
const USUAL = signedWith(signatureOf(entryOf(SIGNED)));
const UNUSUAL = signedWith({ type: 3, u32: 1 });

const NOTHING_KNOWN = {
  snapshot: null,
  absentByNode: [],
  execution: null,
  lookup: contractLookup([]),
  tracedTree: null,
};
const NOT_SIGNED = / is not signed\. It is for /;
const FORM = / has signatures in a form that an account does not accept\. It is for /;
const EITHER =
  / is not signed, or it has signatures in a form that an account does not accept\. It is for /;

test.each([
  ["one that is not signed", [VOID], NOT_SIGNED, "known"],
  ["and one for the same call, signed", [USUAL, VOID], NOT_SIGNED, "known"],
  ["and one for another call, signed", [OTHER_CALL, VOID], NOT_SIGNED, "known"],
  ["one in another form", [UNUSUAL], FORM, "known"],
  ["one in another form, and one for another call", [OTHER_CALL, UNUSUAL], FORM, "known"],
  ["one in another form, and one that is not signed", [UNUSUAL, VOID], EITHER, "likely"],
] as const)("%s", (_, entries, summary, confidence) => {
  const envelope = withAuthorizations(UNSIGNED.envelope, entries);
  const facts = { ...NOTHING_KNOWN, envelope };
  const { cause, remedy } = inWords(findCause(UNSIGNED, facts));
  expect(cause?.summary).toMatch(summary);
  expect(cause?.confidence).toBe(confidence);
  expect(remedy).toMatch(summary === FORM ? /^Pass a vector/ : /^Have G\w+ sign the auth/);
});

test("the host's check of a classic account is not reported as an error of the contract", () => {
  const { envelope } = SIGNED;
  const { cause, evidence } = inWords(findCause(SIGNED, { ...NOTHING_KNOWN, envelope }));
  expect(cause.kind).toBe("authorization-wrong-signer");
  expect(evidence.join(" ")).not.toContain("reported Error(Contract, #5)");
});
