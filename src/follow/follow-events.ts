// Makes the events that report what happened in a ledger.

import type { SkippedLedgers } from "../ledgers/feed/ledger-feed.ts";
import type { FailureEvent, FollowEvent, FollowEventFields, Seen } from "../model/follow.ts";
import type { RehearsedTransaction } from "../model/verification.ts";
import type { VerifiedLedger } from "../verify/ledger-verifier.ts";
import type { FailureGroups } from "./group-failures.ts";

export type FollowOutcome = VerifiedLedger<Seen>;

export interface FollowEventOptions {
  readonly network: string;
  readonly windowSeconds: number;
  readonly rehearseProtocol: number | null;
}

/** The events of a ledger in reading order: problems of the chain come first. */
export function eventsOf(
  outcome: FollowOutcome,
  groups: FailureGroups,
  options: FollowEventOptions,
): FollowEvent[] {
  const { sequence: ledger, closeTimeUnixSeconds: unixSeconds } = outcome;
  const { network, windowSeconds, rehearseProtocol } = options;
  const facts = (id: string, alert: boolean): FollowEventFields => {
    return { id, network, ledger, unixSeconds, alert };
  };
  const mismatches = outcome.mismatches.map((mismatch): FollowEvent => {
    const { keyXdr } = mismatch;
    const id = `state-mismatch:${ledger}:${mismatch.kind}:${keyXdr}`;
    return { kind: "state-mismatch", ...facts(id, true), mismatch };
  });
  const verdicts = outcome.transactions
    .flatMap((each) => each.notExact ?? [])
    .map((each): FollowEvent => {
      const { verdict, hash, protocolVersion, cause, detail } = each;
      const kind = verdict === "exact" ? "equivalent" : verdict;
      const event = { hash, protocolVersion, cause, detail };
      return { kind, ...facts(`${kind}:${hash}`, kind === "diverged"), ...event };
    });
  const failures = outcome.seen.flatMap((failure): FailureEvent[] => {
    if (failure.kind !== "failure") return [];
    const { group, count, first } = groups.add(failure, ledger, unixSeconds);
    return [{ ...facts(`failure:${failure.hash}`, first), group, count, ...failure }];
  });
  const differences = differencesIn(outcome).map((difference): FollowEvent => {
    const protocolVersion = rehearseProtocol ?? 0;
    const group = {
      watched: [],
      contract: difference.contract,
      function: difference.function,
      cause: `rehearsal of protocol ${protocolVersion}`,
      error: difference.differences.join(", "),
      condition: null,
    };
    const summary = `Under protocol ${protocolVersion} the transaction would differ in: ${group.error}.`;
    const failed = {
      ...group,
      summary,
      confidence: "known" as const,
      errorName: null,
      decidedBy: null,
      hash: difference.hash,
      rehearsedProtocol: protocolVersion,
    };
    const { first } = groups.add(failed, ledger, unixSeconds);
    return {
      kind: "rehearsal",
      ...facts(`rehearsal:${difference.hash}`, first),
      protocolVersion,
      ...difference,
    };
  });
  const successes = outcome.seen.flatMap((success): FollowEvent[] =>
    success.kind === "success" ? [{ ...facts(`success:${success.hash}`, false), ...success }] : [],
  );
  const summaries = summariesAt(groups, { network, ledger, unixSeconds, windowSeconds }, false);
  return [...mismatches, ...verdicts, ...failures, ...differences, ...successes, ...summaries];
}

function differencesIn({ transactions }: FollowOutcome): RehearsedTransaction[] {
  return transactions.flatMap(({ rehearsed }) => (rehearsed?.differences.length ? rehearsed : []));
}

/** The summaries of windows that ended. `final` includes every open window. */
export function summariesAt(
  groups: FailureGroups,
  at: Pick<FollowEvent, "network" | "ledger" | "unixSeconds"> & { readonly windowSeconds: number },
  final: boolean,
): FollowEvent[] {
  const { windowSeconds, ...facts } = at;
  return groups.endWindows(at.ledger, at.unixSeconds, final).map(({ window, ...state }) => {
    const id = `failure-summary:${state.group}:${window.ledger}`;
    const { count, examples, ledger: firstLedger } = window;
    const event = { ...facts, ...state, id, alert: true, windowSeconds, count, examples };
    // A state that an earlier svc saved does not have it.
    const rehearsedProtocol = state.rehearsedProtocol ?? null;
    return { kind: "failure-summary" as const, ...event, firstLedger, rehearsedProtocol };
  });
}

export function skippedEvent({ first, last }: SkippedLedgers, network: string): FollowEvent {
  return {
    kind: "ledgers-skipped",
    id: `ledgers-skipped:${first}:${last}`,
    network,
    ledger: last,
    unixSeconds: 0,
    alert: true,
    firstSkipped: first,
    lastSkipped: last,
  };
}
