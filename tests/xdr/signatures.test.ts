// Signatures added to envelopes of any shape: the bytes of the transaction do not change, and every
// field of it can be shown.

import { describe, expect, test } from "bun:test";
import { Account, Contract, TransactionBuilder } from "@stellar/stellar-sdk";
import { ScVal, SorobanAuthorizationEntry, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import {
  readGivenAuthorizations,
  viewAuthorizations,
} from "../../src/debugger/sign/sign-authorizations.ts";
import { signEnvelope } from "../../src/debugger/sign/sign-envelope.ts";
import { verifyEnvelope } from "../../src/debugger/sign/verify-envelope.ts";
import { viewEnvelope } from "../../src/debugger/sign/view-envelope.ts";
import { authorizationsDocument, signingDocument } from "../../src/report/document/signing-view.ts";
import { drawText } from "../../src/report/text/draw.ts";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { failureIn } from "../support/failure.ts";
import { softwareSigner } from "../support/software-signer.ts";
import { arbitraryOf } from "../support/xdr-arbitrary.ts";

const NETWORK = "Test SDF Network ; September 2015";
const ALICE = softwareSigner("alice");
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const { schema } = TransactionEnvelope;
const envelopes = arbitraryOf({ schema }).map((value) =>
  Buffer.from(schema.encode(value as Parameters<typeof schema.encode>[0])),
);

const CONTRACT = new Contract("CBBUDP6VSLFXH32DJF67KVDOMLVYBW3VTM6LS4FTHSZU54LFNWB6PT2J");
/** Calls, since few random envelopes are one. */
const calls = fc
  .array(arbitraryOf({ schema: ScVal.schema }), { minLength: 1, maxLength: 3 })
  .map((values) => {
    const encoded = values.map((value) => ScVal.schema.encode(value as never));
    try {
      return Buffer.from(callOf(...encoded.map((each) => ScVal.fromXdr(each))).xdr, "base64");
    } catch {
      // The SDK refuses addresses that the host refuses.
      return Buffer.alloc(0);
    }
  })
  .filter(({ length }) => length > 0);

function callOf(...values: ScVal[]): Envelope {
  const transaction = new TransactionBuilder(new Account(ALICE.address, "1"), {
    fee: "100",
    networkPassphrase: NETWORK,
  })
    .addOperation(CONTRACT.call("pay", ...values))
    .setTimeout(0)
    .build();
  return openEnvelope(transaction.toXDR(), NETWORK);
}

describe("any envelope", () => {
  test("gets one valid signature after the existing ones", () => {
    fc.assert(
      fc.property(envelopes, (bytes) => {
        const before = openEnvelope(bytes.toString("base64"), NETWORK);
        const { envelopeXdr, added } = signEnvelope(before, ALICE);
        const signed = openEnvelope(envelopeXdr, NETWORK);
        expect(signed.hash).toBe(before.hash);
        const { signatures: list } = signed.terms;
        expect([added, list.slice(0, -1)]).toEqual([true, [...before.terms.signatures]]);
        const judged = verifyEnvelope(signed, [ALICE.address]);
        const outer = judged.filter(({ transaction }) => transaction === "outer");
        expect(outer.at(-1)).toMatchObject({ signer: ALICE.address, holds: true });
        // The same for another reader.
        expect(Buffer.from(TransactionEnvelope.fromXdr(envelopeXdr, "base64").toXdr())).toEqual(
          Buffer.from(envelopeXdr, "base64"),
        );
        expect(signEnvelope(signed, ALICE)).toMatchObject({
          envelopeXdr,
          added: false,
        });
      }),
      { numRuns: 200 },
    );
  });

  test("is shown completely, without control characters", () => {
    fc.assert(
      fc.property(envelopes, (bytes) => {
        const view = viewEnvelope(openEnvelope(bytes.toString("base64"), NETWORK), []);
        const text = drawText(signingDocument(view, "testnet"), { color: false });
        expect(UNSAFE.test(text)).toBe(false);
        expect(text).toContain(view.hash);
        for (const { kind } of view.operations) expect(text).toContain(`  ${kind}`);
      }),
      { numRuns: 200 },
    );
  });
});

describe("what is signed is what is shown", () => {
  test("two envelopes with different hashes never look the same", () => {
    fc.assert(
      fc.property(fc.oneof(envelopes, calls), fc.nat(), fc.nat(7), (bytes, place, bit) => {
        const other = Buffer.from(bytes);
        other[place % other.length] = (other[place % other.length] ?? 0) ^ (1 << bit);
        const [one, two] = [opened(bytes), opened(other)];
        fc.pre(one !== null && two !== null && one.hash !== two.hash);
        expect(shown(one as Envelope)).not.toBe(shown(two as Envelope));
      }),
      { numRuns: 1000 },
    );
  }, 60_000);

  test("two entries with different payloads never look the same", () => {
    const { schema: entrySchema } = SorobanAuthorizationEntry;
    const entries = arbitraryOf({ schema: entrySchema }).map((value) =>
      Buffer.from(entrySchema.encode(value as Parameters<typeof entrySchema.encode>[0])),
    );
    const wanted = { networkPassphrase: NETWORK, address: null, validUntilLedger: null };
    const lines = (bytes: Buffer) => {
      try {
        const given = readGivenAuthorizations(bytes.toString("base64"), NETWORK, "the entry");
        return given.envelope === null
          ? drawText(
              authorizationsDocument(viewAuthorizations(given, wanted, []), NETWORK, "testnet"),
              { color: false },
            )
          : null;
      } catch {
        return null;
      }
    };
    fc.assert(
      fc.property(entries, fc.nat(), fc.nat(7), (bytes, place, bit) => {
        const other = Buffer.from(bytes);
        other[place % other.length] = (other[place % other.length] ?? 0) ^ (1 << bit);
        const [one, two] = [lines(bytes), lines(other)];
        fc.pre(one !== null && two !== null);
        expect(one).not.toBe(two);
      }),
      { numRuns: 600 },
    );
  }, 60_000);

  test("an argument is shown to its last byte and its deepest level, with its type", () => {
    const deep = Array.from({ length: 40 }).reduce<ScVal>(
      (inside) => ScVal.scvVec([inside]),
      ScVal.scvU32(7),
    );
    const bytes = Buffer.alloc(300, 1);
    bytes[200] = 0xab;
    const text = shown(callOf(ScVal.scvBytes(bytes), deep, ScVal.scvString(Buffer.from([0xff]))));
    expect(text).toContain(bytes.toString("hex"));
    expect(text).toContain(`${"[".repeat(40)}7_u32${"]".repeat(40)}`);
    expect(text).toContain("0xff");
    expect(text).not.toContain("…");
    expect(text).not.toContain("\ufffd");
  });
});

function opened(bytes: Buffer): Envelope | null {
  try {
    const envelope = openEnvelope(bytes.toString("base64"), NETWORK);
    return envelope.decoded && envelope;
  } catch {
    return null;
  }
}

/** Without the line that has the hash. */
function shown(envelope: Envelope): string {
  const document = signingDocument(viewEnvelope(envelope, []), "testnet");
  const text = drawText(document, { color: false });
  return text.replaceAll(envelope.hash, "");
}

test("twenty signatures are the maximum", async () => {
  const [envelope = Buffer.alloc(0)] = fc.sample(envelopes, { numRuns: 1, seed: 1 });
  let signed = openEnvelope(envelope.toString("base64"), NETWORK);
  const room = 20 - signed.terms.signatures.length;
  for (let i = 0; i < room; i += 1)
    signed = openEnvelope(signEnvelope(signed, softwareSigner(`key ${i}`)).envelopeXdr, NETWORK);
  expect(signed.terms.signatures.length).toBe(20);
  const error = await failureIn(() => signEnvelope(signed, ALICE));
  expect([error.code, error.message.includes("20 signatures")]).toEqual(["FILE_INVALID", true]);
});
