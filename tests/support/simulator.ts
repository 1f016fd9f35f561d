// The built svc-sim, for the tests of the calling file or block.

import { afterAll, beforeAll } from "bun:test";
import { ensureBuilt, RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openPool, openRecordingPool } from "../../src/simulator/pool.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";

const BUILD_MILLISECONDS = 900_000;

/** One worker, which ends with the tests. */
export function openTestSimulator(): Simulator {
  const simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
  beforeAll(ensureBuilt, BUILD_MILLISECONDS);
  afterAll(() => simulator[Symbol.asyncDispose]());
  return simulator;
}

/** Two workers of the recording build, which end with the tests. */
export function openTestRecorder(): RecordingSimulator {
  const recorder = openRecordingPool({ path: RECORDING_BINARY, size: 2 });
  afterAll(() => recorder[Symbol.asyncDispose]());
  return recorder;
}
