// Envelopes, other XDR, links and messages of tools, as people paste them.

import { describe, expect, test } from "bun:test";
import { getPublicKey, hashes, sign } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { TOOL_WORDS } from "../../src/explain/host-messages/tool-words.ts";
import { libraryErrors } from "../../src/explain/naming/library-errors.ts";
import { KNOWN_NETWORKS, networkInWords } from "../../src/model/networks.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { readOfflineFacts } from "../../src/xdr/envelope/offline-facts.ts";
import { TOOL_MESSAGES } from "../../src/xdr/outcome/tool-messages.ts";
import { encode, type Value } from "../../src/xdr/reader/value.ts";
import { compareScVals, unorderedKeys } from "../../src/xdr/values/map-order.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { said } from "../support/said.ts";

hashes.sha512 = sha512;
const PASSPHRASES = KNOWN_NETWORKS.map(({ passphrase }) => passphrase);
const seed = (byte: number) => new Uint8Array(32).fill(byte);
const [SOURCE, DESTINATION, STRANGER] = [seed(1), seed(2), seed(3)];
const addressOf = (secret: Uint8Array) => encodeStrkey("account", getPublicKey(secret));

/**
 * A payment of the source to the destination, with the signatures of these keys for the network.
 * `extraSigners`: keys whose signatures its preconditions ask for.
 */
function payment(
  passphrase: string,
  signers: readonly Uint8Array[],
  extraSigners: readonly Uint8Array[] = [],
): string {
  const account = (secret: Uint8Array) => ({ type: 0, ed25519: getPublicKey(secret) }) as const;
  const tx = {
    sourceAccount: account(SOURCE),
    fee: 100,
    seqNum: 101n,
    cond:
      extraSigners.length === 0
        ? { type: 0 }
        : {
            type: 2,
            v2: {
              timeBounds: null,
              ledgerBounds: null,
              minSeqNum: null,
              minSeqAge: 0n,
              minSeqLedgerGap: 0,
              extraSigners: extraSigners.map((secret) => ({
                type: 0,
                ed25519: getPublicKey(secret),
              })),
            },
          },
    memo: { type: 0 },
    operations: [
      {
        sourceAccount: null,
        body: {
          type: 1,
          paymentOp: { destination: account(DESTINATION), asset: { type: 0 }, amount: 1n },
        },
      },
    ],
    ext: { v: 0 },
  } as const;
  const xdr = (signatures: readonly { hint: Uint8Array; signature: Uint8Array }[]) =>
    encode("TransactionEnvelope", { type: 2, v1: { tx, signatures } } as never);
  const hash = Uint8Array.fromHex(openEnvelope(xdr([]), passphrase).hash);
  return xdr(
    signers.map((secret) => ({
      hint: getPublicKey(secret).subarray(-4),
      signature: sign(hash, secret),
    })),
  );
}

const badAuth = (xdr: string) =>
  JSON.stringify({
    status: 400,
    extras: {
      envelope_xdr: xdr,
      result_codes: { transaction: "tx_bad_auth" },
      result_xdr: "AAAAAAAAAGT////6AAAAAA==",
    },
  });

/** The refusal of an envelope with this result. */
const refused = (xdr: string, result: Value<"TransactionResultResult">) =>
  JSON.stringify({
    status: 400,
    extras: {
      envelope_xdr: xdr,
      result_xdr: encode("TransactionResult", { feeCharged: 100n, result, ext: { v: 0 } }),
    },
  });

function answerTo(text: string) {
  const found = explainText({ text, name: "the test" });
  return found.kind === "answers" ? found.answers[0] : undefined;
}

function codeOf(text: string) {
  const found = explainText({ text, name: "the test" });
  return found.kind === "codes" ? found.codes[0] : undefined;
}

