// Runs of a failed transaction with one value changed, and what each shows.

import { SvcError } from "../../base/errors/errors.ts";
import { isSameComparison } from "../../explain/naming/same-reason.ts";
import type { Execution } from "../../model/execution.ts";
import type { Overrides } from "../../model/overrides.ts";
import type { Why, WhyProof } from "../../model/why.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { endingError } from "../../xdr/outcome/error-reports.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { recordAuthorizations } from "../fix/record-authorizations.ts";
import { entriesFinder } from "../run/find-entries.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import { applyVariant, type Replayable } from "../run/run-variant.ts";
import { buildVariant } from "../what-if/build-variant.ts";
import type { Draft } from "../what-if/variant-draft.ts";
import { withAssetRule } from "./asset-rule.ts";
import { withSourceConditions } from "./source-conditions.ts";

/** The transaction's own call: the host function is number 0. */
const OUTERMOST = 1;

/** The call whose value changes, as the finders of changes take it. */
export function callWithin(why: Why): Why & { readonly outermost: boolean } {
  return { ...why, outermost: why.frame === OUTERMOST };
}

export interface ProofRun extends OptionalRun {
  /** The time at which all runs end. */
  readonly until: number;
}

/** A run fails for the same reason, although the value is on the other side of its boundary. */
export const CONTRADICTED = "contradicted";
export type Tested = WhyProof | typeof CONTRADICTED | null;

export type Replayed = Replayable & { readonly execution: Execution };

/** Says whether the same condition decides when the value has changed. */
export async function decidesAgain(
  engines: Engines,
  replayed: Replayable,
  draft: Draft,
  why: Why,
  options: ProofRun,
): Promise<boolean> {
  const again = await whyWith(engines, replayed, draft, options);
  return again !== null && isSameComparison(again, why);
}

/** Why the run with other values fails; null: it does not, or that is unknown. */
export async function whyWith(
  { simulator }: Engines,
  replayed: Replayable,
  draft: Draft,
  { until, ...options }: ProofRun,
): Promise<Why | null> {
  const milliseconds = Math.floor(until - performance.now());
  if (milliseconds <= 0) return null;
  const { record, snapshot } = applyVariant(replayed, draft);
  const request = replayRequest(record, snapshot, {
    trace: true,
    diagnostics: true,
    feeTakenStroops: null,
  });
  const runs = new RunSet({ simulator }, request);
  const { signal } = options;
  const ran = await optionalRun("To test which value decided", options, () =>
    runs.get({ trace: true, why: true }, { signal, milliseconds }),
  );
  return ran?.why ? withAssetRule(withSourceConditions(ran.why), ran, request) : null;
}

/** Null if the run did not come to that branch. */
export function otherSide(taken: number | undefined, was: number): boolean | null {
  return taken === undefined ? null : taken !== was;
}

/**
 * Says whether the run ended with another error, if no branch decided alone. Null if the error
 * shows nothing.
 */
export function otherError(error: string | null, was: string | null): boolean | null {
  return error === "" || was === "" ? null : error !== was;
}

/** Errors that come from a footprint, authorizations and limits that do not fit the change. */
const ERRORS_OF_CHANGE: ReadonlySet<string> = new Set(["Storage", "Auth", "Budget"]);

export function errorOfRun({ outcome, hostError, diagnosticsXdr }: Execution): string | null {
  if (outcome.kind === "success") return null;
  // The host has one error for everything that fails in a constructor.
  const isOfHost = hostError?.type === "Context";
  return ofCode((isOfHost && endingError(diagnosticsXdr)?.error) || hostError);
}

/** The error that the code chose; empty if the code did not choose it. */
function ofCode(error: ErrorFacts | null): string {
  return error === null || ERRORS_OF_CHANGE.has(error.type) ? "" : showError(error);
}

/** Null if the change is not possible. */
export async function possibleDraft(
  engines: Engines,
  replayed: Replayable,
  overrides: Overrides,
  options: OptionalRun,
): Promise<Draft | null> {
  return buildVariant(engines, replayed, overrides, options).catch((error) => {
    if (error instanceof SvcError && error.code === "OVERRIDE_IMPOSSIBLE") return null;
    throw error;
  });
}

export async function runBranch(
  engines: Engines,
  replayed: Replayable,
  why: Why,
  draft: Draft,
  { until, ...options }: ProofRun,
): Promise<Execution | null> {
  const left = Math.floor(until - performance.now());
  if (left <= 0) return null;
  const { record, snapshot } = applyVariant(replayed, draft);
  const { frame, code, address, count } = why;
  const request = replayRequest(record, snapshot, {
    trace: false,
    diagnostics: true,
    feeTakenStroops: replayed.chain.feeTakenStroops,
    deadlineMilliseconds: left,
  });
  const branch = count === null ? undefined : { frame, code, address, count };
  const branchRequest = { ...request, options: { ...request.options, branch } };
  const run = () => engines.simulator.replay(branchRequest, options);
  return optionalRun("To prove which value decided", options, run);
}

/**
 * A run that asks for no signature, because new arguments need new signatures and may need other
 * entries. Null if it was not carried out, or if it needs an entry that no source shows.
 */
export async function runRecorded(
  { recorder }: Engines,
  replayed: Replayable,
  draft: Draft,
  { until, signal: callerSignal }: ProofRun,
): Promise<Pick<WhyProof, "error" | "recorded"> | null> {
  const left = Math.floor(until - performance.now());
  if (!recorder || left <= 0) return null;
  const limit = AbortSignal.timeout(left);
  const options = { signal: AbortSignal.any([callerSignal, limit]), progress: () => {} };
  const findEntries = entriesFinder({}, replayed, options);
  const varied = applyVariant(replayed, draft);
  try {
    const run = await recordAuthorizations({ recorder, findEntries }, varied, options);
    if (run.kind === "failed")
      return run.error && { error: ofCode(run.error), recorded: { signers: [] } };
    const signers = new Set(run.authorizations.flatMap(({ signer }) => signer ?? []));
    return { error: null, recorded: { signers: [...signers] } };
  } catch (error) {
    if (callerSignal.aborted || !limit.aborted) throw error;
    return null;
  }
}
