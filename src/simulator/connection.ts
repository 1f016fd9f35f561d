// A running svc-sim as its callers see it, whether it is a process (simulator-process.ts) or
// WebAssembly. Both read and write lines of JSON (src/svc-sim/README.md).

import type { SvcError } from "../base/errors/errors.ts";
import type { Wording } from "../base/phrase.ts";
import type { SimulatorRun } from "./simulator-error.ts";
import type { SimulatorProgram } from "./simulator-program.ts";

/** Reads an answer. Throws the error that the answer reports, or SIMULATOR_INVALID_JSON. */
export type ReadAnswer<Answer> = (document: unknown, text: string, run: SimulatorRun) => Answer;

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** svc ends the simulator if its answer takes longer. */
  readonly patienceMilliseconds: number;
  /** The remedy if it takes longer. Default: more time. */
  readonly lateRemedy?: Wording;
}

export interface SimulatorConnection {
  readonly run: SimulatorRun;
  /**
   * Settles after the pieces are flushed. It never rejects, because the way in which the simulator
   * ended explains more.
   */
  write(...pieces: readonly (string | Uint8Array)[]): Promise<void>;
  /**
   * The lines that the simulator writes until it ends. With `unended`, a last line without a line
   * break counts. Throws SIMULATOR_INVALID_JSON at the limit of a line.
   */
  lines(form: { readonly unended: boolean }): AsyncGenerator<string>;
  /**
   * Sends one of several requests. Throws SIMULATOR_DIED, SIMULATOR_TIMEOUT and what `read` throws.
   */
  ask<Answer>(text: string, read: ReadAnswer<Answer>, options: AskOptions): Promise<Answer>;
  kill(): void;
  /** Waits until the simulator has ended, and returns how it ended. */
  end(): Promise<SvcError>;
  /** Closes the input. Nothing more can be written. */
  endInput(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts svc-sim with arguments. `limitBytes` is the size limit of a line that it writes. Throws
 * SIMULATOR_DIED if it cannot be started.
 */
export type Connect = (args: readonly string[], limitBytes?: number) => SimulatorConnection;

/** svc-sim and the way to start it. */
export interface ConnectedProgram extends SimulatorProgram {
  readonly connect: Connect;
}
