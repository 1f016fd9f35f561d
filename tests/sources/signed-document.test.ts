import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson, type JsonValue } from "../../src/base/text/canonical-json.ts";
import {
  readDocument,
  type SvcDocument,
  signDocument,
  verifyDocument,
} from "../../src/sources/files/signed-document.ts";
import { failureIn } from "../support/failure.ts";
import { softwareSigner } from "../support/software-signer.ts";

const ALICE = softwareSigner("alice");
const BOB = softwareSigner("bob");
const DOCUMENT: SvcDocument = { format: 1, b: [1, { z: null, a: "é\u2028" }], a: "x" };

test("canonical JSON is as RFC 8785 has it", () => {
  // The example of RFC 8785, section 3.2.3: members sorted by UTF-16 units.
  const members = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\u0080": 6, ö: 7 };
  expect(canonicalJson(members)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  expect(canonicalJson({ b: [1e21, 0.5, -0, true, null], a: '\u0001"' })).toBe(
    '{"a":"\\u0001\\"","b":[1e+21,0.5,0,true,null]}',
  );
});

test("canonical JSON does not depend on the order of members, and has the same content", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as JsonValue);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});

test("a signature survives blanks and another order of members", () => {
  const signed = signDocument(DOCUMENT, ALICE);
  const reordered = Object.fromEntries(Object.entries(signed).reverse());
  const read = readDocument(JSON.stringify(reordered, null, 7), "x");
  expect(verifyDocument(read, "x")).toEqual([ALICE.address]);
});

test("several sign the same; who signs again replaces what was theirs", () => {
  const both = signDocument(signDocument(DOCUMENT, ALICE), BOB);
  expect(verifyDocument(both, "x")).toEqual([ALICE.address, BOB.address]);
  expect(verifyDocument(signDocument(both, ALICE), "x")).toEqual([BOB.address, ALICE.address]);
  expect(verifyDocument(DOCUMENT, "x")).toEqual([]);
});

test("any change makes the signature invalid", async () => {
  const signed = signDocument(DOCUMENT, ALICE);
  const other = signDocument({ ...DOCUMENT, a: "y" }, ALICE);
  const changed: SvcDocument[] = [
    { ...signed, a: "y" },
    { ...signed, more: null },
    { ...signed, b: [1, { z: null, a: "é" }] },
    { ...signed, signatures: other.signatures ?? null },
    { ...signed, signatures: [{ signer: BOB.address, signature: signatureOf(signed) }] },
  ];
  for (const document of changed) {
    const error = await failureIn(() => verifyDocument(document, "some.json"));
    expect([error.code, error.message.includes("some.json")]).toEqual(["SIGNATURE_INVALID", true]);
  }
});

test("a file that is not a document of svc is refused", async () => {
  const signatures = [{ signer: "G", signature: "" }];
  for (const text of ["{", "[]", "{}", JSON.stringify({ format: 1, signatures })]) {
    const error = await failureIn(() => readDocument(text, "some.json"));
    expect(error.code).toBe("FILE_INVALID");
  }
});

function signatureOf({ signatures }: SvcDocument): string {
  const [first] = signatures as unknown as { signature: string }[];
  return first?.signature ?? "";
}
