// The functions that explain answers of nodes, logs, envelopes, and all other XDR and wasm.

import { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import { explainAnswer } from "../explain/explain-answer.ts";
import { nativeErrorIn, readNativeEvents } from "../xdr/outcome/native-events.ts";
import { readPrintedLiteral } from "../xdr/outcome/printed-literals.ts";
import { explainLogs } from "./explain-logs.ts";
import { explainUnknown, UPDATE_FOR_LATER } from "./explain-unknown.ts";
import { explainWasm } from "./explain-wasm.ts";
import { explainXdr } from "./explain-xdr.ts";
import type { AnswerParts } from "./text-to-explain.ts";

export const ANSWER_PARTS: AnswerParts = {
  explainAnswer,
  explainEnvelope,
  explainLogs,
  explainUnknown,
  explainWasm,
  explainXdr,
  nativeErrorIn,
  offlineFacts,
  readNativeEvents,
  readPrintedLiteral,
  UPDATE_FOR_LATER,
};
