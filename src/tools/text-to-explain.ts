// A text to explain, and the parts of svc that only some texts need.

import type { ToolMessages } from "../explain/codes-within.ts";
import type { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import type { explainAnswer, KnownContract } from "../explain/explain-answer.ts";
import type { nativeErrorIn, readNativeEvents } from "../xdr/outcome/native-events.ts";
import type { readPrintedLiteral } from "../xdr/outcome/printed-literals.ts";
import type { explainLogs } from "./explain-logs.ts";
import type { explainUnknown, UPDATE_FOR_LATER } from "./explain-unknown.ts";
import type { explainWasm } from "./explain-wasm.ts";
import type { explainXdr } from "./explain-xdr.ts";

export interface TextToExplain {
  readonly text: string;
  /** The bytes of the text, if they may be a binary file. */
  readonly bytes?: Uint8Array;
  /** The name of the input, for errors. */
  readonly name: string;
  /** The contract whose errors the text contains. */
  readonly contract?: KnownContract | null;
}

/** The functions that explain answers, envelopes, and other XDR and wasm. */
export interface AnswerParts {
  readonly explainAnswer: typeof explainAnswer;
  readonly explainEnvelope: typeof explainEnvelope;
  readonly explainLogs: typeof explainLogs;
  readonly explainUnknown: typeof explainUnknown;
  readonly explainWasm: typeof explainWasm;
  readonly explainXdr: typeof explainXdr;
  readonly nativeErrorIn: typeof nativeErrorIn;
  readonly offlineFacts: typeof offlineFacts;
  readonly readNativeEvents: typeof readNativeEvents;
  readonly readPrintedLiteral: typeof readPrintedLiteral;
  readonly UPDATE_FOR_LATER: typeof UPDATE_FOR_LATER;
}

/** The parts that only some texts need. */
export interface RarerParts {
  /** Explains answers of nodes, logs, envelopes, and all other XDR and wasm. */
  readonly answers: () => AnswerParts;
  /** The messages of tools. They are asked for last, when nothing else explains a text. */
  readonly toolMessages: ToolMessages;
}

/** The facts that an explanation has besides the text. */
export interface BesideText extends Omit<TextToExplain, "text" | "bytes"> {
  readonly parts: RarerParts;
}
