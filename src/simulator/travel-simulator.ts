// A `svc-sim serve` process that keeps one recorded transaction for stepping. It answers one
// request after another, and ends with the session.

import type { Execution } from "../model/execution.ts";
import {
  type ExecutionTrace,
  TRAVEL_ANSWERS,
  type TravelAnswer,
  type TravelKind,
  traceSchema,
} from "../model/travel.ts";
import type {
  AskOptions,
  ConnectedProgram,
  ReadAnswer,
  SimulatorConnection,
} from "./connection.ts";
import { readAnswer, readResponse } from "./read-response.ts";
import { patienceOf } from "./simulator.ts";
import { countedRun, countLoss, isFailedRun } from "./simulator-program.ts";
import type { ReplayRequest } from "./wire-schema.ts";

export class TravelSimulator {
  private readonly simulator: SimulatorConnection;
  private turn: Promise<unknown> = Promise.resolve();

  /** Starts the process. Throws SIMULATOR_DIED if the program cannot be started. */
  constructor(private readonly program: ConnectedProgram) {
    try {
      this.simulator = program.connect(["serve"]);
    } catch (error) {
      countLoss(program, error);
      if (isFailedRun(program, error)) program.simulated?.("error");
      throw error;
    }
  }

  /**
   * Records a run. `wasm` has builds with debug information. `trace` is null if the recorded run
   * differed from the replay in any byte. Throws WASM_DIFFERS, and what the simulator throws.
   */
  trace(
    request: ReplayRequest,
    wasm: readonly Uint8Array[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<{ readonly execution: Execution; readonly trace: ExecutionTrace | null }> {
    const builds = wasm.map((build) => build.toBase64());
    const options = {
      ...request.options,
      trace: true,
      diagnostics: true,
      record: { wasm: builds },
    };
    return this.ask(
      { ...request, options },
      (document, line, run) => {
        const execution = readResponse(document, line, run);
        const has = typeof document === "object" && document !== null && "record" in document;
        const trace = has ? readAnswer(traceSchema, document.record, line, run) : null;
        return { execution, trace };
      },
      { signal, patienceMilliseconds: patienceOf(request) },
      () => true,
    );
  }

  travel<Kind extends TravelKind>(
    kind: Kind,
    query: Readonly<Record<string, unknown>>,
  ): Promise<TravelAnswer<Kind>> {
    const fields = Object.entries(query).map(([name, value]) => [snakeCase(name), value]);
    return this.ask(
      { travel: { kind, ...Object.fromEntries(fields) } },
      (document, line, run) => readAnswer(TRAVEL_ANSWERS[kind] as never, document, line, run),
      { patienceMilliseconds: patienceOf({}) },
      () => false,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.simulator[Symbol.asyncDispose]();
  }

  private ask<Answer>(
    request: object,
    read: ReadAnswer<Answer>,
    options: AskOptions,
    /** Says whether the answer is that of a run. */
    isRun: () => boolean,
  ): Promise<Answer> {
    const { patienceMilliseconds: longest = Number.POSITIVE_INFINITY } = this.program;
    const patienceMilliseconds = Math.min(options.patienceMilliseconds, longest);
    const asking = { ...options, patienceMilliseconds };
    const ask = async () => {
      try {
        return await this.simulator.ask(JSON.stringify(request), read, asking);
      } catch (error) {
        countLoss(this.program, error);
        throw error;
      }
    };
    const answer = this.turn.then(() => countedRun(this.program, ask, isRun));
    this.turn = answer.catch(() => {});
    return answer;
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
