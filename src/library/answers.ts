// The part that explains answers of nodes, logs, envelopes and other XDR. `explain` loads it when
// an input is one of them.

import { ANSWER_PARTS } from "../tools/answer-parts.ts";
import type { AnswerParts } from "../tools/text-to-explain.ts";
import { prepareRuntime } from "./runtime.ts";

export function loadedAnswers(): AnswerParts {
  prepareRuntime();
  return ANSWER_PARTS;
}
