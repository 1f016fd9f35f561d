// The first sentence of a cause is known when it is worded: no text that it quotes ends it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { quotedText, SHOWN_QUOTE } from "../../src/base/text/neutralise.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { CauseFinding } from "../../src/explain/words/found-cause.ts";

/** Texts of others, with ends and beginnings of sentences in them. */
const foreign = fc
  .tuple(fc.string(), fc.constantFrom(". It", "! No", "? add(", ". `x`", ""), fc.string())
  .map((parts) => parts.join(""));
const found = { confidence: "known", evidence: [] } as const;

test("a comment of the contract does not end the sentence that quotes it", () => {
  fc.assert(
    fc.property(foreign, fc.boolean(), (doc, hasLast) => {
      const call = { contract: null, function: "a", argumentsXdr: [], whole: "a()", short: "`a`" };
      const facts = {
        call,
        contract: null,
        returned: true,
        number: 7,
        names: ["Seven"],
        doc,
        numberOf: "specification" as const,
        miss: null,
        last: hasLast ? { call, returned: "1" } : null,
      };
      const said = inWords({ by: "own-error", kind: "contract-error", facts, ...found });
      const quoted = doc === "" ? "" : `, ${quotedText(doc, SHOWN_QUOTE)}`;
      expect(said.firstSentence).toBe(`a() returned Seven${quoted} (Error(Contract, #7)).`);
      expect(said.cause.summary).toStartWith(said.firstSentence);
      expect(said.cause.summary === said.firstSentence).toBe(!hasLast);
    }),
  );
});

test("the words of a node are one sentence, and the place of a signature is a second one", () => {
  fc.assert(
    fc.property(foreign, fc.boolean(), (text, isInCheck) => {
      const facts = { text, error: null, ofNetwork: false } as const;
      const inCheck = isInCheck ? { inCheckAuth: "C" } : {};
      const finding = { by: "reported", kind: "request-refused", facts, ...found, ...inCheck };
      const said = inWords(finding as CauseFinding);
      expect(said.firstSentence).toBe(text);
      expect(said.cause.summary === text).toBe(!isInCheck);
    }),
  );
});
