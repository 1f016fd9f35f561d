// Explains what people paste or programs catch. Nothing is fetched, and nothing runs.

import "./standard.ts";

import { type Audience, type Phrased, phrased, SHELL } from "../base/phrase.ts";
import type { AnswerExplanation, CodeExplanation } from "../model/node-answer.ts";
import { type ExplainedText, explainText } from "../tools/explain-text.ts";
import { prepareRuntime } from "./runtime.ts";

export type { AnswerExplanation, CodeExplanation, Explained as ExplainedText };
export { explainCaught as explain, sentencesOf as inWords };

/** The explanation as plain data. Its remedies name the commands of svc. */
type Explained = Phrased<ExplainedText>;

/**
 * Explains an error, a code, a log, an envelope, or an answer of a node: a text, an Error as an SDK
 * throws it, or a parsed answer.
 */
function explainCaught(input: unknown): Explained {
  return explainFor(input, SHELL);
}

/** The same, with remedies for another audience. */
export function explainFor(input: unknown, audience: Audience): Explained {
  prepareRuntime();
  return phrased(explainText({ text: textOf(input), name: "The text" }), audience);
}

/** What it means and what to do, in a few sentences; null if there is nothing to explain. */
function sentencesOf(explained: Explained): string | null {
  if (explained.kind === "unknown") return null;
  const sentences =
    explained.kind === "codes"
      ? explained.codes.flatMap(({ meaning, remedy }) => [meaning, remedy])
      : explained.answers.flatMap(({ headline, cause, remedy }) => [
          headline,
          cause?.summary,
          remedy,
        ]);
  const said = sentences.flatMap((each) => each || []);
  return [...new Set(said)].map((each) => (/[.!?]$/.test(each) ? each : `${each}.`)).join(" ");
}

/** What an SDK throws has the answer of the node in it, which says more than the message. */
function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  const { response, message } = (input ?? {}) as {
    response?: { data?: unknown };
    message?: unknown;
  };
  if (response?.data !== undefined) return written(response.data);
  return typeof message === "string" ? message : written(input);
}

function written(value: unknown): string {
  if (typeof value === "string") return value;
  const plain = (_: string, each: unknown) => (typeof each === "bigint" ? `${each}` : each);
  return JSON.stringify(value, plain) ?? "";
}
