// Explains why a transaction failed: its result codes in plain words and, for a Soroban
// transaction, the first kind of cause that fits. The chain's diagnostics take precedence over the
// replay's.

import { neutralise } from "../../base/text/neutralise.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import { endedWith, resultCodeName } from "../../model/result-code.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ReadRecord } from "../../xdr/envelope/opened-record.ts";
import { endOf, reachedHost } from "../../xdr/outcome/result.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import { withDoubtAboutNode } from "./absent-entries.ts";
import { archivedCause } from "./archived.ts";
import { authorizationCause } from "./authorization.ts";
import { classicCause } from "./classic.ts";
import { assetArgumentCause, interfaceCause, testPanicCause, trapCause } from "./contract-code.ts";
import { contractErrorCause } from "./contract-error.ts";
import { entrySizeCause } from "./entry-size.ts";
import {
  type AbsentByNode,
  type CauseFinder,
  evidenceOf,
  type Failure,
  failedCheckAuth,
  failureInConstructor,
  readFailure,
  type TracedTree,
  withDetails,
} from "./failure.ts";
import { footprintCause } from "./footprint.ts";
import { hostActionCause, hostErrorCause } from "./host-refusal.ts";
import { inputCause } from "./input.ts";
import {
  budgetCause,
  declaredLimitCause,
  refundableFeeCause,
  resourceLimitCause,
} from "./limits.ts";
import { missingEntryCause } from "./missing-entry.ts";
import { refusalCause } from "./refusal.ts";

/**
 * The kinds of causes that a result code identifies, and then those that the error of a trap
 * identifies.
 */
const BY_CODE: readonly CauseFinder[] = [
  archivedCause,
  entrySizeCause,
  resourceLimitCause,
  refundableFeeCause,
];
const BY_ERROR: readonly CauseFinder[] = [
  (failure) => declaredLimitCause(failure),
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
  testPanicCause,
];

/** The results of the earlier stages. */
export interface EarlierResults
  extends TracedTree,
    AbsentByNode,
    Pick<Failure, "snapshot" | "execution" | "lookup"> {
  readonly envelope: Envelope;
}

/** The cause of a transaction, which must have failed. */
export function findCause(read: ReadRecord, known: EarlierResults): CauseFinding {
  const { envelope } = known;
  const { result } = read.chain;
  const classic = envelope.soroban === null;
  if (classic && result.operationResults.length > 0) return classicCause(envelope, result);
  if (classic || !reachedHost(result)) return refusalCause({ ...read, envelope });
  return causeOfOperation(readFailure(read, { ...known, result: endOf(result) }));
}

/** The cause of a Soroban operation that ended with `failure.result`. */
export function causeOfOperation(failure: Failure): CauseFinding {
  const finders = endedWith(failure.result, "trapped") ? BY_ERROR : BY_CODE;
  return firstCause(finders, failureInConstructor(failure));
}

/** The cause of a run that the contract host ended with an error. */
export function causeOfTrap(failure: Failure): CauseFinding {
  return firstCause(BY_ERROR, failureInConstructor(failure));
}

function firstCause(finders: readonly CauseFinder[], failure: Failure): CauseFinding {
  for (const find of finders) {
    const finding = find(failure);
    if (finding !== null) return complete(finding, failure);
  }
  return complete(otherCause(failure), failure);
}

function complete(finding: CauseFinding, failure: Failure): CauseFinding {
  return withDetails(withDoubtAboutNode(withCheckAuth(finding, failure), failure), failure);
}

function withCheckAuth(finding: CauseFinding, failure: Failure): CauseFinding {
  const isLeftOut = CAUSES[finding.kind].isLeftOutUnsigned === true && !failure.simulated;
  const check = isLeftOut ? failedCheckAuth(failure) : null;
  return check === null ? finding : { ...finding, inCheckAuth: neutralise(check.contract ?? "") };
}

/** The cause of a failure that fits no kind: the code or the error in general words. */
function otherCause(failure: Failure): CauseFinding {
  const { result, error } = failure;
  const isTrapped = endedWith(result, "trapped");
  if (isTrapped && error !== null) return hostErrorCause(failure, error);
  return {
    by: "code",
    kind: isTrapped ? "trapped" : "result-code",
    facts: { code: resultCodeName(result) },
    confidence: "known",
    evidence: evidenceOf(failure),
  };
}
