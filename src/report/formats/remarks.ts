// The remarks of a finding for a pipeline, the most severe first, the same in every format.

import { phraseFor, SHELL } from "../../base/phrase.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import { withFullStop } from "../../base/text/sentence.ts";
import { causeInWords } from "../../model/explanation.ts";
import type { Finding, Investigated } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { placeOnRecord, type Verdict } from "../../model/verdict.ts";
import { caveatGroups, groupInWords } from "../document/caveat-groups.ts";
import { withNamedAddresses } from "../document/named-addresses.ts";
import { nextCommand } from "../document/next-command.ts";
import { nameOf } from "../document/outcome.ts";

export interface Remark {
  readonly level: "error" | "warning" | "note";
  /** A stable name: `cause/<kind>`, or a key of RULE_SUMMARIES. */
  readonly rule: string;
  /** What the rule is about, in one sentence. */
  readonly ruleSummary: string;
  /** A few words or a sentence. Like `message`, they may quote the chain or a node. */
  readonly title: string;
  readonly message: string;
  /** The parts of the message, for a list. */
  readonly sentences: readonly string[];
}

function remark(
  level: Remark["level"],
  rule: keyof typeof RULE_SUMMARIES,
  title: string,
  sentences: readonly string[],
): Remark {
  const ruleSummary = RULE_SUMMARIES[rule];
  return { level, rule, ruleSummary, title, sentences, message: sentences.join(" ") };
}

const RULE_SUMMARIES = {
  "no-answer": "svc could not investigate the transaction.",
  "failed-expectation": "The transaction failed an expectation.",
  diverged: "The replay differs from the chain.",
  inconclusive: "svc makes no claim about the replay: an input is unknown or assumed.",
  equivalent: "The replay matches the chain, with caveats.",
  "failed-run": "A further run failed, so what it would show is missing from the report.",
  "what-if": "A run of the transaction with overrides, which has no verdict.",
} as const;

const SHOWN_VALUE = 120;
/** Only the most important evidence of the cause is shown. The report has all of it. */
const SHOWN_EVIDENCE = 1;

/**
 * Returns an empty list if the transaction succeeded, the replay is exact, and no other run failed.
 * Limits of the verdict come after the cause.
 */
export function findingRemarks(finding: Finding): Remark[] {
  if (finding.kind === "unanswered") {
    const { code, message, remedy } = finding.error;
    const title = `not investigated (${code})`;
    return [remark("error", "no-answer", title, [message, remedy])];
  }
  const named = { ...finding, investigation: withNamedAddresses(finding.investigation, true) };
  const ofVerdict = verdictRemarks(named);
  const isError = ({ level }: Remark) => level === "error";
  return [
    ...failedExpectationRemarks(finding),
    ...ofVerdict.filter(isError),
    ...causeRemarks(named),
    ...ofVerdict.filter((each) => !isError(each)),
    ...failedRunRemarks(named),
    ...whatIfRemarks(named),
  ];
}

function failedExpectationRemarks({ failedExpectations }: Investigated): Remark[] {
  return (failedExpectations ?? []).map(({ origin, condition, message }) =>
    remark("error", "failed-expectation", `${origin} ${condition}`, [message]),
  );
}

function verdictRemarks({ investigation }: Investigated): Remark[] {
  const { verdict } = investigation;
  if (verdict === null || verdict.kind === "exact") return [];
  const title = `verdict ${verdict.kind}`;
  if (verdict.kind === "diverged")
    return [remark("error", "diverged", title, [difference(investigation, verdict)])];
  const level = verdict.kind === "inconclusive" ? "warning" : "note";
  return [remark(level, verdict.kind, title, caveats(investigation, verdict))];
}

function difference({ explanation }: Investigation, verdict: Verdict): string {
  const first = verdict.firstDifference;
  const cause = verdict.likelyCause === null ? "" : ` Likely cause: ${verdict.likelyCause}`;
  if (first === null) return `The replay differs from the chain.${cause}`;
  const { chain, replay } = explanation.difference ?? first;
  const show = (value: string | null) => cutVisibly(value ?? "nothing", SHOWN_VALUE);
  const values = `${placeOnRecord(first)} ${show(chain)}, in the replay ${show(replay)}`;
  return `First difference: ${nameOf(first, explanation)}, ${values}.${cause}`;
}

const SHOWN_KEYS = 10;

function caveats({ explanation }: Investigation, verdict: Verdict): string[] {
  const groups = caveatGroups(verdict, explanation);
  if (groups.length === 0) return ["No caveat is listed."];
  return groups.map((group) => groupInWords(group, SHOWN_KEYS));
}

function causeRemarks({ investigation }: Investigated): Remark[] {
  const { explanation, fix } = investigation;
  if (explanation.success) return [];
  const { cause, evidence, ownEvidence, headline } = explanation;
  const outcome = fix?.proof?.outcome;
  const isFixed = outcome === "succeeds" || outcome === "recorded";
  const remedies = [investigation.remedy, isFixed ? (fix?.summary ?? null) : null].flatMap(
    (each) => (each === null ? [] : [phraseFor(each, SHELL)]),
  );
  const main = evidence.slice(0, Math.min(ownEvidence, SHOWN_EVIDENCE));
  const why = cause === null ? headline : causeInWords(cause);
  const [next] = investigation.next.map(
    (step) => `${step.purpose}: \`${nextCommand(step, investigation).command}\``,
  );
  const advice = remedies.length > 0 || next === undefined ? remedies : [next];
  const sentences = [why, ...main, ...advice].map(withFullStop);
  const kind = cause?.kind ?? "unknown";
  const rule = `cause/${kind}`;
  const ruleSummary = `A transaction failed on chain; its cause: ${kind.replaceAll("-", " ")}.`;
  const message = sentences.join(" ");
  return [{ level: "warning", rule, ruleSummary, title: headline, sentences, message }];
}

function failedRunRemarks({ investigation: { caveats } }: Investigated): Remark[] {
  if (caveats.length === 0) return [];
  const title = caveats.length === 1 ? "a further run failed" : "further runs failed";
  return [remark("note", "failed-run", title, caveats)];
}

function whatIfRemarks({ investigation: { whatIf } }: Investigated): Remark[] {
  if (whatIf === undefined) return [];
  const { headline, changed, explanation, unknown } = whatIf;
  const changes = changed.map(({ what, before, after }) => `${what}: ${before} -> ${after}.`);
  const cause = explanation.cause === null ? [] : [causeInWords(explanation.cause)];
  return [
    remark("note", "what-if", "with overrides", [headline, ...unknown, ...cause, ...changes]),
  ];
}
