// Signatures added to envelopes of any shape: the bytes of the transaction do not change, and every
// field of it can be shown.

import { describe, expect, test } from "bun:test";
import { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { signEnvelope } from "../../src/debugger/sign/sign-envelope.ts";
import { verifyEnvelope } from "../../src/debugger/sign/verify-envelope.ts";
import { viewEnvelope } from "../../src/debugger/sign/view-envelope.ts";
import { renderSigningView } from "../../src/report/text/signing-view.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
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
        const text = renderSigningView(view, "testnet");
        expect(UNSAFE.test(text)).toBe(false);
        expect(text).toContain(view.hash);
        for (const { kind } of view.operations) expect(text).toContain(`  ${kind}`);
      }),
      { numRuns: 200 },
    );
  });
});

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
