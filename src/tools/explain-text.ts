// Explains what people paste or save, with everything that svc knows.

import { toolMessageInWords } from "../explain/host-messages/tool-words.ts";
import type { ExplainedText } from "../model/node-answer.ts";
import { ANSWER_PARTS } from "./answer-parts.ts";
import { explainTextWith } from "./explain-text-with.ts";
import type { RarerParts, TextToExplain } from "./text-to-explain.ts";

const PARTS: RarerParts = {
  answers: () => ANSWER_PARTS,
  toolMessages: toolMessageInWords,
};

/** Explains a text. Throws FILE_INVALID. */
export function explainText(request: TextToExplain): ExplainedText {
  return explainTextWith(PARTS, request);
}
