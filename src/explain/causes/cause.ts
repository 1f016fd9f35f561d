// Why a transaction failed: its result codes in plain words and, for a Soroban transaction, the
// first kind of cause that fits. The chain's diagnostics have priority over the replay's.

import { neutralise } from "../../base/text/neutralise.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import { endedWith, resultCodeName } from "../../model/result-code.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ReadRecord } from "../../xdr/envelope/opened-record.ts";
import { endOf, reachedHost } from "../../xdr/outcome/result.ts";
import { operationCodeInWords, operationCodeRemedy } from "../naming/operation-codes.ts";
import { transactionCodeInWords, transactionCodeRemedy } from "../naming/transaction-codes.ts";
import { asTheNodeShows } from "./absent-entries.ts";
import { archivedCause } from "./archived.ts";
import { authorizationCause } from "./authorization.ts";
import { classicCause } from "./classic.ts";
import { assetArgumentCause, interfaceCause, trapCause } from "./contract-code.ts";
import { contractErrorCause } from "./contract-error.ts";
import { entrySizeCause } from "./entry-size.ts";
import {
  type AbsentByNode,
  beneathConstructor,
  type CauseFacts,
  type CauseFinder,
  evidenceOf,
  type Failure,
  failedCheckAuth,
  readFailure,
  type TracedTree,
  withoutRepetition,
} from "./failure.ts";
import { footprintCause } from "./footprint.ts";
import { hostActionCause, hostErrorCause } from "./host-refusal.ts";
import { inputCause } from "./input.ts";
import { budgetCause, refundableFeeCause, resourceLimitCause } from "./limits.ts";
import { missingEntryCause } from "./missing-entry.ts";
import { refusalCause } from "./refusal.ts";

/** Kinds of cause that a result code identifies; then those that the error of a trap identifies. */
const BY_CODE: readonly CauseFinder[] = [
  archivedCause,
  entrySizeCause,
  resourceLimitCause,
  refundableFeeCause,
];
const BY_ERROR: readonly CauseFinder[] = [
  contractErrorCause,
  footprintCause,
  authorizationCause,
  missingEntryCause,
  budgetCause,
  inputCause,
  interfaceCause,
  assetArgumentCause,
  hostActionCause,
  trapCause,
];

/** The results of the earlier stages. */
export interface Known
  extends TracedTree,
    AbsentByNode,
    Pick<Failure, "snapshot" | "execution" | "lookup"> {
  readonly envelope: Envelope;
}

/** The transaction must have failed. */
export function findCause(read: ReadRecord, known: Known): CauseFacts {
  const { envelope } = known;
  const { result } = read.chain;
  const classic = envelope.soroban === null;
  if (classic && result.operationResults.length > 0) return classicCause(envelope, result);
  if (classic || !reachedHost(result)) return refusalCause({ ...read, envelope });
  return causeOfOperation(readFailure(read, { ...known, result: endOf(result) }));
}

/** The cause of a Soroban operation that ended with `failure.result`. */
export function causeOfOperation(failure: Failure): CauseFacts {
  const finders = endedWith(failure.result, "trapped") ? BY_ERROR : BY_CODE;
  return firstCause(finders, beneathConstructor(failure));
}

/** The cause of a run that the contract host ended with an error. */
export function causeOfTrap(failure: Failure): CauseFacts {
  return firstCause(BY_ERROR, beneathConstructor(failure));
}

function firstCause(finders: readonly CauseFinder[], failure: Failure): CauseFacts {
  for (const find of finders) {
    const found = find(failure);
    if (found !== null) return inFull(found, failure);
  }
  return inFull(otherCause(failure), failure);
}

function inFull(found: CauseFacts, failure: Failure): CauseFacts {
  return asTheNodeShows(withoutRepetition(ofCheckAuth(found, failure), failure), failure);
}

function ofCheckAuth(found: CauseFacts, failure: Failure): CauseFacts {
  const { cause } = found;
  const isLeftOut = CAUSES[cause.kind].isLeftOutUnsigned === true && !failure.simulated;
  const check = isLeftOut ? failedCheckAuth(failure) : null;
  if (check === null) return found;
  const account = neutralise(check.contract ?? "");
  const summary = `${cause.summary} It failed in \`__check_auth\` of ${account}, which checks a signature.`;
  const remedy =
    "Simulate the transaction with its signed authorization entries in it (`svc simulate` with the " +
    "signed envelope). A simulation without signatures does not run `__check_auth`, so its footprint " +
    "and resources are too small each time.";
  return { ...found, cause: { ...cause, summary }, remedy };
}

/** For a failure that fits no kind of cause: the code or the error in general words. */
function otherCause(failure: Failure): CauseFacts {
  const { result, error } = failure;
  const isTrapped = endedWith(result, "trapped");
  if (isTrapped && error !== null) return hostErrorCause(failure, error);
  const code = resultCodeName(result);
  const evidence = evidenceOf(failure);
  if (isTrapped) {
    const summary = `The contract call trapped (${code}); the node reported no diagnostics.`;
    return { cause: { kind: "trapped", summary, confidence: "known" }, evidence, remedy: null };
  }
  const words = operationCodeInWords(code) ?? transactionCodeInWords(code) ?? "it failed";
  const summary = `${code}: ${words}.`;
  const remedy = operationCodeRemedy(code) ?? transactionCodeRemedy(code);
  return { cause: { kind: "result-code", summary, confidence: "known" }, evidence, remedy };
}
