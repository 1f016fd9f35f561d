// Several `svc-sim serve` workers behind one queue, as a simulator or a recording simulator.

import { blamingClient, ENVELOPE_ALONE, type WrittenParts } from "./client-fault.ts";
import { parsed, readResponse, readWire } from "./read-response.ts";
import { isEnd, type RecordingSimulator, readRecording } from "./recording-simulator.ts";
import type { RunOptions, Simulator } from "./simulator.ts";
import type { SimulatorRun } from "./simulator-error.ts";
import { countedRun, type SimulatorProgram } from "./simulator-program.ts";
import type { ReplayRequest } from "./wire-schema.ts";
import { type PoolHealth, WorkerPool, type WorkerPoolOptions } from "./worker-pool.ts";

export type { PoolHealth, PoolStatus } from "./worker-pool.ts";

export interface PoolOptions extends SimulatorProgram, WorkerPoolOptions {}

export interface SimulatorPool extends Simulator, PoolHealth {
  /**
   * Returns the response of svc-sim as it is on the wire (src/svc-sim/README.md), without its `id`.
   * `written` has the parts of the request that a client wrote, whose faults are the client's.
   */
  respond(
    request: ReplayRequest,
    options: RunOptions & { readonly written: WrittenParts },
  ): Promise<string>;
}

export interface RecordingPool extends RecordingSimulator, PoolHealth {}

export function openPool(options: PoolOptions): SimulatorPool {
  const pool = new WorkerPool(options);
  return {
    replay: (request, run) =>
      countedRun(options, () => pool.run(request, parsed(readResponse), run)),
    respond: (request, { written, ...run }) => {
      const read = (line: string, by: SimulatorRun) =>
        blamingClient(() => readWire(line, by), written);
      return countedRun(options, () => pool.run(request, read, run));
    },
    ...healthOf(pool),
    [Symbol.asyncDispose]: () => pool.dispose(),
  };
}

/** Opens a pool of svc-sim-recording workers. */
export function openRecordingPool(options: PoolOptions): RecordingPool {
  const pool = new WorkerPool(options);
  return {
    record: (request, run) => {
      const read = (line: string, by: SimulatorRun) =>
        blamingClient(() => parsed(readRecording)(line, by), ENVELOPE_ALONE);
      return countedRun(options, () => pool.run(request, read, run), isEnd);
    },
    ...healthOf(pool),
    [Symbol.asyncDispose]: () => pool.dispose(),
  };
}

function healthOf(pool: PoolHealth): PoolHealth {
  return { status: () => pool.status(), residentBytes: () => pool.residentBytes() };
}
