// Explains a text with the logs of several failures: each by itself, in the order of the text.

import type { AnswerExplanation, ExplainedText } from "../model/node-answer.ts";
import { logsOfText } from "../xdr/outcome/printed-logs.ts";

const MOST_LOGS = 8;

/** Null if the text has one log, or if all are of the same failure. */
export function explainLogs(
  text: string,
  explainLog: (log: string) => ExplainedText | null,
): ExplainedText | null {
  const logs = logsOfText(text);
  if (logs.length === 1) return null;
  const answers = new Map<string, AnswerExplanation>();
  for (const log of logs.slice(0, MOST_LOGS)) {
    const explained = explainLog(log);
    if (explained?.kind !== "answers") return null;
    for (const answer of explained.answers)
      answers.set(JSON.stringify([answer.cause, answer.evidence]), answer);
  }
  return answers.size < 2 ? null : { kind: "answers", answers: [...answers.values()] };
}
