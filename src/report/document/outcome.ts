// The top of a report: the outcome and the verdict in one line each, the cause and the remedy, and
// what limits or contradicts the verdict.

import { type Audience, phraseFor, SHELL, type Wording } from "../../base/phrase.ts";
import { shortened } from "../../base/text/neutralise.ts";
import { provenSentence, unconfirmedSentence } from "../../model/confirmation.ts";
import type { Cause, CauseDetail, Explanation } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { networkOfRecord } from "../../model/networks.ts";
import { type Comparison, isReproduced, placeOnRecord, type Verdict } from "../../model/verdict.ts";
import { caveatGroups } from "./caveat-groups.ts";
import {
  type Content,
  type Head,
  type Item,
  itemsOf,
  type Link,
  type Row,
  rowsOf,
  type Section,
  section,
  sentence,
} from "./document.ts";
import { madeCallContent, NOT_SENT } from "./made-call.ts";

const SHOWN_VALUE = 160;
/** Characters of the evidence in a short report: about three lines. */
const BRIEF_EVIDENCE = 230;

export const CAUSE_HEADINGS = { known: "Cause", likely: "Cause (likely)" } as const;

const TONES = {
  exact: "good",
  equivalent: "caution",
  diverged: "bad",
  inconclusive: "caution",
} as const;

/** A verdict that limits what follows is above it, any other in the last section. */
export function headOf(investigation: Investigation): Head {
  const { record, explanation, verdict } = investigation;
  const { call } = investigation;
  const place = call === undefined ? `${record.hash} (${networkOfRecord(record)})` : NOT_SENT;
  const isOwn = call !== undefined && verdict !== null && isReproduced(verdict.kind);
  return {
    headline: explanation.headline,
    tone: explanation.success ? "good" : "bad",
    // A replay of a call that svc made is worth a verdict only if it differs.
    ...(!isOwn && {
      verdict: {
        ...judgement(investigation),
        last: verdict === null || isReproduced(verdict.kind),
      },
    }),
    body: [sentence(place, { tone: "faint", detail: "terminal" })],
  };
}

function judgement({ verdict, classic }: Investigation) {
  if (verdict !== null)
    return { kind: verdict.kind, sentence: sentenceOf(verdict), tone: TONES[verdict.kind] };
  const why = classic
    ? "this transaction runs nothing in the contract host."
    : "the network refused the transaction before the contract host ran.";
  return { kind: null, sentence: why, tone: "plain" } as const;
}

/** The verdict in one line. */
export function judgedSentence(investigation: Investigation): string {
  const { kind, sentence: text } = judgement(investigation);
  const about = investigation.whatIf === undefined ? "Verdict" : "Verdict without the overrides";
  return kind === null ? `No verdict: ${text}` : `${about}: ${kind}. ${text}`;
}

/** How far the report can be trusted. */
export function verdictContent(investigation: Investigation, audience: Audience = SHELL): Content {
  const { verdict, whatIf, call } = investigation;
  if (call !== undefined && verdict !== null && isReproduced(verdict.kind))
    return madeCallContent(call, investigation.explanation.keyNames);
  const { tone } = judgement(investigation);
  const judged = judgedSentence(investigation);
  const isAbove = verdict !== null && !isReproduced(verdict.kind);
  const isDone = investigation.explanation.success && whatIf === undefined;
  const unconfirmed = unconfirmedSentence(investigation);
  return [
    isDone &&
      (isAbove
        ? "The transaction succeeded on chain."
        : "Nothing to do: the transaction succeeded."),
    !isAbove && sentence(judged, { tone, detail: "terminal" }),
    unconfirmed && phraseFor(unconfirmed, audience),
    provenSentence(investigation),
    isUnreported(investigation) &&
      "svc got no diagnostic events that show the cause, so the cause is likely, not known.",
  ];
}

/** True if an exact verdict is above a likely cause, which the report then explains. */
function isUnreported({ verdict, explanation }: Investigation): boolean {
  if (verdict === null || !isReproduced(verdict.kind) || explanation.cause?.confidence !== "likely")
    return false;
  return verdict.comparisons.some(
    ({ subject, result }) => subject === "diagnostic-error" && result === "unavailable",
  );
}

