// Explains the parts of a node's answer that a text has, or says why they cannot be read.

import { SvcError } from "../base/errors/errors.ts";
import type { AnswerExplanation, NodeAnswer } from "../model/node-answer.ts";
import { NEWEST_PROTOCOL } from "../model/protocols.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import { isUnknownXdr } from "../xdr/reader/shape.ts";
import type { BesideText } from "./text-to-explain.ts";

/** Explains an answer. XDR that cannot be decoded is damaged, or of a later protocol. */
export function explainGiven(
  answer: NodeAnswer,
  { name, contract = null, parts }: BesideText,
): AnswerExplanation {
  const { explainAnswer, UPDATE_FOR_LATER } = parts.answers();
  try {
    return explainAnswer(answer, contract, parts.toolMessages);
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    if (isUnknownXdr(cause))
      throw new SvcError("PROTOCOL_UNKNOWN", {
        message:
          `${name} has XDR that no protocol up to ${NEWEST_PROTOCOL} has: ${cause.message}` +
          readablePartsOf(answer),
        remedy: UPDATE_FOR_LATER,
        cause,
      });
    throw new SvcError("FILE_INVALID", {
      message: `${name} has XDR that cannot be decoded: ${cause.message}`,
      remedy: "Pass the node's answer as it was received, complete.",
      cause,
    });
  }
}

/** A sentence with the readable parts of an answer; empty if there are none. */
function readablePartsOf(answer: NodeAnswer): string {
  const { hash, status, ledger, resultXdr, envelopeXdr } = answer;
  const ifRead = (read: () => string): string[] => {
    try {
      return [read()];
    } catch (error) {
      if (error instanceof SvcError) return [];
      throw error;
    }
  };
  const parts = [
    ...(hash === null ? [] : [`transaction ${hash}`]),
    ...(status === null ? [] : [`status ${status}`]),
    ...(ledger === null ? [] : [`ledger ${ledger}`]),
    ...(resultXdr === null ? [] : ifRead(() => `result ${readTransactionResult(resultXdr).code}`)),
    ...(envelopeXdr === null
      ? []
      : ifRead(() => `source account ${openEnvelope(envelopeXdr, "").sourceAccount}`)),
  ];
  return parts.length === 0 ? "" : ` The rest of the answer shows: ${parts.join(", ")}.`;
}
