// Explains what people paste or save, with everything that svc knows.

import { toolMessageInWords } from "../explain/host-messages/tool-words.ts";
import { ANSWER_PARTS } from "./answer-parts.ts";
import {
  type ExplainedText,
  explainTextWith,
  type RarerParts,
  type TextToExplain,
} from "./explain-text-with.ts";

export { type ExplainedText, listTopic, type TextToExplain } from "./explain-text-with.ts";

const PARTS: RarerParts = {
  answers: () => ANSWER_PARTS,
  toolMessages: toolMessageInWords,
};

/** Explains a text. Throws FILE_INVALID. */
export function explainText(request: TextToExplain): ExplainedText {
  return explainTextWith(PARTS, request);
}
