// The top of a report: the outcome and the verdict in one line each, the cause and the remedy, and
// what limits or contradicts the verdict.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral } from "../../base/text/neutralise.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Cause, Explanation } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import {
  type Comparison,
  placeOnRecord,
  type Verdict,
  type VerdictKind,
} from "../../model/verdict.ts";
import { caveatGroups } from "./caveat-groups.ts";
import {
  type Block,
  type Head,
  type Item,
  listOf,
  present,
  type Section,
  sentence,
  type Tone,
} from "./document.ts";

const SHOWN_VALUE = 160;
/** Keeps a report readable; --verbose and --json have all caveats. */
const SHOWN_REASONS = 8;
const SHOWN_KEYS = 3;

export const CAUSE_HEADINGS = { known: "Cause", likely: "Cause (likely)" } as const;

export const VERDICT_TONES: Readonly<Record<VerdictKind, Tone>> = {
  exact: "good",
  equivalent: "caution",
  diverged: "bad",
  inconclusive: "caution",
};

export function headOf({ explanation, verdict, classic }: Investigation): Head {
  const why = classic
    ? "this transaction runs nothing in the contract host"
    : "the network refused the transaction before the contract host ran";
  const none = `${why}, so there is nothing to replay. Its result is explained below.`;
  return {
    headline: explanation.headline,
    tone: explanation.success ? "good" : "bad",
    verdict:
      verdict === null
        ? { kind: null, sentence: none, tone: "plain" }
        : {
            kind: verdict.kind,
            sentence: verdictSentence(verdict),
            tone: VERDICT_TONES[verdict.kind],
          },
    body: present(verdict && unconfirmedSentence(verdict), sentence),
  };
}

/** Short enough for one line of a terminal. */
function verdictSentence({ kind, comparisons }: Verdict): string {
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

/** What the verdict takes from a node's answer alone; null when there is nothing, or no claim. */
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

/** `remedy` is drawn after a cause only. */
export function causeSections(
  cause: Cause | null,
  evidence: readonly string[],
  remedy: string | null,
): Section[] {
  const title = CAUSE_HEADINGS[cause?.confidence ?? "known"];
  const body = cause === null ? [] : [sentence(cause.summary), listOf(evidence)];
  return [
    { id: "cause", title, level: "answer", body },
    { id: "remedy", title: "Remedy", level: "answer", body: present(remedy, sentence) },
  ];
}

/** The first difference, and the result codes if they differ too; empty when there is none. */
export function differenceBlocks({ explanation, verdict }: Investigation): Block[] {
  const difference = verdict?.firstDifference ?? null;
  const codes = explanation.resultCodes;
  const ended =
    codes === null || difference?.subject === "operation-result"
      ? []
      : [
          sentence(
            `The result codes differ: ${codes.chain} on chain, ${codes.replay} in the replay.`,
          ),
        ];
  if (verdict === null || difference === null) return ended;
  return [{ kind: "rows", rows: differenceRows(difference, verdict, explanation) }, ...ended];
}

function differenceRows(difference: Comparison, verdict: Verdict, explanation: Explanation) {
  const raw = (value: string | null) => shortened(value ?? "nothing", SHOWN_VALUE);
  const { chain, replay } = explanation.difference ?? {
    chain: raw(difference.chain),
    replay: raw(difference.replay),
  };
  const rows: [string, string][] = [
    ["first difference", nameOf(difference, explanation)],
    [placeOnRecord(difference), chain],
    ["in the replay", replay],
    // The words hide the difference, so the bytes are shown.
    ...(chain === replay
      ? ([
          ["chain bytes", raw(difference.chain)],
          ["replay bytes", raw(difference.replay)],
        ] as [string, string][])
      : []),
    ...present(difference.detail, (detail): [string, string] => ["", detail]),
    ["likely cause", verdict.likelyCause ?? "unknown"],
  ];
  return rows.map(([label, value]) => ({ label, values: [value] }));
}

/** What was compared, with the key or metric it is about. */
export function nameOf({ subject, item }: Comparison, explanation: Explanation): string {
  const what = subject.replaceAll("-", " ");
  return item === null ? what : `${what}: ${explanation.keyNames[item] ?? item}`;
}

export function caveatBlock({ verdict, explanation }: Investigation): Block {
  const groups = verdict === null ? [] : caveatGroups(verdict, explanation);
  const items = groups.map(({ text, subjects }): Item => ({ text, subjects }));
  return listOf(items, { most: SHOWN_REASONS, mostSubjects: SHOWN_KEYS, what: "caveats" });
}

/** Null when the time is beyond what a Date holds. */
export function closedAt({ closeTimeUnixSeconds }: LedgerFacts): string | null {
  const seconds = Number(closeTimeUnixSeconds);
  // A Date holds at most 8.64e12 seconds; a TimePoint can hold more.
  if (seconds >= 8.64e12) return null;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** At most `limit` characters, and the full length if the text was cut. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${cutNeutral(text, limit)}... (${grouped(text.length)} characters)`;
}
