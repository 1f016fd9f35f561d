// An investigation as a document, top down: the outcome, the verdict, the cause and the fix, then
// what limits or contradicts the verdict, the details and the evidence.

import { type Audience, SHELL } from "../../base/phrase.ts";
import { closeTimeInWords } from "../../base/text/time.ts";
import type {
  DiagnosticCall,
  Explanation,
  NamedCall,
  ReplayedFact,
} from "../../model/explanation.ts";
import type { Finding } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { authorizationColumns } from "./authorizations.ts";
import {
  callItems,
  diagnosticItem,
  failedAfterReturn,
  invocationItem,
  logContent,
} from "./calls.ts";
import { changesBlock, eventsBlock, tokenContent } from "./changes.ts";
import {
  blocks,
  type Content,
  type Copyable,
  itemsOf,
  type ReportDocument,
  rowsOf,
  type Section,
  section,
  sentence,
  VERDICT_SECTION,
} from "./document.ts";
import { comparisonsBlock, provenanceContent } from "./evidence.ts";
import { fixBadge, fixSection } from "./fix.ts";
import { forAudience } from "./for-audience.ts";
import { withNamedAddresses } from "./named-addresses.ts";
import { nextCommand } from "./next-command.ts";
import { type Origins, originsOf } from "./origins.ts";
import {
  causeSections,
  caveatBlock,
  differenceContent,
  headOf,
  verdictContent,
} from "./outcome.ts";
import { outlineDocument } from "./outline.ts";
import { costsTable, feeContent, resourceContent } from "./usage.ts";
import { whatIfSections } from "./what-if.ts";

/** A report is read by people. Further rows are only in --json. */
const CALLS = { brief: 6, most: 200, noun: ["call", "calls"] } as const;
const BRIEF_STEPS = 2;
const ADDRESSES = { layout: "lines", most: 60, noun: ["address", "addresses"] } as const;

const ANSWER = { level: "answer" } as const;
const FULL = { detail: "full" } as const;
const PROOF = { level: "evidence", detail: "verbose" } as const;

/** `inFull`: with every address in full, and so without a list of them. */
export function investigationDocument(
  unnamed: Investigation,
  inFull: boolean,
  audience: Audience = SHELL,
): ReportDocument {
  const investigation = withNamedAddresses(forAudience(unnamed, audience), inFull);
  const { explanation, execution, record, whatIf } = investigation;
  const { events, success } = explanation;
  const origins = originsOf(explanation);
  // A run with overrides is what was asked for: the report is about that run, not about the replay.
  const replay = whatIf === undefined ? {} : FULL;
  const moved = movedSections(investigation, replay);
  const called = callSections(explanation, replay, origins);
  const sections: Section[] = [
    ...whatIfSections(whatIf),
    ...answerSections(investigation, replay, origins),
    ...(success ? [...moved, ...called] : [...called, ...moved]),
    section("authorization", "Authorization", authorizationColumns(investigation), {
      empty: "The transaction contains no authorizations.",
      ...FULL,
    }),
    section("events", titleOf("Events", "events", explanation), eventsBlock(events), {
      empty:
        record.resultMetaXdr === null && execution === null
          ? "No source had the events, and nothing was replayed."
          : "No event was emitted.",
      ...FULL,
    }),
    section(
      "resources",
      titleOf("Resources", "resources", explanation),
      resourceContent(explanation),
      FULL,
    ),
    section("fees", "Fees", feeContent(explanation), FULL),
    section("transaction", "Transaction", rowsOf(transactionRows(investigation)), FULL),
    section("addresses", "Addresses", !inFull && rowsOf(addressRows(explanation), ADDRESSES), FULL),
    section("costs", "Costs by type (replay)", () => costsTable(execution), {
      ...PROOF,
      detail: "costs",
    }),
    section("comparisons", "Comparisons", () => comparisonsBlock(investigation), PROOF),
    section("inputs", "Input provenance", () => provenanceContent(investigation), PROOF),
    section("xdr", "Raw XDR", xdrContent(investigation), { ...PROOF, detail: "page" }),
    section(VERDICT_SECTION, null, verdictContent(investigation, audience), ANSWER),
  ];
  return { head: headOf(investigation), sections };
}

type Replay = Pick<Section, "detail">;

