// The functions that explain answers of nodes, logs, envelopes, and all other XDR and wasm.

import { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import { explainAnswer } from "../explain/explain-answer.ts";
import { explainUnknown, UPDATE_FOR_LATER } from "./explain-unknown.ts";
import { explainWasm } from "./explain-wasm.ts";
import { explainXdr } from "./explain-xdr.ts";
import type { AnswerParts } from "./text-to-explain.ts";

export const ANSWER_PARTS: AnswerParts = {
  explainAnswer,
  explainEnvelope,
  explainUnknown,
  explainWasm,
  explainXdr,
  offlineFacts,
  UPDATE_FOR_LATER,
};
