// What only a further run of the same request shows: where in its contract's code a transaction
// failed, what the functions of the code cost, what the contracts asked of the host. svc-sim is
// asked apart from the replay: neither such a run nor hostile debug information may cost the answer
// that is there already.

import { SvcError } from "../../base/errors/errors.ts";
import { plainStep } from "../../base/step.ts";
import type { FoundWhy } from "../../explain/explain.ts";
import { argumentsToTry, type DecidingArgument, failureIn } from "../../explain/other-argument.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import type { CallNode, CodeLocation, Execution } from "../../model/execution.ts";
import type { Cause } from "../../model/explanation.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import type { Why } from "../../model/why.ts";
import { withDeadline } from "../../simulator/simulator.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { withCallArguments } from "../../xdr/envelope/call-arguments.ts";
import type { ChainFacts } from "../../xdr/outcome/chain-facts.ts";
import { type ErrorReport, readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { type Replayable, runVariant } from "../run/run-variant.ts";

/** A build of a contract's code, for its names; null: none. */
interface NamedBuild {
  readonly wasm: Uint8Array | null;
}

interface LocateOptions {
  readonly signal: AbortSignal;
  readonly locate?: NamedBuild | null;
}

/** An error: it took too long, and the run that says why would do so too. */
type Together = Execution | SvcError | null;

/**
 * All that a failure in a contract's code is asked for below, in one run beside the replay; null
 * where that is not worth it, or cannot be carried out: then there is a run for each. It is of no
 * use where a proof of the state leads to another request. Never rejects.
 */
export async function askTogether(
  { simulator, step = plainStep }: Engines,
  request: ReplayRequest,
  chain: ChainFacts,
  { locate = null, fast = false, signal }: LocateOptions & { readonly fast?: boolean },
): Promise<Together> {
  if (chain.result.success) return null;
  const isNamed = locate !== null && locate.wasm !== null;
  if (isNamed || !gains(chain.reports) || errorTypes(chain.reports).has("Budget")) return null;
  const asked = { trace: "host_calls", why: !fast, ...(locate && { locate: {} }) } as const;
  const together = { ...request, options: { ...request.options, ...asked } };
  const run = () => simulator.replay(withDeadline(together, WHY_MILLISECONDS), { signal });
  return step("why", run).catch((error) => {
    const isLate = error instanceof SvcError && error.code === "SIMULATOR_TIMEOUT";
    return isLate ? error : null;
  });
}

/** Runs that do not need one another go side by side. `asked`: of that very request. */
export async function lookFurther(
  engines: Engines,
  { request, execution }: { readonly request: ReplayRequest; readonly execution: Execution },
  options: OptionalRun & LocateOptions,
  asked: Together,
): Promise<{ readonly execution: Execution; readonly tracedTree: CallNode | null }> {
  const together = asked instanceof SvcError ? null : asked;
  const [location, profiled, tracedTree] = await Promise.all([
    locateFailure(engines, request, execution, options, together),
    profileFunctions(engines, request, execution, options),
    traceHostCalls(engines, request, execution, options, together),
  ]);
  return { execution: { ...execution, ...profiled, ...(location && { location }) }, tracedTree };
}

/** Undefined where none was asked for, or it did not fail in a contract. Throws WASM_DIFFERS. */
export async function locateFailure(
  engines: Engines,
  request: ReplayRequest,
  execution: Execution,
  { locate = null, signal }: LocateOptions,
  together: Execution | null = null,
): Promise<CodeLocation | undefined> {
  if (locate === null || !mayBeLocated(execution)) return undefined;
  const ran = together ?? (await runAgain(engines, request, "locate", locate, signal));
  return "reason" in ran ? { kind: "unknown", reason: ran.reason } : ran.location;
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
 * The profile with the functions inside the contracts' wasm, in the place of the replay's; nothing
 * where that has no profile. Throws WASM_DIFFERS.
 */
export async function profileFunctions(
  engines: Engines,
  request: ReplayRequest,
  execution: Execution,
  { locate, signal }: LocateOptions,
): Promise<Partial<Pick<Execution, "profile" | "functionProfile">>> {
  if (execution.profile === null) return {};
  const build = locate ?? { wasm: null };
  const ran = await runAgain(engines, request, "functions", build, signal);
  if ("reason" in ran) return { functionProfile: { available: false, reason: ran.reason } };
  const { profile, functionProfile } = ran;
  return profile === null || functionProfile === undefined ? {} : { profile, functionProfile };
}

const PURPOSES = {
  locate: "To find where the code stopped",
  functions: "To profile the functions of the code",
} as const;

/** The answer is there already; a run that takes longer is not worth the wait. */
const WHY_MILLISECONDS = 1_500;

/** Which value decided that a contract's code failed; null where that is not known. */
export async function decideWhy(
  { simulator }: Engines,
  request: ReplayRequest,
  execution: Execution,
  options: OptionalRun,
  milliseconds = WHY_MILLISECONDS,
  together: Together = null,
): Promise<Why | null> {
  // No value decides where a budget ends.
  if (!mayBeLocated(execution) || execution.hostError?.type === "Budget") return null;
  const asked: ReplayRequest = { ...request, options: { diagnostics: true, why: true } };
  const ran = await optionalRun("To find which value decided", options, async () => {
    if (together instanceof SvcError) throw together;
    return together ?? simulator.replay(withDeadline(asked, milliseconds), options);
  });
  return ran?.why ?? null;
}

/** With the proof, where a run with another value is one. */
export async function findWhy(
  engines: Engines,
  request: ReplayRequest,
  replayed: Replayable & { readonly execution: Execution },
  options: OptionalRun,
  together: Together = null,
): Promise<FoundWhy | null> {
  const { execution } = replayed;
  const why = await decideWhy(engines, request, execution, options, WHY_MILLISECONDS, together);
  if (why === null) return null;
  const { proveWhy } = await import("./prove-why.ts");
  return { why, proof: await proveWhy(engines, replayed, why, options) };
}

/** The replay once more, its code run again; why not, where it could not be carried out. */
async function runAgain(
  { simulator }: Engines,
  request: ReplayRequest,
  option: keyof typeof PURPOSES,
  { wasm }: NamedBuild,
  signal: AbortSignal,
): Promise<Execution | { readonly reason: string }> {
  const named = wasm === null ? {} : { wasm: wasm.toBase64() };
  const options = { trace: true, diagnostics: true, [option]: named };
  const caveats: string[] = [];
  const run = () => simulator.replay({ ...request, options }, { signal });
  const ran = await optionalRun(PURPOSES[option], { signal, caveats }, run);
  return ran ?? { reason: caveats.join(" ").replace(/\.$/, "") };
}

/**
 * The call tree with the host calls, which show what an authorization was required for and which
 * entry a contract missed; null where nothing is to be gained, or it cannot be had.
 */
export async function traceHostCalls(
  { simulator, step = plainStep }: Engines,
  request: ReplayRequest,
  execution: Execution,
  options: OptionalRun,
  together: Execution | null = null,
): Promise<CallNode | null> {
  const { outcome, diagnosticsXdr } = execution;
  if (request.options?.trace === "host_calls") return null;
  if (outcome.kind !== "failed" || !gains(readErrorReports(diagnosticsXdr))) return null;
  if (together !== null) return together.callTree;
  const traced = { ...request, options: { ...request.options, trace: "host_calls" as const } };
  const ran = await optionalRun("To see what the contracts asked of the host", options, () =>
    step("replay", () => simulator.replay(traced, options)),
  );
  return ran?.callTree ?? null;
}

/** A suspicious argument with another value that makes the transaction succeed; null: none does. */
export async function tryOtherArguments(
  engines: Engines,
  replayed: Replayable & { readonly execution: Execution; readonly verdict: Verdict },
  { kind }: Cause,
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

/** Errors of authorization, and errors in contracts, which often come from an absent entry. */
function gains(reports: readonly ErrorReport[]): boolean {
  const types = errorTypes(reports);
  return ["Auth", "Contract", "WasmVm"].some((type) => types.has(type));
}

function errorTypes(reports: readonly ErrorReport[]): ReadonlySet<string> {
  return new Set(reports.map(({ error }) => error.type));
}