describe("an envelope", () => {
  test("proves for which network it was signed, and by whom", () => {
    for (const passphrase of PASSPHRASES)
      for (const [secret, role] of [
        [SOURCE, "the source account"],
        [DESTINATION, "the destination"],
      ] as const) {
        const answer = answerTo(payment(passphrase, [secret]));
        expect(answer?.evidence).toContainEqual(
          `Only ${addressOf(secret)}, ${role}, signed the envelope, for ${networkInWords(passphrase)}.`,
        );
        const { hash } = openEnvelope(payment(passphrase, []), passphrase);
        expect([answer?.hash, answer?.cause]).toEqual([hash, null]);
        expect(said(answer?.remedy)).toContain(
          `svc debug ${hash} --network ${networkInWords(passphrase)}`,
        );
      }
  });

  test("of a network without a name, or with other contents, proves no signature", () => {
    const foreign = payment("A network that nobody knows", [SOURCE]);
    const { signedFor, signings } = readOfflineFacts(foreign, PASSPHRASES);
    expect([signedFor, signings[0]?.signatures]).toEqual([
      [],
      [{ hint: getPublicKey(SOURCE).toHex().slice(-8), by: null, sameHint: [addressOf(SOURCE)] }],
    ]);
    const answer = answerTo(foreign);
    expect(answer?.hash).toBeNull();
    expect(answer?.evidence.join(" ")).toContain(
      "it was made for another network, or for other contents",
    );
  });

  test("with a signature of a key that it does not name says nothing of whose is missing", () => {
    const [passphrase = ""] = PASSPHRASES;
    const words = answerTo(badAuth(payment(passphrase, [STRANGER])))?.cause?.summary ?? "";
    expect(words).toContain("is of a key that the envelope does not name");
    expect(words).not.toContain("has not signed");
  });

  test("beside txBadAuth says who has to sign, or what else can be wrong", () => {
    for (const passphrase of PASSPHRASES) {
      const other = answerTo(badAuth(payment(passphrase, [DESTINATION])));
      expect(other?.cause?.summary).toContain(
        `${addressOf(SOURCE)}, the source account, has not signed the envelope with its own key.`,
      );
      expect(said(other?.remedy)).toStartWith(`Have ${addressOf(SOURCE)} sign it`);
      const own = answerTo(badAuth(payment(passphrase, [SOURCE])));
      expect(own?.cause?.summary).toContain("sent to another network");
      expect(own?.cause?.summary).toContain("too little weight");
    }
  });

  test("with a signature that is for none of the known networks does not lack one", () => {
    const foreign = badAuth(payment("A network that nobody knows", [SOURCE]));
    const answer = answerTo(foreign);
    expect(answer?.cause?.summary).toContain("it was made for another network");
    expect(answer?.cause?.summary).not.toContain("has not signed");
    expect(said(answer?.remedy)).toStartWith(`Have ${addressOf(SOURCE)} sign it again`);
  });

  test("that asks for extra signers can lack one of them", () => {
    const [passphrase = ""] = PASSPHRASES;
    const words = (extra: readonly Uint8Array[]) =>
      answerTo(badAuth(payment(passphrase, [SOURCE], extra)))?.cause?.summary;
    expect(words([STRANGER])).toContain("an extra signer that its preconditions ask for");
    expect(words([])).not.toContain("an extra signer");
  });

  test("with a fault has no other cause than that of its result, if the fault has another result", () => {
    const network = new RecordedNetwork();
    const trapped = { type: 24, invokeHostFunctionResult: { code: -2 } } as const;
    let faulty = 0;
    for (const each of network.transactions) {
      const xdr = String(network.file(each).rpcGetTransaction.result.envelopeXdr);
      const alone = answerTo(xdr)?.cause;
      if (alone?.kind !== "authorization-unsigned") continue;
      faulty += 1;
      expect(
        answerTo(refused(xdr, { code: -1, results: [{ code: 0, tr: trapped }] }))?.cause?.kind,
      ).toBe("authorization-unsigned");
      // txTooLate, txBadSeq, txInsufficientBalance, txInsufficientFee, txMalformed.
      for (const code of [-3, -5, -7, -9, -16] as const) {
        const { cause } = answerTo(refused(xdr, { code })) ?? {};
        expect([code, cause?.kind]).not.toEqual([code, "authorization-unsigned"]);
        expect(cause?.summary).not.toContain(alone.summary);
      }
    }
    expect(faulty).toBeGreaterThan(0);
  });

  test("of every recorded transaction was signed for its network by an account that must sign", () => {
    const network = new RecordedNetwork();
    let valid = 0;
    for (const each of network.transactions) {
      const { envelopeXdr } = network.file(each).rpcGetTransaction.result;
      const facts = readOfflineFacts(String(envelopeXdr), [...PASSPHRASES, network.passphrase]);
      for (const { required, signatures } of facts.signings)
        for (const { by } of signatures) {
          if (by === null) continue;
          expect(by.networkPassphrase).toBe(network.passphrase);
          valid += Number(required.includes(by.address));
        }
    }
    expect(valid).toBeGreaterThan(100);
  });
});