/** Why, and what to do. */
function answerSections(
  investigation: Investigation,
  replay: Replay,
  { links }: Origins,
): Section[] {
  const { explanation, remedy, fix, conflict, caveats } = investigation;
  const { details, decidedBy } = explanation;
  const { cause, evidence, isConclusion } = saidCause(investigation, links);
  const supporting = [...(conflict === undefined ? [] : [conflict.summary]), ...evidence];
  // Who changed the value that decided is as much a part of the answer as the value.
  const isChanged = conflict !== undefined || (decidedBy?.writes.length ?? 0) > 0;
  return [
    ...causeSections(cause, supporting, cause && remedy, details, {
      links: isConclusion ? links : undefined,
      brief: decidedBy !== null && isChanged ? 2 : undefined,
      ...replay,
    }),
    section("fix", "Fix", fixSection(investigation), {
      ...ANSWER,
      badge: fixBadge(fix),
      ...replay,
    }),
    section("difference", "Difference", differenceContent(investigation), ANSWER),
    nextSection(investigation, replay),
    section("caveats", "Caveats", caveatBlock(investigation), ANSWER),
    section("failed-runs", "What svc could not do", itemsOf("list", caveats), ANSWER),
  ];
}

/**
 * The cause and its evidence. `links` are those of the summary of the deciding value, which is the
 * first of the evidence, or the cause itself.
 */
function saidCause(investigation: Investigation, links: Origins["links"]) {
  const { explanation, conflict } = investigation;
  const { cause, evidence } = causeBeside(explanation);
  const { decidedBy } = explanation;
  if (decidedBy === null) return { cause, evidence, isConclusion: false };
  const { writes } = decidedBy;
  const [decided = "", ...others] = evidence;
  // A conflicting transaction is named once.
  const written = others
    .slice(0, writes.length)
    .filter((_, i) => writes[i]?.transactionHash !== conflict?.transactionHash);
  const further = others.slice(writes.length);
  if (cause === null || !concludes(investigation))
    return {
      cause,
      evidence: [{ text: decided, links }, ...written, ...further],
      isConclusion: false,
    };
  return {
    cause: { ...cause, summary: decided },
    evidence: [...written, cause.summary, ...further],
    isConclusion: true,
  };
}

/** Calls that the report shows are not printed a second time. */
function causeBeside(explanation: Explanation): Pick<Explanation, "cause" | "evidence"> {
  const { cause, evidence, besideCalls, calls, diagnosticCalls } = explanation;
  const isShown =
    calls === null
      ? diagnosticCalls.length > 0 && !causeShowsCall(soleCall(diagnosticCalls), explanation)
      : !causeShowsCall(calls, explanation);
  const { summary } = besideCalls;
  return cause === null || summary === null || !isShown
    ? { cause, evidence }
    : { cause: { ...cause, summary }, evidence: besideCalls.evidence };
}

/**
 * True if the value that decided is the cause, because a run proves it; what the code ended in is
 * then evidence for it. A call that the host refused, or a conflicting transaction, says more than
 * the value behind it.
 */
function concludes({ explanation: { decidedBy }, conflict }: Investigation): boolean {
  const isProven = decidedBy?.proof && decidedBy.confidence === "known";
  return !!isProven && decidedBy.end !== "refused" && conflict === undefined;
}

function movedSections({ explanation, execution }: Investigation, replay: Replay): Section[] {
  const { tokens, changes } = explanation;
  return [
    section("tokens", titleOf("Token flow", "tokens", explanation), tokenContent(tokens), replay),
    section("changes", titleOf("State changes", "changes", explanation), changesBlock(changes), {
      empty:
        execution === null
          ? "Nothing was replayed, so no changes are listed."
          : "The contract host changed no ledger entry.",
      ...replay,
    }),
  ];
}

function callSections(explanation: Explanation, replay: Replay, origins: Origins): Section[] {
  const { calls, diagnosticCalls } = explanation;
  return [
    section("calls", titleOf("Calls", "calls", explanation), callContent(explanation, origins), {
      empty: "No calls: nothing ran in the contract host.",
      ...(causeShowsCall(calls, explanation) ? FULL : replay),
    }),
    section("envelope-calls", "Call (from the envelope)", invocationAlone(explanation), replay),
    section(
      "diagnostic-calls",
      "Calls (from a node's diagnostic events)",
      itemsOf("tree", diagnosticCalls.map(diagnosticItem), CALLS),
      causeShowsCall(soleCall(diagnosticCalls), explanation) ? FULL : replay,
    ),
    section("logs", "Contract logs", logContent(explanation.logs), replay),
  ];
}

function titleOf(title: string, fact: ReplayedFact, { replayOnly }: Explanation): string {
  return replayOnly.includes(fact) ? `${title} (replay only)` : title;
}

