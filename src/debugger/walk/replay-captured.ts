// The half of the walk that needs no network: ChainRecord × Snapshot → Execution → Verdict →
// Explanation → Fix. Only this folder knows the order. Every stage is a function of the values
// before it. Code that reads ledgers is loaded only if there are sources to ask.

import { phrase, type Wording } from "../../base/phrase.ts";
import { plainStep, type StepRunner } from "../../base/step.ts";
import { causeOfFailure } from "../../explain/cause-of-failure.ts";
import { explain, type FoundWhy } from "../../explain/explain.ts";
import { doneBefore } from "../../explain/naming/deciding-writes.ts";
import { type Debugged, nextSteps } from "../../explain/next-steps.ts";
import type { DecidingArgument } from "../../explain/other-argument.ts";
import type { CauseFinding } from "../../explain/words/found-cause.ts";
import { DECLARING_DOES_NOT_HELP } from "../../explain/words/limit-words.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { Execution } from "../../model/execution.ts";
import type { Explanation } from "../../model/explanation.ts";
import { type Fix, showsNoFix } from "../../model/fix.ts";
import type { Investigation, OwnReference } from "../../model/investigation.ts";
import type { Labels } from "../../model/labels.ts";
import type { Overrides } from "../../model/overrides.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import type { WhatIf } from "../../model/what-if.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { FixDependencies } from "../fix/fix-transaction.ts";
import { besideOthers, type OptionalRun } from "../run/optional-run.ts";
import { type Engines, replay } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import type { Replayable } from "../run/run-variant.ts";
import type { ReplayedRun, WhatIfDependencies } from "../what-if/what-if.ts";
import type { CaptureDependencies, Captured } from "./capture-transaction.ts";
import {
  findWhy as findValue,
  makeFurtherRuns,
  startFullRun,
  tryOtherArguments,
} from "./further-runs.ts";
import { type CodeFile, supplyCode } from "./supply-code.ts";

export interface DebugOptions {
  readonly signal: AbortSignal;
  /** True to record the cost of each stack. */
  readonly profile?: boolean;
  /** The overrides of a further run; null or absent for none. */
  readonly overrides?: Overrides | null;
  /** True to record what each call asked of the host. */
  readonly hostCalls?: boolean;
  /** The user's names for addresses. */
  readonly labels?: Labels;
  /** Builds whose hash the footprint may name, for code that no source has. */
  readonly code?: readonly CodeFile[];
  /**
   * Set to find where in its contract's code the transaction failed. `wasm` is a build of that code
   * with its names.
   */
  readonly locate?: { readonly wasm: Uint8Array | null } | null;
  /** True to leave out which value decided. */
  readonly fast?: boolean;
  /** How next steps name the transaction (default: by its hash, on the public network). */
  readonly reference?: OwnReference;
}

export type ReplayDependencies = Engines &
  Pick<CaptureDependencies, "progress"> &
  Partial<CaptureDependencies>;