/** Short enough for one line of a terminal. */
function sentenceOf({ kind, comparisons }: Verdict): string {
  const equal = comparisons.filter(({ result }) => result === "equal").length;
  switch (kind) {
    case "exact":
      return `The replay matches the chain in all ${equal} comparisons.`;
    case "equivalent":
      return "The replay matches the chain (see Caveats).";
    case "diverged":
      return "The replay differs from the chain.";
    default:
      return "svc makes no claim about the replay (see Caveats).";
  }
}

const DETAILS = { host: "host-calls", method: "verbose" } as const;

/** A sentence that supports a cause, with its links if it has any. */
type SupportingSentence = string | { readonly text: string; readonly links: readonly Link[] };

/** `links` are those of the cause itself. */
export function causeSections(
  cause: Cause | null,
  evidence: readonly SupportingSentence[],
  remedy: Wording | null,
  details: readonly CauseDetail[] = [],
  {
    links,
    brief = briefEvidence(evidence),
    ...more
  }: Pick<Section, "detail"> & Pick<Item, "links"> & { readonly brief?: number | undefined } = {},
): Section[] {
  const title = CAUSE_HEADINGS[cause?.confidence ?? "known"];
  const answer = { level: "answer", ...more } as const;
  const supporting = [
    ...evidence.map((each) => (typeof each === "string" ? { text: each } : each)),
    ...details.map(({ kind, text }) => ({ text, detail: DETAILS[kind] })),
  ];
  return [
    section(
      "cause",
      title,
      cause && [
        sentence(cause.summary, { tone: "alert", links }),
        itemsOf("list", supporting, { brief }),
      ],
      answer,
    ),
    section("remedy", "Remedy", remedy && phraseFor(remedy, SHELL), answer),
  ];
}

/** The first is the most useful. */
function briefEvidence([first = "", second = ""]: readonly SupportingSentence[]): number {
  const lengthOf = (each: SupportingSentence) => textOf(each).length;
  return lengthOf(first) + lengthOf(second) > BRIEF_EVIDENCE ? 1 : 2;
}

function textOf(each: SupportingSentence): string {
  return typeof each === "string" ? each : each.text;
}

/** The first difference, and the result codes if they differ too; empty when there is none. */
export function differenceContent({ explanation, verdict }: Investigation): Content {
  const difference = verdict?.firstDifference ?? null;
  const codes = difference?.subject === "operation-result" ? null : explanation.resultCodes;
  return [
    verdict && difference && rowsOf(differenceRows(difference, verdict, explanation)),
    codes &&
      `The result codes differ: ${codes.chain} on chain, ${codes.replay} in the replay.` +
        (verdict?.kind === "inconclusive"
          ? " An input that the caveats call unknown may be the reason."
          : ""),
  ];
}

function differenceRows(difference: Comparison, verdict: Verdict, explanation: Explanation) {
  const shown = (value: string | null) => shortened(value ?? "nothing", SHOWN_VALUE);
  const raw = { chain: shown(difference.chain), replay: shown(difference.replay) };
  const { chain, replay } = explanation.difference ?? raw;
  // Words that are the same hide the difference, so the bytes are shown.
  const bytes = chain === replay ? [raw.chain, raw.replay] : [];
  const side = (label: string, value: string): Row => ({ label, values: [value], beside: true });
  return [
    ["first difference", nameOf(difference, explanation)],
    side(placeOnRecord(difference), chain),
    side("in the replay", replay),
    ...bytes.map((value, at) => side(["chain bytes", "replay bytes"][at] ?? "", value)),
    ["", difference.detail],
    ["likely cause", verdict.likelyCause ?? "unknown"],
  ] as const;
}

/** The name of what was compared, with the key or metric that it is about. */
export function nameOf({ subject, item }: Comparison, explanation: Explanation): string {
  const subjectName = subject.replaceAll("-", " ");
  return item === null ? subjectName : `${subjectName}: ${explanation.keyNames[item] ?? item}`;
}

/** Cut in a terminal, so that a report stays readable; --verbose and --json have all. */
export function caveatBlock({ verdict, explanation }: Investigation): Content {
  const limits = { brief: 2, most: 8, mostSubjects: 3, noun: ["caveat", "caveats"] } as const;
  return verdict && itemsOf("list", caveatGroups(verdict, explanation), limits);
}
