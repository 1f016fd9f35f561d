// The words of a followed event, in one place: the terminal, webhooks and alerts choose from them.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { causeInWords } from "../../model/explanation.ts";
import type {
  FailureEvent,
  FailureSummaryEvent,
  FollowEvent,
  RehearsalEvent,
  SkippedEvent,
  StateMismatchEvent,
  SuccessEvent,
  VerdictEvent,
} from "../../model/follow.ts";

export interface FollowWords {
  readonly tone: "good" | "bad" | "caution";
  /** The kind of event, above the other parts: `Failed`. */
  readonly title: string;
  /** One line that needs no other: `C….swap failed: InsufficientBalance`. */
  readonly headline: string;
  /** The transaction; null: the event is not about one. */
  readonly hash: string | null;
  /** The contract with its function, and the error; null: the event has neither. */
  readonly subject: string | null;
  /** Sentences, what happened first. */
  readonly sentences: readonly string[];
}

export function followWords(event: FollowEvent): FollowWords {
  switch (event.kind) {
    case "failure":
      return failureWords(event);
    case "failure-summary":
      return summaryWords(event);
    case "state-mismatch":
      return mismatchWords(event);
    case "diverged":
    case "inconclusive":
    case "equivalent":
      return verdictWords(event);
    case "rehearsal":
      return rehearsalWords(event);
    case "success":
      return successWords(event);
    case "ledgers-skipped":
      return skippedWords(event);
  }
}

function failureWords(event: FailureEvent): FollowWords {
  const { hash, error, errorName, count, verdict, fix, sourceAccount, labels, watched } = event;
  const subject = subjectOf(event);
  const often = count === 1 ? "First occurrence." : `Occurred ${grouped(count)} times so far.`;
  return {
    tone: "bad",
    title: "Failed",
    headline: `${subject} failed: ${errorName ?? error}`,
    hash,
    subject: `${subject}: ${errorName === null ? error : `${error} ${errorName}`}`,
    sentences: [
      causeInWords(event),
      ...(event.decidedBy ? [event.decidedBy] : []),
      ...(verdict === null || verdict === "exact" ? [] : [`Verdict: ${verdict}.`]),
      ...(fix === null ? [] : [`Fix: ${fix.summary}`]),
      ...(watched.length === 0 ? [] : [`Watched: ${watched.join(", ")}.`]),
      `Sent by ${labels[sourceAccount] ?? sourceAccount}.`,
      often,
    ],
  };
}

function summaryWords(event: FailureSummaryEvent): FollowWords {
  const { count, total, firstLedger, ledger, examples, errorName, error } = event;
  const { rehearsedProtocol: protocol } = event;
  const subject = subjectOf(event);
  const times = count === 1 ? "once" : `${grouped(count)} times`;
  return {
    tone: "caution",
    title: protocol === null ? "Failed again" : `Differs again under protocol ${protocol}`,
    headline:
      protocol === null
        ? `${subject} failed ${times}: ${errorName ?? error}`
        : `${subject} would differ ${times} under protocol ${protocol}: ${error}`,
    hash: null,
    subject: `${subject}: ${error}`,
    sentences: [
      `${counted(count, "time")} in ledgers ${firstLedger} to ${ledger}, ${grouped(total)} in all.`,
      `Example: ${examples[0] ?? "none"}.`,
      causeInWords(event),
      ...(event.decidedBy ? [event.decidedBy] : []),
    ],
  };
}

function mismatchWords({ mismatch }: StateMismatchEvent): FollowWords {
  const { key, folded, onChain, kind } = mismatch;
  const how = kind === "restored" ? "was restored" : "was read";
  return {
    tone: "bad",
    title: "State mismatch",
    headline: "A ledger entry has another value than earlier ledgers gave it",
    hash: null,
    subject: null,
    sentences: [
      `${key} ${how} with another value than earlier ledgers recorded.`,
      `Earlier ledgers: ${folded ?? "absent"}.`,
      `On chain: ${onChain ?? "absent"}.`,
    ],
  };
}

const VERDICTS = {
  diverged: { tone: "bad", title: "Diverged" },
  inconclusive: { tone: "caution", title: "Inconclusive" },
  equivalent: { tone: "caution", title: "Equivalent" },
} as const;

function verdictWords({ kind, hash, cause, detail }: VerdictEvent): FollowWords {
  return {
    ...VERDICTS[kind],
    headline:
      kind === "diverged"
        ? `A replay differs from the chain: ${cause}`
        : `The verdict of a transaction is ${kind}: ${cause}`,
    hash,
    subject: null,
    sentences: [`${cause}. ${detail}`],
  };
}

function rehearsalWords(event: RehearsalEvent): FollowWords {
  const { protocolVersion, hash, differences, detail } = event;
  const subject = subjectOf(event);
  return {
    tone: "caution",
    title: `Differs under protocol ${protocolVersion}`,
    headline: `${subject} would differ under protocol ${protocolVersion}`,
    hash,
    subject,
    sentences: [`Differences: ${differences.join(", ")}.`, detail],
  };
}

function successWords(event: SuccessEvent): FollowWords {
  const subject = subjectOf(event);
  return {
    tone: "good",
    title: "Succeeded",
    headline: `${subject} succeeded`,
    hash: event.hash,
    subject,
    sentences: [`Verdict: ${event.verdict}.`],
  };
}

function skippedWords({ firstSkipped, lastSkipped }: SkippedEvent): FollowWords {
  return {
    tone: "bad",
    title: "Ledgers not verified",
    headline: `Ledgers ${firstSkipped} to ${lastSkipped} were not verified`,
    hash: null,
    subject: null,
    sentences: [
      `The backlog policy skipped ledgers ${firstSkipped} to ${lastSkipped}, which are too far behind.`,
    ],
  };
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