describe("the keys of a map", () => {
  const scval = fc.oneof(
    fc.nat(0xffffffff).map((u32) => ({ type: 3, u32 }) as const),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((i64) => ({ type: 6, i64 }) as const),
    fc
      .stringMatching(/^[a-z_]{1,9}$/)
      .map((text) => ({ type: 15, sym: new TextEncoder().encode(text) }) as const),
  );

  test("are in order exactly when each is less than the next", () => {
    fc.assert(
      fc.property(fc.array(scval, { maxLength: 6 }), (keys) => {
        const entries = keys.map((key) => ({ key, val: { type: 1 } as const }));
        const isOrdered = keys.every((key, i) => {
          const next = keys[i + 1];
          return next === undefined || (compareScVals(key, next) ?? -1) < 0;
        });
        expect(unorderedKeys({ type: 17, map: entries }) === null).toBe(isOrdered);
      }),
    );
  });

  test("are sorted in the maps of every recorded call that ran", () => {
    const network = new RecordedNetwork();
    for (const each of network.transactions) {
      const { envelopeXdr, status } = network.file(each).rpcGetTransaction.result;
      const { unorderedMaps } = readOfflineFacts(String(envelopeXdr), PASSPHRASES);
      if (status === "SUCCESS") expect([each.name, unorderedMaps]).toEqual([each.name, []]);
    }
  });
});

describe("other XDR", () => {
  const map = (...names: readonly string[]) =>
    encode("ScVal", {
      type: 17,
      map: names.map((name) => ({
        key: { type: 15, sym: new TextEncoder().encode(name) },
        val: { type: 3, u32: 1 },
      })),
    } as never);

  test("is named and shown in every writing of its bytes", () => {
    const xdr = map("a", "b");
    const hex = Uint8Array.fromBase64(xdr).toHex();
    const url = xdr.replaceAll("+", "%2B").replaceAll("/", "%2F").replaceAll("=", "%3D");
    for (const text of [xdr, hex, `0x${hex}`, `"${xdr}"`, xdr.replace(/.{20}/g, "$&\n"), url])
      expect(codeOf(text)).toMatchObject({
        kind: "value",
        meaning: "A value of a contract (ScVal): {a: 1, b: 1}.",
      });
  });

  test("that the host would refuse says so", () => {
    expect(codeOf(map("b", "a"))?.meaning).toContain("are not in order (b, a)");
  });

  test("of the footprints and authorizations of the recorded network is named", () => {
    const network = new RecordedNetwork();
    const kinds = new Set<string>();
    for (const each of network.transactions) {
      const { envelopeXdr } = network.file(each).rpcGetTransaction.result;
      const { soroban, authorizationsXdr } = openEnvelope(String(envelopeXdr), "");
      const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
      for (const key of [...readOnly, ...readWrite]) {
        expect(codeOf(key)?.kind).toBe("ledger key");
        kinds.add("key");
      }
      for (const entry of authorizationsXdr) {
        expect(codeOf(entry)?.kind).toBe("authorization entry");
        kinds.add("authorization");
      }
    }
    expect(kinds.size).toBe(2);
  });
});

