import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SorobanAuthorizationEntry } from "@stellar/stellar-sdk/xdr";
import { decodeCapsule } from "../../src/sources/files/capsule.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { withAuthorizations } from "../../src/xdr/envelope/patch-envelope.ts";
import { withSourceAuthorization } from "../../src/xdr/envelope/source-authorization.ts";

const file = join(import.meta.dir, "../../examples/write-bytes-too-low.capsule.json");
const { envelope } = decodeCapsule(await Bun.file(file).text());
const bare = withAuthorizations(envelope, []);
const contract = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
const outer = { contract, function: "outer", argumentsXdr: ["AAAAAwAAAAU="] };
const inner = { contract, function: "inner", argumentsXdr: [] };
const other = { contract, function: "other", argumentsXdr: [] };

/** Throws when there is no value. */
function allowing(envelope: Envelope, ...path: Parameters<typeof withSourceAuthorization>[1]) {
  const patched = withSourceAuthorization(envelope, path);
  if (patched === null) throw new Error("nothing was added");
  return patched;
}

describe("an authorization by the source account", () => {
  test("is a new entry if no call above it is allowed", () => {
    const [first, second, ...more] = allowing(allowing(bare, outer), other).authorizations;
    expect([first?.address, first?.root]).toEqual([null, { ...outer, calls: [] }]);
    expect(second?.root).toEqual({ ...other, calls: [] });
    expect(more).toEqual([]);
  });

  test("is added below the nearest call that is already allowed", () => {
    const nested = allowing(allowing(bare, outer), outer, inner);
    const deeper = allowing(nested, outer, other, inner, other);
    const [only, ...more] = deeper.authorizations;
    const calls = [{ ...inner, calls: [{ ...other, calls: [] }] }];
    expect(only?.root).toEqual({ ...outer, calls });
    expect(more).toEqual([]);
  });

  test("is not added twice at the root, and not endlessly below it", () => {
    const once = allowing(bare, outer);
    expect(withSourceAuthorization(once, [outer])).toBeNull();
    let patched: Envelope | null = once;
    let times = 0;
    while (patched !== null && times < 10) {
      patched = withSourceAuthorization(patched, [outer, inner]);
      times += 1;
    }
    expect(times).toBe(4);
  });

  test("is not part of another address's entry", () => {
    const [entry = ""] = allowing(bare, outer).authorizationsXdr;
    const { schema } = SorobanAuthorizationEntry;
    const { rootInvocation } = schema.decode(Uint8Array.fromBase64(entry));
    const signed = schema.encode({
      credentials: {
        type: 1,
        address: {
          address: { type: 1, contractId: new Uint8Array(32) },
          nonce: 1n,
          signatureExpirationLedger: 9,
          signature: { type: 1 },
        },
      },
      rootInvocation,
    });
    const theirs = withAuthorizations(bare, [signed.toBase64()]);
    expect(allowing(theirs, outer).authorizations.map(({ address }) => address)).toEqual([
      expect.stringMatching(/^C/),
      null,
    ]);
    expect(allowing(theirs, outer, inner).authorizations.length).toBe(2);
  });

  test("does not exist for an address that is not a contract", () => {
    expect(withSourceAuthorization(bare, [{ ...outer, contract: "GARBAGE" }])).toBeNull();
    expect(withSourceAuthorization(bare, [])).toBeNull();
  });
});
