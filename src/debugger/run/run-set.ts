// The runs of one request. What they record is different, and nothing else. A question is answered
// from a run that records at least what is asked; svc-sim runs again only if there is none.

import { SvcError } from "../../base/errors/errors.ts";
import { plainStep, type StepName, type StepRunner } from "../../base/step.ts";
import type { Execution } from "../../model/execution.ts";
import { type Simulator, withDeadline } from "../../simulator/simulator.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";

type Options = NonNullable<ReplayRequest["options"]>;

/** The facts that a run records beside its result and its diagnostic events. */
export type Recorded = Pick<
  Options,
  "trace" | "profile" | "why" | "locate" | "functions" | "branch"
>;

export interface RunSetOptions {
  readonly signal: AbortSignal;
  /** The most time that the run may take (default: what the request says). */
  readonly milliseconds?: number;
  /** The step of the walk that a new run belongs to. */
  readonly step?: StepName;
}

interface StartedRun {
  readonly recorded: Recorded;
  readonly milliseconds: number;
  readonly execution: Promise<Execution>;
}

export class RunSet {
  private readonly runs: StartedRun[] = [];
  private readonly simulator: Simulator;
  private readonly step: StepRunner;

  constructor(
    engines: { readonly simulator: Simulator; readonly step?: StepRunner },
    readonly request: ReplayRequest,
  ) {
    this.simulator = engines.simulator;
    this.step = engines.step ?? plainStep;
  }

  /**
   * Starts a run for the questions to come. Its failure is thrown by the first question that only
   * this run could answer in time; each other question gets a run of its own.
   */
  start(recorded: Recorded, options: RunSetOptions): Promise<Execution> {
    const { signal, milliseconds = Number.POSITIVE_INFINITY, step } = options;
    const { deadline_milliseconds } = this.request.options ?? {};
    const deadline = deadline_milliseconds === undefined ? {} : { deadline_milliseconds };
    const own = { ...this.request, options: { ...deadline, ...recorded, diagnostics: true } };
    const request =
      milliseconds === Number.POSITIVE_INFINITY ? own : withDeadline(own, milliseconds);
    const replay = () => this.simulator.replay(request, { signal });
    const execution = step === undefined ? replay() : this.step(step, replay);
    execution.catch(() => {});
    this.runs.push({ recorded, milliseconds, execution });
    return execution;
  }

  /** Waits until no run is under way. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.runs.map(({ execution }) => execution));
  }

  /** Throws the errors of the simulator. */
  async get(recordings: Recorded, options: RunSetOptions): Promise<Execution> {
    const { signal, milliseconds = Number.POSITIVE_INFINITY } = options;
    for (const run of this.runs.filter(({ recorded }) => hasRecorded(recorded, recordings))) {
      try {
        return await run.execution;
      } catch (error) {
        signal.throwIfAborted();
        // Another run with no more time would take too long as well.
        if (isLate(error) && milliseconds <= run.milliseconds) throw error;
      }
    }
    return this.start(recordings, options);
  }
}

function isLate(error: unknown): boolean {
  return error instanceof SvcError && error.code === "SIMULATOR_TIMEOUT";
}

/** The traces from nothing to everything. `calls` means the same as `true`. */
const TRACES: readonly Options["trace"][] = [false, true, "host_calls"];

/** Says whether `recorded` has at least everything in `needed`. */
function hasRecorded(recorded: Recorded, needed: Recorded): boolean {
  return (
    rank(recorded.trace) >= rank(needed.trace) &&
    (needed.profile !== true || recorded.profile === true) &&
    (needed.why !== true || recorded.why === true) &&
    isSame(recorded.locate, needed.locate) &&
    isSame(recorded.functions, needed.functions) &&
    isSame(recorded.branch, needed.branch)
  );
}

function rank(trace: Options["trace"] = false): number {
  return TRACES.indexOf(trace === "calls" ? true : trace);
}

function isSame(recorded: object | undefined, needed: object | undefined): boolean {
  return needed === undefined || JSON.stringify(recorded) === JSON.stringify(needed);
}
