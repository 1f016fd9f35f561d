// The sources of one run, such as that of `svc debug`: a source that has failed is not asked again.
// The last node of a kind never rests (standing.ts), so each of the dozen questions of a run would
// otherwise ask a dead node several times. Invariants: a node that answers takes no more time than
// without this, and the next run asks a dead node again.

import type { SvcError } from "../base/errors/errors.ts";
import { around, type Question } from "./around.ts";
import { type FetchContext, isFailureOfNode, type Source } from "./source.ts";
import { patienceWith } from "./standing.ts";

export function forOneRun(sources: readonly Source[]): Source[] {
  /** For each node, the reason why it cannot be reached; null if it can be. */
  const greetings = new Map<Source, Promise<SvcError | null>>();
  const greet = (source: Source, anew: boolean, context: FetchContext) => {
    if (greetings.has(source)) return;
    const brief = sources.some((other) => other !== source && mayStandInFor(source, other));
    const greeting = source.greet?.(anew, { ...context, brief });
    if (greeting !== undefined)
      greetings.set(
        source,
        greeting.then(() => null, absenceOf),
      );
  };
  let isBegun = false;
  /** While the first node is asked, the others are asked whether they can be reached. */
  const begin = (first: Source, context: FetchContext) => {
    if (isBegun) return;
    isBegun = true;
    for (const source of sources)
      if (source !== first && source.standing?.failing === false) greet(source, false, context);
  };
  return sources.map((source) => {
    const { standing } = source;
    if (standing === undefined) return source;
    let hasAnswered = false;
    let failure: SvcError | null = null;
    const failures = new Map<Question, SvcError>();
    return around(source, (context, question) => async (ask) => {
      begin(source, context);
      if (standing.failing && !hasAnswered) greet(source, true, context);
      failure ??= (await greetings.get(source)) ?? null;
      const known = hasAnswered ? failures.get(question) : failure;
      if (known !== undefined && known !== null) throw known;
      try {
        const answer = await ask();
        hasAnswered = true;
        return answer;
      } catch (error) {
        const failureOfNode = failureOf(error);
        if (failureOfNode !== null && isAnswer(failureOfNode)) hasAnswered = true;
        else if (failureOfNode !== null && !context.signal.aborted) {
          failure ??= failureOfNode;
          if (patienceWith(failureOfNode) !== null) failures.set(question, failureOfNode);
        }
        throw error;
      }
    });
  });
}

/** True if the node refused the question, or if its answer has a later protocol than svc knows. */
function isAnswer({ code, details }: SvcError): boolean {
  return details.refused === true || code === "PROTOCOL_UNKNOWN";
}

/** Null if the node can be reached, even if its answer is not usable. */
function absenceOf(error: unknown): SvcError | null {
  const failure = failureOf(error);
  return failure !== null && patienceWith(failure) !== null ? failure : null;
}

/** True if the other source has what this one has, as far as svc knows. */
function mayStandInFor({ fetchLedgerEntries }: Source, other: Source): boolean {
  const isThere = other.standing?.failing === false;
  return isThere && (fetchLedgerEntries === undefined || other.fetchLedgerEntries !== undefined);
}

/** Null if the error does not concern the node. */
function failureOf(error: unknown): SvcError | null {
  return isFailureOfNode(error) ? error : null;
}
