// The top of a report: the outcome and the verdict in one line each, the cause and the remedy, and
// what limits or contradicts the verdict.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral } from "../../base/text/neutralise.ts";
import type { Cause, CauseDetail, Explanation } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { type Comparison, placeOnRecord, type Verdict } from "../../model/verdict.ts";
import { caveatGroups } from "./caveat-groups.ts";
import {
  blocks,
  type Content,
  type Head,
  itemsOf,
  rowsOf,
  type Section,
  section,
} from "./document.ts";

const SHOWN_VALUE = 160;

export const CAUSE_HEADINGS = { known: "Cause", likely: "Cause (likely)" } as const;

const TONES = {
  exact: "good",
  equivalent: "caution",
  diverged: "bad",
  inconclusive: "caution",
} as const;

export function headOf({ explanation, verdict, classic }: Investigation): Head {
  const { headline, success } = explanation;
  const why = classic
    ? "this transaction runs nothing in the contract host"
    : "the network refused the transaction before the contract host ran";
  const none = `${why}, so there is nothing to replay. Its result is explained below.`;
  return {
    headline,
    tone: success ? "good" : "bad",
    verdict:
      verdict === null
        ? { kind: null, sentence: none, tone: "plain" }
        : { kind: verdict.kind, sentence: sentenceOf(verdict), tone: TONES[verdict.kind] },
    body: blocks(verdict && unconfirmedSentence(verdict)),
  };
}

/** Short enough for one line of a terminal. */
function sentenceOf({ kind, comparisons }: Verdict): string {
  const equal = comparisons.filter(({ result }) => result === "equal").length;
  switch (kind) {
    case "exact":
      return `The replay matches the chain in all ${equal} comparisons.`;
    case "equivalent":
      return "The replay matches the chain, with the caveats below.";
    case "diverged":
      return "The replay differs from the chain.";
    default:
      return "svc makes no claim about the replay (see Caveats).";
  }
}

/** The inputs that rest on a node's answer alone; null when there are none, or no claim. */
export function unconfirmedSentence({ kind, unconfirmed }: Verdict): string | null {
  const { entries, settings } = unconfirmed;
  const parts = [
    ...(entries === 0 ? [] : [counted(entries, "entry", "entries")]),
    ...(settings === 0 ? [] : [counted(settings, "network setting")]),
  ];
  if (parts.length === 0 || kind === "inconclusive") return null;
  const are = entries + settings === 1 ? "is as a node reports it" : "are as a node reports them";
  return `${parts.join(" and ")} ${are}; no ledger that was read confirms that.`;
}

const DETAILS = { host: "host-calls", method: "verbose" } as const;

export function causeSections(
  cause: Cause | null,
  evidence: readonly string[],
  remedy: string | null,
  details: readonly CauseDetail[] = [],
): Section[] {
  const title = CAUSE_HEADINGS[cause?.confidence ?? "known"];
  const answer = { level: "answer" } as const;
  const supporting = [
    ...evidence.map((text) => ({ text })),
    ...details.map(({ kind, text }) => ({ text, detail: DETAILS[kind] })),
  ];
  return [
    section("cause", title, cause && [cause.summary, itemsOf("list", supporting)], answer),
    section("remedy", "Remedy", remedy, answer),
  ];
}

/** The first difference, and the result codes if they differ too; empty when there is none. */
export function differenceContent({ explanation, verdict }: Investigation): Content {
  const difference = verdict?.firstDifference ?? null;
  const codes = difference?.subject === "operation-result" ? null : explanation.resultCodes;
  return [
    verdict && difference && rowsOf(differenceRows(difference, verdict, explanation)),
    codes && `The result codes differ: ${codes.chain} on chain, ${codes.replay} in the replay.`,
  ];
}

function differenceRows(difference: Comparison, verdict: Verdict, explanation: Explanation) {
  const bytes = (value: string | null) => shortened(value ?? "nothing", SHOWN_VALUE);
  const raw = { chain: bytes(difference.chain), replay: bytes(difference.replay) };
  const { chain, replay } = explanation.difference ?? raw;
  // Words that are the same hide the difference, so the bytes are shown.
  const isHidden = chain === replay;
  return [
    ["first difference", nameOf(difference, explanation)],
    [placeOnRecord(difference), chain],
    ["in the replay", replay],
    ["chain bytes", isHidden ? raw.chain : null],
    ["replay bytes", isHidden ? raw.replay : null],
    ["", difference.detail],
    ["likely cause", verdict.likelyCause ?? "unknown"],
  ] as const;
}

/** The name of what was compared, with the key or metric that it is about. */
export function nameOf({ subject, item }: Comparison, explanation: Explanation): string {
  const what = subject.replaceAll("-", " ");
  return item === null ? what : `${what}: ${explanation.keyNames[item] ?? item}`;
}

/** Cut in a terminal, so that a report stays readable; --verbose and --json have all. */
export function caveatBlock({ verdict, explanation }: Investigation): Content {
  const limits = { most: 8, mostSubjects: 3, what: "caveats" };
  return verdict && itemsOf("list", caveatGroups(verdict, explanation), limits);
}

/** At most `limit` characters, and the full length if the text was cut. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${cutNeutral(text, limit)}... (${grouped(text.length)} characters)`;
}
