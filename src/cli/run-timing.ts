// Writes a line to stderr for each phase of a run with --timing: when the phase began, and how long
// it took. Phases of one transaction may overlap, because independent runs go side by side; so may
// transactions. Invariant: a phase returns or throws what its action returns or throws.

import { type Clock, systemClock } from "../base/clock.ts";
import type { StepName, StepRunner } from "../base/step.ts";

/** The phases besides the steps of the walk. */
export type Phase = StepName | "load" | "capsule" | "report";

export interface Timing {
  phase<Result>(name: Phase, action: () => Result | Promise<Result>): Promise<Result>;
  /** A runner of the steps of one transaction, each with its lines. `inner` observes them too. */
  stepOf(subject: string | null, inner: StepRunner): StepRunner;
  /** Writes the line of the whole run. */
  end(): void;
}

export interface TimingOptions {
  readonly write: (text: string) => void;
  /** A clock whose monotonic milliseconds are 0 at the start of svc. */
  readonly clock?: Pick<Clock, "monotonicMilliseconds">;
}

export const plainTiming: Timing = {
  phase: async (_name, action) => action(),
  stepOf: (_subject, inner) => inner,
  end: () => {},
};

/** The characters of a hash that are shown: enough to distinguish the transactions of a run. */
const SHOWN = 8;

/** Opens the timing when the command begins. The time before that is the phase `start`. */
export function openTiming({ write, clock = systemClock }: TimingOptions): Timing {
  const tell = (name: string, begin: number, end: number) =>
    write(`${ms(begin)}  ${`+${(end - begin).toFixed(1)}`.padStart(8)} ms  ${name}`);
  const timed = async <Result>(name: string, action: () => Result | Promise<Result>) => {
    const begin = clock.monotonicMilliseconds();
    try {
      return await action();
    } finally {
      tell(name, begin, clock.monotonicMilliseconds());
    }
  };
  tell("start", 0, clock.monotonicMilliseconds());
  return {
    phase: timed,
    stepOf: (subject, inner) => (name, action) =>
      timed(subject === null ? name : `${name} of ${subject.slice(0, SHOWN)}…`, () =>
        inner(name, action),
      ),
    end: () => tell("total", 0, clock.monotonicMilliseconds()),
  };
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(1).padStart(8)} ms`;
}