/** Throws the errors of the simulator. With sources, a fix may ask for more state. */
export async function replayCaptured(
  dependencies: ReplayDependencies,
  input: Captured,
  options: DebugOptions,
): Promise<Investigation> {
  const { step = plainStep } = dependencies;
  const { overrides = null, code = [] } = options;
  const caveats = input.unproven === undefined ? [] : [input.unproven];
  const optional = { ...options, caveats };
  const captured = await supplyCode(dependencies, input, code, optional);
  const { record, envelope, chain, snapshot: taken } = captured;
  if (taken === null) {
    if (overrides !== null) throw (await loadWhatIf()).nothingToOverride();
    return { ...(await withoutReplay(captured, step, options)), caveats };
  }
  dependencies.progress(`replaying with the host of protocol ${record.ledger.protocolVersion}`);
  const request = replayRequest(record, taken, {
    trace: options.hostCalls === true ? "host_calls" : true,
    profile: options.profile === true,
    diagnostics: true,
    feeTakenStroops: chain.feeTakenStroops,
    refundIsPaid: chain.refundIsPaid,
  });
  const started = new RunSet(dependencies, request);
  const [ran] = await Promise.all([
    replay(dependencies, captured, taken, request, optional),
    startFullRun(started, chain, options),
  ]);
  const { verdict, snapshot } = ran;
  // A proof of the state can lead to another request.
  const isOther = ran.request !== request;
  if (isOther) await started.ended();
  const runs = isOther ? new RunSet(dependencies, ran.request) : started;
  const { execution, tracedTree } = await makeFurtherRuns(runs, ran.execution, optional);
  const replayed = { record, envelope, chain, snapshot, execution, verdict };
  const cause = await step("cause", () =>
    causeOfFailure(replayed, execution, verdict, { tracedTree }),
  );
  const [forWhy, forLedgers] = [besideOthers(optional), besideOthers(optional)];
  const forArguments = besideOthers(optional);
  const finding =
    cause !== null && isRunOfChain(verdict) && options.fast !== true
      ? findWhy(dependencies, runs, replayed, forWhy)
      : null;
  const [tried, { conflict, found: causeFinding }, decided, why] =
    cause === null
      ? [null, { conflict: null, found: null }, null, null]
      : await Promise.all([
          findFix(withSearchForWhy(dependencies, options), { ...replayed, cause }, options),
          examineEarlierLedgers(dependencies, replayed, { cause, decision: finding }, forLedgers),
          tryOtherArguments(dependencies, replayed, cause, forArguments),
          finding,
        ]);
  for (const each of [forWhy, forLedgers, forArguments]) caveats.push(...each.caveats);
  const deciding = why?.proof ? null : decided;
  const shown = causeFinding && deciding ? withArgument(deciding, causeFinding) : causeFinding;
  const explanation = await step("explanation", () =>
    explain(replayed, execution, verdict, { ...options, tracedTree, finding: shown, why }),
  );
  const isDone = isDoneEarlier(explanation, conflict);
  const fix = tried !== null && isDone ? (await loadFixes()).alreadyDone() : tried;
  const whatIfFound =
    overrides && (await runWithOverrides(dependencies, { ...replayed, why }, overrides, options));
  return {
    record,
    snapshot,
    execution,
    verdict,
    classic: false,
    explanation,
    fix,
    remedy: composedRemedy(explanation, fix, record, conflict),
    ...nextStepsFor({ ...replayed, explanation, fix, deciding }, options),
    caveats: verdict.kind === "exact" ? caveats : [...caveats, ...caveatsOfSkipped(dependencies)],
    ...(conflict && { conflict }),
    ...(whatIfFound && { whatIf: whatIfFound }),
  };
}

/** A transaction of which nothing ran in the contract host is explained by its record alone. */
async function withoutReplay(
  captured: Captured,
  step: StepRunner,
  options: DebugOptions,
): Promise<Omit<Investigation, "caveats">> {
  const { record, envelope } = captured;
  const classic = envelope.soroban === null;
  const explanation = await step("explanation", () => explain(captured, null, null, options));
  const fix = explanation.success ? null : (await loadFixes()).nothingRan(classic);
  const remedy = composedRemedy(explanation, fix, record);
  const nothing = { snapshot: null, execution: null, verdict: null };
  const next = nextStepsFor({ ...captured, ...nothing, explanation, fix }, options);
  return { record, ...nothing, classic, explanation, fix, remedy, ...next };
}

/** Finds which value decided, and which transaction last wrote it if ledgers show that. */
async function findWhy(
  dependencies: ReplayDependencies,
  ...failure: Parameters<NonNullable<FixDependencies["findWhy"]>>
): Promise<FoundWhy | null> {
  const why = await findValue(dependencies, ...failure);
  const { ledgers = null } = dependencies;
  if (why === null || ledgers === null) return why;
  const { findWrites } = await import("./find-writes.ts");
  const [, replayed, options] = failure;
  return { ...why, writes: await findWrites(ledgers, replayed, why, options) };
}

async function runWithOverrides(
  dependencies: ReplayDependencies,
  replayed: ReplayedRun,
  overrides: Overrides,
  options: DebugOptions,
): Promise<WhatIf> {
  return (await loadWhatIf()).whatIf(
    withSearchForWhy(dependencies, options),
    replayed,
    overrides,
    options,
  );
}

/**
 * The dependencies for a run that is not the replay, with the search for the value that decides it.
 */
function withSearchForWhy(
  dependencies: ReplayDependencies,
  { fast }: DebugOptions,
): FixDependencies & WhatIfDependencies {
  if (fast === true) return dependencies;
  return { ...dependencies, findWhy: (...failure) => findWhy(dependencies, ...failure) };
}

