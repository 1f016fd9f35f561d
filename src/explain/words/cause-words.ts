// The only place that words a cause: it turns a finding into the cause with its summary, the
// sentences of its evidence, and the remedy. Code that learns more about a cause changes its facts
// and words them again.

import { phrase, svc, type Wording } from "../../base/phrase.ts";
import type { CauseKind } from "../../model/cause-kinds.ts";
import type { Cause, CauseDetail } from "../../model/explanation.ts";
import type { ReportedWords } from "../../model/node-answer.ts";
import { authorizationWords } from "./authorization-words.ts";
import { type CallForm, spoken } from "./call-name.ts";
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
  testPanicWords,
  trapWords,
  unknownFunctionWords,
} from "./contract-words.ts";
import { envelopeFaultWords, signaturesWords } from "./envelope-words.ts";
import { detailInWords, evidenceInWords } from "./evidence-words.ts";
import { footprintWords } from "./footprint-words.ts";
import {
  type CauseFinding,
  type CauseWords,
  type FoundCause,
  type SaidBy,
  staleKeysOf,
} from "./found-cause.ts";
import type { CauseEvidence } from "./found-evidence.ts";
import {
  archivedWords,
  budgetWords,
  declaredLimitWords,
  emptyCodeWords,
  entrySizeWords,
  limitWords,
  networkLimitsWords,
  networkLimitWords,
  refundableFeeWords,
  unknownLimitWords,
} from "./limit-words.ts";
import {
  codeWords,
  contradictionWords,
  internalWords,
  operationsWords,
  refusedWords,
  statusWords,
  unexplainedWords,
} from "./result-words.ts";
import type { Sentences } from "./sentences.ts";

/** A cause in words. */
export interface CauseFacts {
  readonly cause: Cause;
  /** The first sentence of the summary. */
  readonly firstSentence: string;
  readonly evidence: readonly string[];
  /** The number of sentences, from the first, that are about the failure itself. */
  readonly ownEvidence: number;
  /** True if the summary or the evidence names the failed call. */
  readonly namesCall: boolean;
  readonly remedy: Wording | null;
  readonly details: readonly CauseDetail[];
  /** True if the remedy is for a failure for which no deciding value is known. */
  readonly isLastResort?: true;
  /** The summary if the deciding value is known, whose sentence explains the rest better. */
  readonly beforeDecision?: Sentences;
  readonly reported: ReportedWords;
}

type Words = { readonly [By in FoundCause["by"]]: (cause: SaidBy<By>) => CauseWords };

const WORDS: Words = {
  "own-error": ownErrorWords,
  "asset-error": assetErrorWords,
  trap: trapWords,
  "test-panic": testPanicWords,
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
  "declared-limit": declaredLimitWords,
  "empty-code": emptyCodeWords,
  reported: reportedWords,
  archived: archivedWords,
  input: inputWords,
  internal: internalWords,
  code: codeWords,
  operations: operationsWords,
  refused: refusedWords,
  contradiction: contradictionWords,
  status: statusWords,
  signatures: signaturesWords,
  "envelope-fault": envelopeFaultWords,
  unexplained: unexplainedWords,
};

/**
 * The finding in words. The short form leaves out the evidence that the calls of a report show:
 * which call failed, and which calls made it.
 */
export function inWords(finding: CauseFinding, form: CallForm = "whole"): CauseFacts {
  const { kind, confidence, inCheckAuth, byNode } = finding;
  // The table has a row for each way to find a cause, with its facts.
  const say = WORDS[finding.by] as (cause: SaidBy<FoundCause["by"]>) => CauseWords;
  const facts = spoken(finding.facts, form);
  const { summary, remedy, beforeDecision, isLastResort } = say({ ...finding, facts });
  const isEarlier = ({ kind: of }: CauseEvidence) => of === "earlier-error";
  const isShown = ({ kind: of }: CauseEvidence) =>
    form === "short" && (of === "failed-call" || of === "callers");
  const supporting = finding.evidence.filter((each) => !isShown(each));
  const own = supporting.filter((each) => !isEarlier(each));
  const said = [...own, ...supporting.filter(isEarlier)].flatMap((evidence) =>
    evidenceInWords(spoken<CauseEvidence>(evidence, form)).map((text) => {
      return { text, of: evidence.kind, isOwn: !isEarlier(evidence) };
    }),
  );
  const keys = staleKeysOf(finding);
  const isOfCheck = inCheckAuth !== undefined;
  const ofCheck = `It failed in \`__check_auth\` of ${inCheckAuth}, which checks a signature.`;
  const [firstSentence, ...others] = inSentences(summary);
  const reported = {
    isSummary: finding.by === "reported" && finding.facts.error === null,
    evidence: [...said.keys()].filter((at) => said[at]?.of === "reported-line"),
  };
  return {
    cause: {
      kind: kind satisfies CauseKind,
      summary: [firstSentence, ...others, ...(isOfCheck ? [ofCheck] : [])].join(" "),
      confidence,
      ...(keys !== undefined && { keys }),
    },
    firstSentence,
    evidence: said.map(({ text }) => text),
    ownEvidence: said.filter(({ isOwn }) => isOwn).length,
    namesCall: namesCall(finding),
    details: (finding.details ?? []).flatMap(detailInWords),
    remedy: isOfCheck ? SIMULATE_SIGNED : remedy,
    reported,
    ...(isLastResort && { isLastResort }),
    // The effect of a left-out entry is not more certain because the code shows how it came about.
    ...(beforeDecision !== undefined && !byNode && { beforeDecision: inSentences(beforeDecision) }),
  };
}

function inSentences(words: string | Sentences): Sentences {
  return typeof words === "string" ? [words] : words;
}

function namesCall(finding: CauseFinding): boolean {
  const { facts, evidence } = finding;
  if ("instance" in facts && facts.instance !== null) return true;
  if ("call" in facts && facts.call !== null) return true;
  return evidence.some(({ kind }) => kind === "failed-call");
}

/**
 * The evidence for readers of a node's answer, who have nothing else with which to check the cause.
 */
export function evidenceInFull({
  evidence,
  details,
}: Pick<CauseFacts, "evidence" | "details">): string[] {
  return [...evidence, ...details.map(({ text }) => text)];
}

const SIMULATE_SIGNED = phrase`Simulate the transaction with its signed authorization entries in it (${svc("simulate")} with the signed envelope). A simulation without signatures does not run \`__check_auth\`, so its footprint and resources are too small each time.`;
