// Recording × Snapshot → Execution and Verdict, with the very engine that the network ran.
//
// One network's engine is not known from its protocol alone: stellar-core's own tests run builds
// whose newest host is compiled with `testutils`, whose metering differs (docs/conformance.md).
// Their ledgers are replayed with the network's host first, and once more with such a build where
// one is at hand.

import { plainStep, type Step } from "../../base/step.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import type { RecordingSimulator } from "../../simulator/recording-simulator.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { judge } from "../../verdict/judge.ts";
import { type OptionalRun, optionalRun } from "./optional-run.ts";
import { dependsOnCodeCache, withCachedCode } from "./prove-code-cache.ts";
import { dependsOnTtls, endedAlike, withLowestTtls, withProvenTtls } from "./prove-ttls.ts";

export interface Engines {
  readonly simulator: Simulator;
  /** svc-sim with stellar-core's test hosts, where there is one. */
  readonly coreTest?: CoreTestEngine | null;
  /** svc-sim-recording, where there is one. */
  readonly recorder?: RecordingSimulator | null;
  /** Told of each step. */
  readonly step?: Step;
}

export interface CoreTestEngine {
  readonly simulator: Simulator;
  /** It reproduced the last transaction, where the network's host did not: it is asked first. */
  wroteLast: boolean;
}

export interface Replayed {
  readonly execution: Execution;
  readonly verdict: Verdict;
}

/** The network of stellar-core's tests (src/test/test.cpp, `getTestConfig`). */
const CORE_TEST_PASSPHRASE = "(V) (;,,;) (V)";

/** Throws what the simulators throw at the replay itself; a proof that cannot be run is a caveat. */
export async function replay(
  engines: Engines,
  record: ChainRecord,
  snapshot: Snapshot,
  request: ReplayRequest,
  options: OptionalRun,
): Promise<Replayed> {
  const replayed = await replayOnce(engines, record, snapshot, request, options);
  if (!dependsOnCodeCache(replayed.verdict, snapshot)) return replayed;
  const cached = withCachedCode(snapshot, request);
  const other = await optionalRun("To find out whether code was cached", options, () =>
    replayOnce(engines, record, cached.snapshot, cached.request, options),
  );
  return other?.verdict.kind === "exact" ? other : replayed;
}

async function replayOnce(
  engines: Engines,
  record: ChainRecord,
  snapshot: Snapshot,
  request: ReplayRequest,
  options: OptionalRun,
): Promise<Replayed> {
  const { coreTest } = engines;
  const run = (simulator: Simulator) =>
    replayWith(engines, simulator, record, snapshot, request, options);
  if (coreTest && record.networkPassphrase === CORE_TEST_PASSPHRASE) {
    return replayOfCoreTest(engines.simulator, coreTest, run);
  }
  const replayed = await run(engines.simulator);
  if (!dependsOnTtls(replayed.verdict, snapshot)) return replayed;
  return proveTtls(engines, replayed, record, snapshot, request, options);
}

/** The test build's word counts only where it is exact; otherwise the network's host has it. */
async function replayOfCoreTest(
  simulator: Simulator,
  coreTest: CoreTestEngine,
  run: (simulator: Simulator) => Promise<Replayed>,
): Promise<Replayed> {
  if (coreTest.wroteLast) {
    const byTestBuild = await run(coreTest.simulator);
    if (byTestBuild.verdict.kind === "exact") return byTestBuild;
    coreTest.wroteLast = false;
    return run(simulator);
  }
  const replayed = await run(simulator);
  if (!mayBeTestBuild(replayed.verdict)) return replayed;
  const byTestBuild = await run(coreTest.simulator);
  if (byTestBuild.verdict.kind !== "exact") return replayed;
  coreTest.wroteLast = true;
  return byTestBuild;
}

async function replayWith(
  { step = plainStep }: Engines,
  simulator: Simulator,
  record: ChainRecord,
  snapshot: Snapshot,
  request: ReplayRequest,
  options: { readonly signal: AbortSignal },
): Promise<Replayed> {
  const execution = await step("replay", () => simulator.replay(request, options));
  const verdict = await step("verdict", () => judge(record, snapshot, execution));
  return { execution, verdict };
}

async function proveTtls(
  { step = plainStep, simulator }: Engines,
  { execution, verdict }: Replayed,
  record: ChainRecord,
  snapshot: Snapshot,
  request: ReplayRequest,
  options: OptionalRun,
): Promise<Replayed> {
  const lowest = withLowestTtls(request, snapshot, record.ledger.sequence);
  const other = await optionalRun("To prove that TTLs do not matter", options, () =>
    step("replay", () => simulator.replay(lowest, options)),
  );
  if (other === null || !endedAlike(execution, other)) return { execution, verdict };
  return { execution, verdict: judge(record, withProvenTtls(snapshot), execution) };
}

function mayBeTestBuild({ kind }: Verdict): boolean {
  return kind === "equivalent" || kind === "diverged";
}