test("a link of Stellar Lab with XDR in it is read", () => {
  const xdr = payment(PASSPHRASES[0] ?? "", [SOURCE]);
  const written = encodeURIComponent(xdr).replaceAll("%2F", "//");
  const url = `https://lab.stellar.org/xdr/view?$=network$id=testnet;&xdrView$type=TransactionEnvelope;&input=${written}`;
  expect(answerTo(url)?.headline).toContain(addressOf(SOURCE));
});

test("an explorer's number of a transaction is its ledger and its place", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 0x7fffffff }),
      fc.integer({ min: 1, max: 0xfffff }),
      (ledger, order) => {
        const id = (BigInt(ledger) << 32n) | (BigInt(order) << 12n);
        const url = `https://stellar.expert/explorer/public/tx/${id}`;
        expect(codeOf(url)?.meaning).toContain(
          `transaction ${order} in ledger ${ledger} of mainnet`,
        );
      },
    ),
  );
});

describe("what tools say", () => {
  test.each([
    ["parsing argument id: value is not parseable to Some(\n    Address,\n)", "Address"],
    [
      "error: unrecognized subcommand 'mintt'\n\nUsage: stellar contract invoke -- [COMMAND]",
      "no function mintt",
    ],
    ["error: client error (Connect)", "could not reach the node"],
    ["Could not unmarshal transaction", "could not decode the envelope"],
    ["Invalid URL Bring Your Own: https://developers.stellar.org/docs", "no public RPC node"],
    [
      "Error: Secure Store keys are not allowed: additional-libs feature must be enabled",
      "without the parts",
    ],
    ['{"error":{"type":"sac_not_deployed","message":"x"}}', "nobody has deployed it"],
    ["key count (201) exceeds maximum supported (200)", "201 keys at once; the node takes 200"],
    ["Transaction requires signatures from GABC,GDEF. See `needsNonInvokerSigningBy`", "GABC,GDEF"],
    ["You need to restore some contract state before you can invoke this method.", "archived"],
  ])("%s", (text, meaning) => {
    expect(codeOf(text)?.meaning).toContain(meaning);
  });

  test("has words in full sentences, and no row hides another", () => {
    for (const { meaning, ...words } of Object.values(TOOL_WORDS)) {
      const remedy = phraseFor(words.remedy, SHELL);
      expect([meaning, /[.}]$/.test(meaning)]).toEqual([meaning, true]);
      expect([remedy, /^[A-Z`]/.test(remedy), /[.)]$/.test(remedy)]).toEqual([remedy, true, true]);
    }
    const patterns = Object.values(TOOL_MESSAGES).flatMap(({ message }) =>
      [message].flat().map(({ source }) => source),
    );
    expect(new Set(patterns).size).toBe(patterns.length);
  });

  test("of a fact that the text does not have is a gap, and never another fact", () => {
    for (const { meaning, remedy } of Object.values(TOOL_WORDS))
      for (const words of [meaning, said(remedy)]) expect(words).not.toMatch(/\{\d\}/);
  });
});

test("a number of a well-known library has its name, as a supposition", () => {
  expect(libraryErrors(1205)).toContainEqual({
    library: "Blend",
    of: "PoolError",
    name: "InvalidHf",
  });
  expect(codeOf("Error(Contract, #1205)")?.meaning).toContain(
    "If the contract uses Blend, it is InvalidHf (PoolError)",
  );
  // A number that every other contract has, too.
  expect(libraryErrors(10)).toEqual([]);
});
