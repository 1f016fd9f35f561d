// The documents for machines: one JSON document each, with a newline at the end, described by
// schema/debug-report.schema.json and schema/verify-report.schema.json. `format` rises when a field
// changes its meaning or is removed; new fields can be added at any time.

import { type Audience, phrased, phraseFor, SHELL } from "../base/phrase.ts";
import { jsonDocument } from "../base/text/json-document.ts";
import type { Execution, ExecutionOutcome } from "../model/execution.ts";
import type { DecidedBy, NextStep } from "../model/explanation.ts";
import type { Fix } from "../model/fix.ts";
import type { Investigation } from "../model/investigation.ts";
import { resultCodeConstant } from "../model/result-code.ts";
import type { Verification } from "../model/verification.ts";
import type { WhatIf } from "../model/what-if.ts";
import { nextCommand, overrideFlag } from "./document/next-command.ts";
import type { DonePiece } from "./document/verification-pieces.ts";

const DEBUG_REPORT_FORMAT = 1;
const VERIFY_REPORT_FORMAT = 1;

/** The document. Its sentences name what the audience can use. */
export function renderJson(investigation: Investigation, audience: Audience = SHELL): string {
  return jsonDocument(debugReport(investigation, audience));
}

export function renderVerificationJson(verification: Verification): string {
  return jsonDocument({ format: VERIFY_REPORT_FORMAT, ...verification });
}

/** The transactions are in the result. */
export function renderPieceJson({ piece, done, name, store }: DonePiece): string {
  const { job, shard, part, counts } = piece;
  const { notExact, firstOfEach, mismatches, ...numbers } = counts;
  return jsonDocument({
    format: 1,
    shard,
    done,
    result: { store, name },
    job,
    part,
    counts: numbers,
  });
}
export type DebugReport = ReturnType<typeof debugReport>;

/** The document of one transaction, as a value. Its sentences name what the audience can use. */
export function debugReport(investigation: Investigation, audience: Audience = SHELL) {
  const { record, execution, explanation, verdict, classic, fix, conflict, whatIf, call } =
    investigation;
  const { remedy, next, caveats } = investigation;
  const { transaction, success, headline, cause, evidence, decidedBy, details } = explanation;
  return {
    format: DEBUG_REPORT_FORMAT,
    hash: record.hash,
    requestedHash: record.requestedHash,
    innerHash: record.innerHash,
    networkPassphrase: record.networkPassphrase,
    ledger: record.ledger,
    applicationOrder: record.applicationOrder,
    classic,
    outcome: {
      success,
      headline,
      cause,
      evidence,
      decidedBy: decidedBy && decidedReport(decidedBy),
      details,
      remedy: remedy && phraseFor(remedy, audience),
      next: next.map((step) => nextReport(step, investigation)),
    },
    fix: fix && fixReport(fix, audience),
    ...(call === undefined ? {} : { call }),
    ...(conflict === undefined ? {} : { conflict }),
    verdict,
    caveats,
    difference: explanation.difference,
    resultCodes: explanation.resultCodes,
    replayOnly: explanation.replayOnly,
    transaction,
    invocation: explanation.invocation,
    calls: explanation.calls,
    diagnosticCalls: explanation.diagnosticCalls,
    logs: explanation.logs,
    authorizations: explanation.authorizations,
    resources: explanation.resources,
    changes: explanation.changes,
    tokens: explanation.tokens,
    events: explanation.events,
    fees: explanation.fees,
    execution: execution && executionReport(execution),
    ...(whatIf === undefined ? {} : { whatIf: whatIfReport(whatIf, audience) }),
    snapshot: snapshotReport(investigation),
    origins: record.origins,
    ...(record.claimed === undefined ? {} : { claimed: record.claimed }),
    addresses: explanation.addresses,
    keyNames: explanation.keyNames,
    xdr: {
      envelope: record.envelopeXdr,
      result: record.resultXdr,
      resultMeta: record.resultMetaXdr,
    },
  };
}

/** The step as data, with its command for a shell as one phrase of it. */
function nextReport(step: NextStep, investigation: Investigation) {
  return {
    kind: step.kind,
    ...nextCommand(step, investigation),
    override: "override" in step ? step.override : null,
    purpose: step.purpose,
    ...(step.kind === "other-sources" && { source: step.source }),
    ...(step.kind === "error-name" && { error: { text: step.text, contract: step.contract } }),
  };
}

/** `DecidedBy` as reports have it. */
export type DecidedReport = ReturnType<typeof decidedReport>;

/** The value that decided, with the flags that change it in `svc debug`. */
export function decidedReport({ parts: _, firstSentence: __, ...decidedBy }: DecidedBy) {
  return { ...decidedBy, proof: decidedBy.proof && proofReport(decidedBy.proof) };
}

function proofReport({ text, other: _, wasNumber: __, ...proof }: NonNullable<DecidedBy["proof"]>) {
  return { ...proof, flags: overrideFlag(proof.override), text };
}

function fixReport(fix: Fix, audience: Audience) {
  return {
    ...fix,
    summary: phraseFor(fix.summary, audience),
    proof: phrased(fix.proof, audience),
  };
}

/** A code is named as the XDR writes it. */
function outcomeReport(outcome: ExecutionOutcome) {
  if (outcome.kind !== "failed") return outcome;
  return { kind: outcome.kind, code: resultCodeConstant(outcome) };
}

function executionReport(execution: Execution) {
  return {
    host: execution.host,
    operation: execution.operation,
    outcome: outcomeReport(execution.outcome),
    hostError: execution.hostError,
    returnValueXdr: execution.returnValueXdr,
    metrics: execution.metrics,
    limits: execution.limits,
    costs: execution.costs,
    assumed: execution.assumed,
    hostNanoseconds: execution.hostNanoseconds,
    ...(execution.location ? { location: execution.location } : {}),
  };
}

/** Without what both runs share, which is in the report itself. */
function whatIfReport(whatIf: WhatIf, audience: Audience) {
  const { headline, changed, success, explanation, unknown, refusals, remarks, difference } =
    whatIf;
  const { cause, evidence, decidedBy, remedy } = explanation;
  return {
    headline,
    changed,
    outcome: {
      success,
      cause,
      evidence,
      decidedBy: decidedBy && decidedReport(decidedBy),
      remedy: remedy && phraseFor(remedy, audience),
    },
    unknown,
    remarks: [...refusals, ...remarks],
    difference,
    execution: executionReport(whatIf.execution),
    envelopeXdr: whatIf.envelopeXdr,
  };
}

/** The provenance of each input; the entries themselves are in a capsule. */
function snapshotReport({ snapshot, explanation }: Investigation) {
  if (snapshot === null) return null;
  return {
    entries: snapshot.entries.map((entry) => ({
      keyXdr: entry.keyXdr,
      key: explanation.keyNames[entry.keyXdr] ?? null,
      present: entry.entryXdr !== null,
      archived: entry.archived,
      liveUntilLedger: entry.liveUntilLedger,
      provenance: entry.provenance,
      ttlProvenance: entry.ttlProvenance,
    })),
    settings: snapshot.settings.map(({ name, provenance }) => ({ name, provenance })),
    unknown: snapshot.unknown,
  };
}