/** The expectations that failed are above the verdict. A transaction without investigation: why. */
export function findingDocument(
  finding: Finding,
  inFull: boolean,
  audience: Audience = SHELL,
): ReportDocument {
  if (finding.kind === "unanswered") {
    const { code, message, remedy } = finding.error;
    const remedySentence = sentence(remedy, { label: "What to do", hangs: true });
    const body = blocks([message.split("\n"), remedySentence]);
    const { outline } = finding;
    const head = { headline: `Not investigated [${code}]`, tone: "bad", body } as const;
    return outline === undefined ? { head, sections: [] } : outlineDocument(outline, head);
  }
  const { head, sections } = investigationDocument(finding.investigation, inFull, audience);
  const failed = finding.failedExpectations;
  if (failed === null) return { head, sections };
  const lines = failed.map(
    ({ origin, condition, message }) => `${origin} ${condition}: ${message}`,
  );
  const passed = sentence("All expectations passed.", { tone: "good" });
  const expectations =
    lines.length === 0
      ? section("expectations", null, passed, ANSWER)
      : section("expectations", "Failed expectations", itemsOf("list", lines), ANSWER);
  return { head, sections: [...sections.slice(0, -1), expectations, ...sections.slice(-1)] };
}

/** Beside the command that prints the fix, which the fix has. */
export function nextSection(investigation: Investigation, replay: Replay = {}): Section {
  const { next, remedy } = investigation;
  const steps = next
    .filter(({ kind }) => kind !== "print-fix")
    .map((step) => ({ purpose: step.purpose, ...nextCommand(step, investigation) }));
  const items = steps.map(({ command, flags, purpose }) => `${purpose}: \`${flags ?? command}\``);
  const typed = steps.map(({ command, purpose }, index): Copyable => {
    const id = `next-${index + 1}`;
    return { kind: "copyable", id, title: `${purpose}:`, text: command, detail: "page" };
  });
  const brief = remedy === null ? BRIEF_STEPS : 1;
  const list = itemsOf("list", items, { brief, detail: "terminal" });
  const isAgain = steps.every(({ flags }) => flags !== null);
  const title = isAgain ? "Next: run it again with a flag" : "Next";
  return section("next", title, [list, typed], { ...ANSWER, ...replay });
}

function transactionRows({ record, explanation, execution }: Investigation) {
  const { transaction } = explanation;
  const { sourceAccount, operationSource, feeSource, feeBump } = transaction;
  const { sequence, protocolVersion } = record.ledger;
  const place = `${sequence}, transaction ${record.applicationOrder}, protocol ${protocolVersion}`;
  return [
    ["hash", record.hash],
    ["inner hash", record.innerHash],
    ["network", record.networkPassphrase],
    ["ledger", `${place}, closed ${closeTimeInWords(record.ledger)}`],
    ["source", sourceAccount],
    ["operation source", operationSource],
    ["fee source", feeBump ? feeSource : null],
    ["result", [transaction.resultCode, ...transaction.operationCodes].join(", ")],
    ["host", execution && `soroban-env-host ${execution.host.crateVersion}, in the replay`],
  ] as const;
}

function callContent(explanation: Explanation, { ids }: Origins): Content {
  const { calls } = explanation;
  if (calls === null) return null;
  const after = failedAfterReturn(explanation);
  return [
    itemsOf("tree", callItems(calls, ids), CALLS),
    after && sentence(after, { tone: "bad" }),
    !isTraced(calls) && sentence(NOT_TRACED, { tone: "faint", detail: "trace" }),
  ];
}

const NOT_TRACED =
  "Storage and authorizations are not shown: the run that records them did not end as the replay did.";

function isTraced({ hostCalls, calls }: NamedCall): boolean {
  return hostCalls !== undefined || calls.some(isTraced);
}

function soleCall(calls: readonly DiagnosticCall[]): DiagnosticCall | null {
  const [only = null] = calls;
  return calls.length === 1 ? only : null;
}

/** A single call that failed is in the sentences of its cause. */
function causeShowsCall(
  outermost: NamedCall | DiagnosticCall | null,
  { namesCall }: Explanation,
): boolean {
  let only = outermost;
  while (only?.function === null && only.calls.length === 1) only = only.calls[0] ?? null;
  if (only === null || !only.failed || only.calls.length > 0) return false;
  return namesCall;
}

/** Empty when the calls that were made are known. */
function invocationAlone({ invocation, calls, diagnosticCalls }: Explanation): Content {
  const isKnown = calls !== null || diagnosticCalls.length > 0;
  return !isKnown && invocation && itemsOf("tree", [invocationItem(invocation)]);
}

function addressRows({ addresses }: Explanation) {
  return addresses.map(({ short, address, label }) => ({
    label: short,
    values: [address],
    note: label,
  }));
}

function xdrContent({ record }: Investigation): Content {
  const { envelopeXdr, resultXdr, resultMetaXdr } = record;
  const copy = (title: string, id: string, text: string | null) =>
    text !== null && ({ kind: "copyable", id, title, text } as const);
  return [
    copy("TransactionEnvelope", "xdr-envelope", envelopeXdr),
    copy("TransactionResult", "xdr-result", resultXdr),
    copy("TransactionMeta", "xdr-meta", resultMetaXdr),
  ];
}
