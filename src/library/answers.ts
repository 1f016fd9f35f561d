// What explains answers of nodes, logs and envelopes. `explain` loads it when an input is one.

import { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import { explainAnswer } from "../explain/explain-answer.ts";
import type { RarerParts } from "../tools/explain-text-with.ts";
import { prepareRuntime } from "./runtime.ts";

export function loadedAnswers(): ReturnType<RarerParts["answers"]> {
  prepareRuntime();
  return { explainAnswer, explainEnvelope, offlineFacts };
}
