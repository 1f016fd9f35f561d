// Recording × Snapshot → Execution and Verdict, with the very engine that the network ran.
//
// One network's engine is not known from its protocol alone: stellar-core's own tests run builds
// whose newest host is compiled with `testutils`, whose metering differs (docs/conformance.md).
// Their ledgers are replayed with the network's host first, and once more with such a build where
// one is at hand.

import { plainStep, type Step } from "../base/step.ts";
import type { Execution } from "../model/execution.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Simulator } from "../simulator/simulator.ts";
import type { SimulationRequest } from "../simulator/wire-schema.ts";
import { judge } from "../verdict/judge.ts";
import {
  dependsOnTimesToLive,
  endedAlike,
  withLowestTimesToLive,
  withProvenTimesToLive,
} from "./prove-times-to-live.ts";

export interface Engines {
  readonly simulator: Simulator;
  /** svc-sim with stellar-core's test hosts, where there is one. */
  readonly coreTestSimulator?: Simulator | null;
  /** Told of each step. */
  readonly step?: Step;
}

export interface Replayed {
  readonly execution: Execution;
  readonly verdict: Verdict;
}

/** The network of stellar-core's tests (src/test/test.cpp, `getTestConfig`). */
const CORE_TEST_PASSPHRASE = "(V) (;,,;) (V)";

/** Throws what the simulators throw. */
export async function replay(
  engines: Engines,
  recording: Recording,
  snapshot: Snapshot,
  request: SimulationRequest,
  options: { readonly signal: AbortSignal },
): Promise<Replayed> {
  const replayed = await replayWith(
    engines,
    engines.simulator,
    recording,
    snapshot,
    request,
    options,
  );
  if (dependsOnTimesToLive(replayed.verdict, snapshot)) {
    return proveTimesToLive(engines, replayed, recording, snapshot, request, options);
  }
  const { coreTestSimulator } = engines;
  if (!coreTestSimulator || !mayBeTestBuild(recording, replayed.verdict)) return replayed;
  const again = await replayWith(engines, coreTestSimulator, recording, snapshot, request, options);
  return again.verdict.kind === "exact" ? again : replayed;
}

async function replayWith(
  { step = plainStep }: Engines,
  simulator: Simulator,
  recording: Recording,
  snapshot: Snapshot,
  request: SimulationRequest,
  options: { readonly signal: AbortSignal },
): Promise<Replayed> {
  const execution = await step("simulation", () => simulator.simulate(request, options));
  const verdict = await step("verdict", () => judge(recording, snapshot, execution));
  return { execution, verdict };
}

async function proveTimesToLive(
  { step = plainStep, simulator }: Engines,
  { execution, verdict }: Replayed,
  recording: Recording,
  snapshot: Snapshot,
  request: SimulationRequest,
  options: { readonly signal: AbortSignal },
): Promise<Replayed> {
  const lowest = withLowestTimesToLive(request, snapshot, recording.ledger.sequence);
  const other = await step("simulation", () => simulator.simulate(lowest, options));
  if (!endedAlike(execution, other)) return { execution, verdict };
  return { execution, verdict: judge(recording, withProvenTimesToLive(snapshot), execution) };
}

function mayBeTestBuild(recording: Recording, verdict: Verdict): boolean {
  return (
    recording.networkPassphrase === CORE_TEST_PASSPHRASE &&
    (verdict.kind === "equivalent" || verdict.kind === "diverged")
  );
}
