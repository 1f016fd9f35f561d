// Only svc marks code in its sentences: whatever somebody else wrote stands in a sentence, the marked
// code is that of svc.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { codePieces, withoutCodeMarks } from "../../src/base/text/code-marks.ts";
import { addressesIn, byShortAddresses } from "../../src/base/text/found-by-form.ts";
import { neutralInSentence, quotedText } from "../../src/base/text/neutralise.ts";
import { ADDRESS_KINDS, encodeStrkey, shortStrkey } from "../../src/base/text/strkey.ts";
import { readTokenMetadata } from "../../src/xdr/contract/token-metadata.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { describeKey, showValue } from "../../src/xdr/values/value.ts";

const address = encodeStrkey("contract", new Uint8Array(32).fill(7));
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("`", "``", '"', "\\", "…", " ", "`svc debug x`", '"`', '`"', "\u202e", "$&"),
      fc.constantFrom(address, shortStrkey(address), "0x", "\\u{60}", "\\u{22}", "\n"),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
/** Code that svc marks. A value for a command can have quotes. */
const own = fc.constantFrom("svc debug HASH", "--override-argument a='{\"u32\":1}'", "amount");
const bytes = (text: string) => new TextEncoder().encode(text);

/** Each way in which a sentence contains text that somebody else wrote. */
const PLACES: readonly ((text: string) => string)[] = [
  (text) => quotedText(text),
  (text) => quotedText(text, 12),
  (text) => neutralInSentence(text),
  (text) => showValue(encode("ScVal", { type: SCV.string, str: bytes(text) })),
  (text) => showValue(encode("ScVal", { type: SCV.symbol, sym: bytes(text).slice(0, 32) }), 9),
  (text) => {
    const str = encode("ScVal", { type: SCV.string, str: bytes(text) });
    return showValue(vectorOf([str, str, str]), 20);
  },
  (text) => {
    const accountId = { type: 0, ed25519: new Uint8Array(32) } as const;
    const dataName = bytes(text).slice(0, 64);
    return describeKey(encode("LedgerKey", { type: 3, data: { accountId, dataName } }));
  },
  (text) => symbolOf(text),
];

test("no text of others opens, closes or hides a mark", () => {
  fc.assert(
    fc.property(hostile, hostile, own, own, fc.nat(), (one, other, first, second, at) => {
      const place = PLACES[at % PLACES.length] ?? quotedText;
      const sentence = `${place(one)} with \`${first}\` of ${place(other)}: \`${second}\`.`;
      const pieces = codePieces(sentence);
      expect(pieces.filter(({ isCode }) => isCode).map(({ text }) => text)).toEqual([
        first,
        second,
      ]);
      expect(pieces.map(({ text, isCode }) => (isCode ? `\`${text}\`` : text)).join("")).toBe(
        sentence,
      );
      expect(withoutCodeMarks(sentence)).toBe(
        `${place(one)} with ${first} of ${place(other)}: ${second}.`,
      );
    }),
    { numRuns: 2_000 },
  );
});

test("pieces are the whole text, whatever it is, and code and texts take turns", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const pieces = codePieces(text);
      expect(pieces.map((each) => (each.isCode ? `\`${each.text}\`` : each.text)).join("")).toBe(
        text,
      );
      pieces.forEach(({ isCode }, at) => {
        expect(isCode).toBe(at % 2 === 1);
      });
      expect(
        byShortAddresses(text)
          .map((each) => each.text)
          .join(""),
      ).toBe(text);
    }),
  );
});

test("an address is found by its form, whoever wrote it, and nothing else is", () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(...ADDRESS_KINDS), (text, kind) => {
      const size = { "claimable-balance": 33, muxed: 40, "muxed-contract": 40 } as const;
      const length = kind in size ? size[kind as keyof typeof size] : 32;
      const other = encodeStrkey(kind, new Uint8Array(length));
      const around = text.replaceAll(address, "");
      expect(addressesIn(`${around} ${other}, ${around}`)).toEqual([other]);
    }),
  );
});

function vectorOf(elementsXdr: readonly string[]): string {
  const count = elementsXdr.length;
  const head = new Uint8Array([0, 0, 0, SCV.vec, 0, 0, 0, 1, 0, 0, 0, count]);
  const parts = [head, ...elementsXdr.map((each) => Uint8Array.fromBase64(each))];
  return Uint8Array.from(parts.flatMap((each) => [...each])).toBase64();
}

/** The symbol that a token's contract gives itself. */
function symbolOf(text: string): string {
  const field = (name: string, val: object) => ({
    key: { type: SCV.symbol, sym: bytes(name) },
    val,
  });
  const map = [
    field("decimal", { type: SCV.u32, u32: 7 }),
    field("symbol", { type: SCV.string, str: bytes(text) }),
  ];
  const storage = [field("METADATA", { type: SCV.map, map })];
  const instance = { executable: { type: 0, wasmHash: new Uint8Array(32) }, storage };
  const contractData = {
    ext: { v: 0 },
    contract: { type: 1, contractId: new Uint8Array(32) },
    key: { type: SCV.instanceKey },
    durability: 1,
    val: { type: SCV.instance, instance },
  };
  const entry = { lastModifiedLedgerSeq: 1, data: { type: 6, contractData }, ext: { v: 0 } };
  return readTokenMetadata(encode("LedgerEntry", entry as never))?.symbol ?? "";
}
