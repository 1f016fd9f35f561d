// Explains what people paste or save, with everything that svc knows.

import { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import { explainAnswer } from "../explain/explain-answer.ts";
import { toolMessageInWords } from "../explain/host-messages/tool-words.ts";
import {
  type ExplainedText,
  explainTextWith,
  type RarerParts,
  type TextToExplain,
} from "./explain-text-with.ts";

export { type ExplainedText, listTopic, type TextToExplain } from "./explain-text-with.ts";

const PARTS: RarerParts = {
  answers: () => ({ explainAnswer, explainEnvelope, offlineFacts }),
  toolMessages: toolMessageInWords,
};

/** Explains a text. Throws FILE_INVALID. */
export function explainText(request: TextToExplain): ExplainedText {
  return explainTextWith(PARTS, request);
}
