// The one place that says a cause: a finding → the cause with its summary, the sentences of its
// evidence, and the remedy. Whoever learns more of a cause changes its facts and says them again.

import type { CauseKind } from "../../model/cause-kinds.ts";
import type { Cause, CauseDetail } from "../../model/explanation.ts";
import { authorizationWords } from "./authorization-words.ts";
import {
  absentEntryWords,
  argumentCountWords,
  assetErrorWords,
  hostErrorWords,
  inputWords,
  misfitWords,
  ownErrorWords,
  refusalWords,
  reportedWords,
  trapWords,
  unknownFunctionWords,
} from "./contract-words.ts";
import { evidenceInWords } from "./evidence-words.ts";
import { footprintWords } from "./footprint-words.ts";
import {
  type CauseFinding,
  type CauseWords,
  type FoundBy,
  type FoundCause,
  isSameCause,
  isSupposition,
} from "./found-cause.ts";
import {
  archivedWords,
  budgetWords,
  emptyCodeWords,
  entrySizeWords,
  limitWords,
  networkLimitsWords,
  networkLimitWords,
  refundableFeeWords,
  unknownLimitWords,
} from "./limit-words.ts";
import { codeWords, internalWords, operationsWords, refusedWords } from "./result-words.ts";

/** A cause in words. */
export interface CauseFacts {
  readonly cause: Cause;
  readonly evidence: readonly string[];
  readonly remedy: string | null;
  readonly details?: readonly CauseDetail[];
  /** The remedy is for a failure of which nothing is known to have decided. */
  readonly isLastResort?: true;
  /** Sentences of the evidence that count if nothing is known to have decided. */
  readonly suppositions?: readonly string[];
  /** It may rest on what the node left out. */
  readonly byNode?: true;
  /** The summary if the deciding value is known, which says the rest better. */
  readonly beforeDecision?: string;
  /** What is likely for the state that it rests on stays likely, whatever decided on that state. */
  readonly restsOnLikelyState?: true;
  /** Sentences of these that are words of others, as they stand in the answer; absent: none are. */
  readonly reported?: readonly string[];
  /** The facts that are said here; absent: only these words are known. */
  readonly finding?: CauseFinding;
}

type Words = { readonly [By in FoundCause["by"]]: (found: FoundBy<By>) => CauseWords };

const WORDS: Words = {
  "own-error": ownErrorWords,
  "asset-error": assetErrorWords,
  trap: trapWords,
  misfit: misfitWords,
  "unknown-function": unknownFunctionWords,
  "argument-count": argumentCountWords,
  refusal: refusalWords,
  "host-error": hostErrorWords,
  footprint: footprintWords,
  authorization: authorizationWords,
  "absent-entry": absentEntryWords,
  limit: limitWords,
  "unknown-limit": unknownLimitWords,
  budget: budgetWords,
  "refundable-fee": refundableFeeWords,
  "entry-size": entrySizeWords,
  "network-limit": networkLimitWords,
  "network-limits": networkLimitsWords,
  "empty-code": emptyCodeWords,
  reported: reportedWords,
  archived: archivedWords,
  input: inputWords,
  internal: internalWords,
  code: codeWords,
  operations: operationsWords,
  refused: refusedWords,
};

/** The finding in words. */
export function inWords(
  finding: CauseFinding,
  details: readonly CauseDetail[] | null = null,
): CauseFacts {
  const { kind, confidence, inCheckAuth, byNode } = finding;
  // The table has a row for each way to find a cause, with its facts.
  const say = WORDS[finding.by] as (found: FoundCause) => CauseWords;
  const { summary, remedy, beforeDecision, isLastResort } = say(finding);
  const suppositions = finding.evidence.filter(isSupposition).map(evidenceInWords);
  const isOfCheck = inCheckAuth !== undefined;
  const reported = [
    ...(finding.by === "reported" && finding.facts.error === null ? [summary] : []),
    ...finding.evidence.filter(({ kind: each }) => each === "reported-line").map(evidenceInWords),
  ];
  return {
    cause: {
      kind: kind satisfies CauseKind,
      summary: isOfCheck
        ? `${summary} It failed in \`__check_auth\` of ${inCheckAuth}, which checks a signature.`
        : summary,
      confidence,
      ...keysOf(finding),
    },
    evidence: finding.evidence.map(evidenceInWords),
    remedy: isOfCheck ? SIMULATE_SIGNED : remedy,
    ...(details !== null && { details }),
    ...(isLastResort && { isLastResort }),
    ...(suppositions.length > 0 && { suppositions }),
    ...(reported.length > 0 && { reported }),
    ...(byNode && { byNode }),
    // What came of a left-out entry is not said with more certainty because the code shows how.
    ...(beforeDecision !== undefined && !byNode && { beforeDecision }),
    finding,
  };
}

/** Both are the same cause, whatever their evidence. */
export function isOneCause(
  { finding }: Pick<CauseFacts, "finding">,
  other: Pick<CauseFacts, "finding">,
): boolean {
  return (
    finding !== undefined && other.finding !== undefined && isSameCause(finding, other.finding)
  );
}

/** For `stale-simulation` and `stale-close-time`. */
function keysOf(found: FoundCause): Pick<Cause, "keys"> {
  const isStale = found.by === "footprint" && found.kind !== "footprint-miss";
  const keys = isStale ? found.facts.neighbor?.keys : undefined;
  return keys === undefined ? {} : { keys };
}

const SIMULATE_SIGNED =
  "Simulate the transaction with its signed authorization entries in it (`svc simulate` with the " +
  "signed envelope). A simulation without signatures does not run `__check_auth`, so its footprint " +
  "and resources are too small each time.";
