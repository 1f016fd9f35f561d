// A running svc-sim, as those who ask it see it, however it runs: a process (simulator-process.ts)
// or WebAssembly. Lines of JSON are written to it and read from it (src/svc-sim/README.md).

import type { SvcError } from "../base/errors/errors.ts";
import type { SimulatorRun } from "./simulator-error.ts";
import type { SimulatorProgram } from "./simulator-program.ts";

/** Throws the error that the answer reports, or SIMULATOR_INVALID_JSON. */
export type ReadAnswer<Answer> = (document: unknown, text: string, run: SimulatorRun) => Answer;

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** The simulator is ended when its answer takes longer. */
  readonly patienceMilliseconds: number;
}

export interface SimulatorConnection {
  readonly run: SimulatorRun;
  /** Settles when the data is flushed. Never rejects: how the simulator ended explains more. */
  write(data: string | Uint8Array): Promise<void>;
  /**
   * The lines that the simulator writes, until it ends. `unended`: also a last line without a line
   * break. Throws SIMULATOR_INVALID_JSON at the limit of a line.
   */
  lines(form: { readonly unended: boolean }): AsyncGenerator<string>;
  /** One request of several. Throws SIMULATOR_DIED, SIMULATOR_TIMEOUT and what `read` throws. */
  ask<Answer>(text: string, read: ReadAnswer<Answer>, options: AskOptions): Promise<Answer>;
  kill(): void;
  /** Waits until the simulator has ended, and says how. */
  end(): Promise<SvcError>;
  /** Nothing more is written. */
  endInput(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts svc-sim with arguments. `limitBytes`: of one line that it writes. Throws SIMULATOR_DIED
 * when it cannot be started.
 */
export type Connect = (args: readonly string[], limitBytes?: number) => SimulatorConnection;

/** svc-sim and the way to start it. */
export interface ConnectedProgram extends SimulatorProgram {
  readonly connect: Connect;
}