function nextStepsFor(
  debugged: Debugged,
  { reference }: DebugOptions,
): Pick<Investigation, "next" | "reference"> {
  // The report names the deciding value only once.
  const isDecided = debugged.explanation.decidedBy !== null;
  const next = nextSteps(isDecided ? { ...debugged, deciding: null } : debugged, reference);
  return reference === undefined ? { next } : { next, reference };
}

// These are loaded only if a failure needs them, because most of the walk's time is the loading of
// its code.
const loadFixes = () => import("../fix/fix-transaction.ts");
const loadWhatIf = () => import("../what-if/what-if.ts");

async function findFix(...failed: Parameters<FixTransaction>): ReturnType<FixTransaction> {
  return (await loadFixes()).fixTransaction(...failed);
}

type FixTransaction = Awaited<ReturnType<typeof loadFixes>>["fixTransaction"];

function withArgument({ name, value }: DecidingArgument, cause: CauseFinding): CauseFinding {
  return { ...cause, evidence: [{ kind: "other-argument", name, value }, ...cause.evidence] };
}

/** Finds a conflicting transaction that came first, and the cause with everything that it shows. */
async function examineEarlierLedgers(
  dependencies: ReplayDependencies,
  replayed: Replayable & { readonly execution: Execution; readonly verdict: Verdict },
  {
    cause,
    decision,
  }: { readonly cause: CauseFinding; readonly decision: Promise<FoundWhy | null> | null },
  options: OptionalRun,
) {
  const { findConflict } = await import("./find-conflict.ts");
  const { explainStaleState } = await import("./find-moved-state.ts");
  const looking = { ...dependencies, ledgers: dependencies.ledgers ?? null };
  const conflict = await findConflict(looking, { ...replayed, cause }, options);
  const known = { cause, conflict, why: await decision };
  return { conflict, found: await explainStaleState(looking, replayed, known, options) };
}

/** Sources that were left out, which might have known more. */
function caveatsOfSkipped({ sources = [] }: Partial<CaptureDependencies>): string[] {
  return sources.flatMap((source) => source.lapse?.() ?? []);
}

/** An earlier transaction has done what the call does, so the call is not to be sent again. */
function isDoneEarlier({ cause, isDone }: Explanation, conflict: Conflict | null): boolean {
  return isDone || (conflict !== null && isDoneByConflict(cause, conflict));
}

function isDoneByConflict(cause: Explanation["cause"], { repeats }: Conflict): boolean {
  return repeats === "call" && cause !== null && CAUSES[cause.kind].isDoneByConflict === true;
}

/**
 * One instruction: a fix that ran replaces the remedy, which knows less than the run. The remedy of
 * the cause alone does not help if another cause follows.
 */
export function composedRemedy(
  { remedy, cause }: Explanation,
  fix: Fix | null,
  { ledger }: ChainRecord,
  conflict: Conflict | null = null,
): Wording | null {
  const outcome = fix?.proof?.outcome;
  const traits = cause && CAUSES[cause.kind];
  if (conflict !== null && isDoneByConflict(cause, conflict))
    return phrase`${doneBefore(conflict)}${remedy === null ? "" : phrase` ${remedy}`}`;
  // A fix for the state of that ledger is soon as stale as the simulation was.
  if (outcome === "succeeds" && traits?.isStale)
    return phrase`${remedy === null ? "" : phrase`${remedy} `}The fix is for the state and the close time of ledger ${ledger.sequence}.`;
  if (outcome === "succeeds" || outcome === "recorded") return null;
  if (fix && showsNoFix(fix) && traits?.limit === "declared") return DECLARING_DOES_NOT_HELP;
  if (fix?.proof?.outcome === "fails-next" && fix.proof.isTooLate)
    return "Removing this cause alone does not help: after it, the call is too late for the known state (see Fix).";
  if (fix?.proof?.outcome === "fails-next" && fix.proof.isDone) return fix.proof.remedy;
  if (remedy === null || fix?.proof?.outcome !== "fails-next") return remedy;
  const { cause: next, remedy: further } = fix.proof;
  // The contract decides this, so no change of what is declared changes it.
  if (CAUSES[next.kind].isOwnError)
    return "Removing this cause alone does not help: after it, the contract itself refuses the call (see Fix).";
  if (further === null)
    return "Removing this cause alone does not help: another cause follows, and svc knows no remedy (see Fix).";
  // No change of what is declared removes the second cause, so a new simulation meets it too.
  return phrase`Removing this cause alone is not enough: a second cause follows. Remedy that one first (see Fix). ${remedy}`;
}
