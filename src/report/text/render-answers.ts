// What a code or a node's answer means, for people.

import type { AnswerExplanation, CodeExplanation } from "../../model/node-answer.ts";
import { wrap } from "./layout.ts";
import { CAUSE_HEADINGS } from "./outcome.ts";
import type { TextOptions } from "./render-text.ts";
import { openStyle, type Style } from "./style.ts";

export function renderCodeText({ code, kind, meaning, remedy }: CodeExplanation): string {
  const lines = [
    ...wrap(`${code} (${kind})`),
    "",
    ...wrap(meaning, "What it means: "),
    ...wrap(remedy, "What to do:    "),
  ];
  return `${lines.join("\n")}\n`;
}

export function renderAnswersText(
  answers: readonly AnswerExplanation[],
  { color }: TextOptions,
): string {
  const style = openStyle(color);
  return `${answers.map((answer) => answerLines(answer, style).join("\n")).join("\n\n")}\n`;
}

function answerLines(answer: AnswerExplanation, style: Style): string[] {
  const { headline, hash, resultCodes, cause, evidence, remedy } = answer;
  const paint = cause === null ? style.good : style.bad;
  const lines = wrap(headline).map(paint);
  if (hash !== null) lines.push(...wrap(hash, "  hash    "));
  if (resultCodes.length > 0) lines.push(...wrap(resultCodes.join(", "), "  result  "));
  if (cause !== null) {
    lines.push("", style.heading(CAUSE_HEADINGS[cause.confidence]), ...wrap(cause.summary, "  "));
    for (const sentence of evidence) lines.push(...wrap(sentence, "  - "));
  }
  if (remedy !== null) lines.push("", style.heading("Remedy"), ...wrap(remedy, "  "));
  return lines;
}
