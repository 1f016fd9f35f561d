// Explains why an envelope would fail unchanged although its simulation succeeded: the network
// enforces the footprint, the resources and the fee that it declares, and a simulation ignores them
// (stellar-core: TransactionFrame::commonValidPreSeqNum, then the operation itself).

import { phrase, type Wording } from "../base/phrase.ts";
import type { Execution } from "../model/execution.ts";
import { endedWith, resultCodeName, transactionCode } from "../model/result-code.ts";
import type { SendingRefusal } from "../model/simulation.ts";
import { isNonceKey } from "../xdr/contract/key-typed.ts";
import { readOperationResult } from "../xdr/outcome/result.ts";
import { causeOfRun, type Ran } from "./causes/cause-of-run.ts";
import { type SendingState, sendingRefusalOf, validityFacts } from "./sending.ts";
import { checkValidity } from "./validity/check-validity.ts";
import { inWords } from "./words/cause-words.ts";

/** An envelope that declares its resources, with its run on the state that a node reported. */
export interface RanAsDeclared extends Ran {
  readonly execution: Execution;
}

export interface FoundRefusal {
  readonly refusal: SendingRefusal;
  /** True if the footprint, the resources or the fee decide, not the call or its authorizations. */
  readonly isDeclared: boolean;
  /** True if the run needed more of a resource than it declares. */
  readonly isOverLimit: boolean;
  /** The remedy for the cause alone; null if there is none. */
  readonly remedy: Wording | null;
}

/**
 * The refusal of an envelope; null if it succeeds. `how` is the beginning of the sentence about the
 * run.
 */
export function refusalAsDeclared(
  ran: RanAsDeclared,
  state: SendingState,
  how: "With the declared resources" | "With the simulated resources",
): FoundRefusal | null {
  const { envelope, snapshot, execution } = ran;
  const { outcome, operationResultXdr, fees } = execution;
  const resourceCostStroops = BigInt(fees.nonRefundableStroops);
  const broken = checkValidity({ ...validityFacts(envelope, state), resourceCostStroops });
  const declared = broken.find(({ rule }) => rule.subject === "declared");
  if (declared !== undefined)
    return {
      refusal: sendingRefusalOf(declared),
      isDeclared: true,
      isOverLimit: false,
      remedy: declared.rule.remedy ?? null,
    };
  if (outcome.kind === "success") return null;
  const absent = snapshot.entries.flatMap(({ keyXdr, entryXdr }) =>
    entryXdr === null && !isNonceKey(keyXdr) ? [keyXdr] : [],
  );
  const { cause, remedy } = inWords(causeOfRun(ran, execution, absent));
  const result = operationResultXdr
    ? readOperationResult(operationResultXdr)
    : transactionCode("txInternalError");
  const detail = `${how} the transaction would fail: ${cause.summary}`;
  const type = execution.hostError?.type;
  const isDeclared = endedWith(result, "trapped")
    ? type === "Storage" || type === "Budget"
    : operationResultXdr !== null;
  const { confidence } = cause;
  return {
    refusal: { code: resultCodeName(result), detail, confidence },
    isDeclared,
    isOverLimit: endedWith(result, "resourceLimitExceeded"),
    remedy,
  };
}

/**
 * The refusal with a remedy. `simulated` is the refusal of the same envelope with the footprint,
 * the resources and the fee of its simulation. These do not always suffice: a simulation declares
 * no write bytes for an entry that a caught error rolled back, but the network counts them.
 */
export function withRemedy(
  { refusal, isOverLimit, remedy }: FoundRefusal,
  simulated: FoundRefusal | null,
): SendingRefusal {
  const next =
    simulated === null
      ? "Declare the footprint, the resources and the fee of this simulation, and sign it again."
      : isOverLimit || remedy === null
        ? "The simulated resources are not enough either. Declare the amounts that were used."
        : remedy;
  return { ...refusal, detail: phrase`${refusal.detail} ${next}` };
}
