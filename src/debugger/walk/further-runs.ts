// Facts that only a further run of the same request shows: where in its contract's code a
// transaction failed, what the functions of the code cost, and what the contracts asked of the
// host. Such a run is not part of the replay, because neither the run nor hostile debug information
// may cost the answer that is already there.

import type { FoundWhy } from "../../explain/explain.ts";
import { argumentsToTry, type DecidingArgument, failureIn } from "../../explain/other-argument.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import type { CallNode, CodeLocation, Execution } from "../../model/execution.ts";
import type { Cause } from "../../model/explanation.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import type { Term, Why } from "../../model/why.ts";
import { withCallArguments } from "../../xdr/envelope/call-arguments.ts";
import type { ChainFacts } from "../../xdr/outcome/chain-facts.ts";
import { type ErrorReport, readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { typeNameOf } from "../../xdr/values/value-parts.ts";
import { besideOthers, type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import type { RunSet } from "../run/run-set.ts";
import { type Replayable, runVariant } from "../run/run-variant.ts";
import { withAssetRule } from "./asset-rule.ts";
import { withSourceConditions } from "./source-conditions.ts";

/** A build of a contract's code, for its names; null if there is none. */
interface NamedBuild {
  readonly wasm: Uint8Array | null;
}

interface LocateOptions {
  readonly signal: AbortSignal;
  readonly locate?: NamedBuild | null;
}

/**
 * Starts one run beside the replay that records everything that is asked below about a failure in a
 * contract's code, if that is worth it. Otherwise, or if that run fails, each question has a run of
 * its own.
 */
export async function startFullRun(
  runs: RunSet,
  chain: ChainFacts,
  { locate = null, fast = false, signal }: LocateOptions & { readonly fast?: boolean },
): Promise<void> {
  if (chain.result.success) return;
  const isNamed = locate !== null && locate.wasm !== null;
  if (isNamed || !mayShowMore(chain.reports) || errorTypes(chain.reports).has("Budget")) return;
  const recorded = { trace: "host_calls", why: !fast, ...(locate && { locate: {} }) } as const;
  void runs.start(recorded, { signal, milliseconds: WHY_MILLISECONDS, step: "why" });
}

/**
 * Makes runs at the same time that do not need one another. `runs` are those of the replay's
 * request.
 */
export async function makeFurtherRuns(
  runs: RunSet,
  execution: Execution,
  options: OptionalRun & LocateOptions,
): Promise<{ readonly execution: Execution; readonly tracedTree: CallNode | null }> {
  const own = [besideOthers(options), besideOthers(options), besideOthers(options)] as const;
  const [location, profiled, tracedTree] = await Promise.all([
    locateFailure(runs, execution, own[0]),
    profileFunctions(runs, execution, own[1]),
    traceHostCalls(runs, execution, own[2]),
  ]);
  for (const { caveats } of own) options.caveats.push(...caveats);
  return { execution: { ...execution, ...profiled, ...(location && { location }) }, tracedTree };
}

/**
 * Undefined if the place was not requested, or if the transaction did not fail in a contract.
 * Throws WASM_DIFFERS.
 */
export async function locateFailure(
  runs: RunSet,
  execution: Execution,
  { locate = null, ...options }: OptionalRun & LocateOptions,
): Promise<CodeLocation | undefined> {
  if (locate === null || !mayBeLocated(execution)) return undefined;
  const ran = await runAgain(runs, "locate", locate, options);
  return ran === null
    ? { kind: "unknown", reason: "the run that looked for it failed" }
    : ran.location;
}

/** An upload runs no code. */
function mayBeLocated({ outcome, hostError, callTree }: Execution): boolean {
  if (callTree !== null && !failsInContract(callTree)) return false;
  return outcome.kind === "failed" && hostError !== null;
}

function failsInContract({ failed, contract, calls }: CallNode): boolean {
  return failed && (contract !== null || calls.some(failsInContract));
}

/**
 * The profile with the functions inside the contracts' wasm, in place of the replay's. Empty if the
 * replay has no profile. Throws WASM_DIFFERS.
 */
async function profileFunctions(
  runs: RunSet,
  execution: Execution,
  { locate, ...options }: OptionalRun & LocateOptions,
): Promise<Partial<Pick<Execution, "profile" | "functionProfile">>> {
  if (execution.profile === null) return {};
  const build = locate ?? { wasm: null };
  const ran = await runAgain(runs, "functions", build, options);
  if (ran === null) {
    const reason = "the run that looked for the functions failed";
    return { functionProfile: { available: false, reason } };
  }
  const { profile, functionProfile } = ran;
  return profile === null || functionProfile === undefined ? {} : { profile, functionProfile };
}

const PURPOSES = {
  locate: "To find where the code stopped",
  functions: "To profile the functions of the code",
} as const;

/** The answer is already there, so a run that takes longer is not worth the wait. */
const WHY_MILLISECONDS = 1_500;

/** Finds which value decided that a contract's code failed; null if that is unknown. */
export async function decideWhy(
  runs: RunSet,
  execution: Execution,
  options: OptionalRun,
  milliseconds = WHY_MILLISECONDS,
): Promise<Why | null> {
  // No value decides if a budget ran out.
  if (!mayBeLocated(execution) || execution.hostError?.type === "Budget") return null;
  const { signal } = options;
  const ran = await optionalRun("To find which value decided", options, () =>
    runs.get({ why: true }, { signal, milliseconds }),
  );
  if (!ran?.why || namesLetters(ran.why)) return null;
  const why = withoutSameTerms(withSourceConditions(ran.why));
  return why && withAssetRule(why, execution, runs.request);
}

/**
 * Leaves out conditions that compare a value with itself, as the end of a loop does. Returns null
 * if no other condition is left.
 */
function withoutSameTerms(why: Why): Why | null {
  const conditions = why.conditions.filter(
    ({ terms: [left, right] }) => JSON.stringify(left) !== JSON.stringify(right),
  );
  if (conditions.length === why.conditions.length) return why;
  return conditions.length === 0 ? null : { ...why, conditions };
}

/** True if a condition names single letters of a text. Code usually compares complete texts. */
function namesLetters({ conditions, because = [] }: Why): boolean {
  const elements = [...conditions, ...because].flatMap(({ terms }) => terms.flatMap(elementsIn));
  const types = elements.map(({ of: [whole] = [] }) => typeNameOf(whole?.valueXdr ?? ""));
  const places = new Set(elements.map(({ index }) => index));
  const isOf = (text: string) => types.length > 0 && types.every((type) => type === text);
  const hasLater = [...places].some((place = 0) => place > 0);
  return (isOf("string") && hasLater) || (isOf("bytes") && places.size > 1);
}

function elementsIn(term: Term): Term[] {
  const within = (term.of ?? []).flatMap(elementsIn);
  return term.kind === "element" ? [term, ...within] : within;
}

/**
 * Returns which value decided that a contract's code failed, with the proof if a run with another
 * value is one. Null if the value is unknown, or if a run contradicts it.
 */
export async function findWhy(
  engines: Engines,
  runs: RunSet,
  replayed: Replayable & { readonly execution: Execution },
  options: OptionalRun,
): Promise<FoundWhy | null> {
  const why = await decideWhy(runs, replayed.execution, options);
  if (why === null) return null;
  const { testWhy } = await import("./prove-why.ts");
  return testWhy(engines, replayed, why, options);
}

/** Runs the replay once more, with the code. Null if that could not be carried out. */
function runAgain(
  runs: RunSet,
  option: keyof typeof PURPOSES,
  { wasm }: NamedBuild,
  options: OptionalRun,
): Promise<Execution | null> {
  const { signal } = options;
  const named = wasm === null ? {} : { wasm: wasm.toBase64() };
  const run = () => runs.get({ trace: true, [option]: named }, { signal });
  return optionalRun(PURPOSES[option], options, run);
}

/**
 * The call tree with the host calls, which show what an authorization was required for and which
 * entry a contract missed. Null if they would show nothing new, or if the run failed.
 */
export async function traceHostCalls(
  runs: RunSet,
  execution: Execution,
  options: OptionalRun,
): Promise<CallNode | null> {
  const { outcome, diagnosticsXdr } = execution;
  if (runs.request.options?.trace === "host_calls") return null;
  if (outcome.kind !== "failed" || !mayShowMore(readErrorReports(diagnosticsXdr))) return null;
  const { signal } = options;
  const ran = await optionalRun("To see what the contracts asked of the host", options, () =>
    runs.get({ trace: "host_calls" }, { signal, step: "replay" }),
  );
  return ran?.callTree ?? null;
}

/**
 * A suspicious argument with another value that makes the transaction succeed; null if none does.
 */
export async function tryOtherArguments(
  engines: Engines,
  replayed: Replayable & { readonly execution: Execution; readonly verdict: Verdict },
  { kind }: Pick<Cause, "kind">,
  options: OptionalRun,
): Promise<DecidingArgument | null> {
  if (CAUSES[kind].argument !== "is-usual" || !isRunOfChain(replayed.verdict)) return null;
  for (const { name, value, argumentsXdr } of argumentsToTry(failureIn(replayed))) {
    const { envelope } = withCallArguments(replayed.envelope, argumentsXdr);
    const ran = await optionalRun("To see whether an argument decided", options, () =>
      runVariant(engines, replayed, { envelope }, options),
    );
    if (ran?.outcome.kind === "success") return { name, value };
  }
  return null;
}

/**
 * Says whether host calls may explain an error. They do for authorizations, and for errors in
 * contracts, which often come from an absent entry.
 */
function mayShowMore(reports: readonly ErrorReport[]): boolean {
  const types = errorTypes(reports);
  return ["Auth", "Contract", "WasmVm"].some((type) => types.has(type));
}

function errorTypes(reports: readonly ErrorReport[]): ReadonlySet<string> {
  return new Set(reports.map(({ error }) => error.type));
}
