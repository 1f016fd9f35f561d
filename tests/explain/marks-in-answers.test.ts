// Marked code in an answer is svc's own, whatever the events of a log contain, and so is it in each
// report that is drawn from it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { phrased, SHELL } from "../../src/base/phrase.ts";
import { codePieces } from "../../src/base/text/code-marks.ts";
import { answersMarkup } from "../../src/report/html/explained.ts";
import { explainText } from "../../src/tools/explain-text.ts";

const hostile = fc
  .array(
    fc.constantFrom("`", "`x`", '\\"', "\\\\", "…", " ", "`svc debug`", "<code>", "]", ", ", "C…"),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""));

function explained(text: string) {
  const log =
    "HostError: Error(Contract, #7)\n\nEvent log (newest first):\n" +
    `   0: [Diagnostic Event] contract:CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC, topics:[error, Error(Contract, #7)], data:["failing with contract error", "${text}"]\n` +
    `   1: [Diagnostic Event] topics:[fn_call, CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC, pay], data:"${text}"\n`;
  const found = explainText({ text: log, name: "the test" });
  const answers = found.kind === "answers" ? found.answers : [];
  return { sentences: phrased(answers, SHELL), page: `${answersMarkup(answers)}` };
}

const sentencesOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(sentencesOf)
    : [];
};
const markedIn = (value: unknown) =>
  sentencesOf(value).flatMap((each) =>
    codePieces(each).flatMap(({ text, isCode }) => (isCode ? text : [])),
  );
const drawnAsCode = (page: string) =>
  [...page.matchAll(/<code>(.*?)<\/code>/g)].map(([, code = ""]) => code);

test("a text in an event marks nothing, and hides no mark of svc", () => {
  const benign = explained("hello");
  const own = markedIn(benign.sentences);
  const drawn = drawnAsCode(benign.page);
  expect(Math.min(own.length, drawn.length)).toBeGreaterThan(0);
  fc.assert(
    fc.property(hostile, (text) => {
      const { sentences, page } = explained(text);
      expect(markedIn(sentences)).toEqual(own);
      expect(drawnAsCode(page)).toEqual(drawn);
    }),
  );
});
