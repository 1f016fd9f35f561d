// An event in one line, and in a few sentences, for people who read alerts.

import { cutVisibly } from "../../base/text/neutralise.ts";
import { causeInWords } from "../../model/explanation.ts";
import type { FailureSummaryEvent, FollowEvent } from "../../model/follow.ts";

const LONGEST_TEXT = 1000;

export function headlineOf(event: FollowEvent): string {
  switch (event.kind) {
    case "failure":
      return `${subjectOf(event)} failed: ${event.errorName ?? event.error}`;
    case "failure-summary":
      return summaryHeadline(event);
    case "diverged":
      return `A replay differs from the chain: ${event.cause}`;
    case "inconclusive":
    case "equivalent":
      return `The verdict of a transaction is ${event.kind}: ${event.cause}`;
    case "state-mismatch":
      return "A ledger entry has another value than earlier ledgers gave it";
    case "rehearsal":
      return `${subjectOf(event)} would differ under protocol ${event.protocolVersion}`;
    case "success":
      return `${subjectOf(event)} succeeded`;
    case "ledgers-skipped":
      return `Ledgers ${event.firstSkipped} to ${event.lastSkipped} were not verified`;
  }
}

export function textOf(event: FollowEvent): string {
  return cutVisibly(sentencesOf(event).join(" "), LONGEST_TEXT);
}

function sentencesOf(event: FollowEvent): string[] {
  const where = `Ledger ${event.ledger}, ${event.network}.`;
  switch (event.kind) {
    case "failure": {
      const { fix, watched, hash, decidedBy } = event;
      const fixed = fix === null ? [] : [`Fix: ${fix.summary}`];
      const names = watched.length === 0 ? [] : [`Watched: ${watched.join(", ")}.`];
      const decided = decidedBy ? [decidedBy] : [];
      return [causeInWords(event), ...decided, ...fixed, ...names, where, `Transaction ${hash}.`];
    }
    case "failure-summary": {
      const { examples, firstLedger, total, decidedBy } = event;
      const span = `Ledgers ${firstLedger} to ${event.ledger}, ${event.network}.`;
      const example = `Example: ${examples[0] ?? "none"}.`;
      const decided = decidedBy ? [decidedBy] : [];
      return [span, `${total} in all.`, example, causeInWords(event), ...decided];
    }
    case "diverged":
    case "inconclusive":
    case "equivalent":
      return [event.detail, where, `Transaction ${event.hash}.`];
    case "state-mismatch": {
      const { key, folded, onChain } = event.mismatch;
      return [
        `${key}.`,
        `Earlier ledgers: ${folded ?? "absent"}.`,
        `On chain: ${onChain ?? "absent"}.`,
        where,
      ];
    }
    case "rehearsal":
      return [
        `Differences: ${event.differences.join(", ")}.`,
        event.detail,
        where,
        `Transaction ${event.hash}.`,
      ];
    case "success":
      return [`Verdict: ${event.verdict}.`, where, `Transaction ${event.hash}.`];
    case "ledgers-skipped":
      return ["The backlog policy skips ledgers that are too far behind.", where];
  }
}

function summaryHeadline(event: FailureSummaryEvent): string {
  const { rehearsedProtocol: protocol, count, errorName, error } = event;
  const times = count === 1 ? "once" : `${count} times`;
  return protocol === null
    ? `${subjectOf(event)} failed ${times}: ${errorName ?? error}`
    : `${subjectOf(event)} would differ ${times} under protocol ${protocol}: ${error}`;
}

function subjectOf(event: {
  readonly contract: string | null;
  readonly function: string | null;
  readonly labels?: Readonly<Record<string, string>>;
}): string {
  const { contract, function: name, labels = {} } = event;
  const subject = contract === null ? "A transaction" : (labels[contract] ?? contract);
  return name === null ? subject : `${subject}.${name}`;
}
