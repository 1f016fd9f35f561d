// The tools of svc for many clients at once. Requests for the same transaction share one walk. The
// number of walks at a time is limited, so that neither nodes nor the thread that answers everybody
// is overloaded; other walks wait for their turn. Simulations use the room of all runs.

import type { SvcErrorFields } from "../../base/errors/errors.ts";
import { plainStep, type StepRunner } from "../../base/step.ts";
import { openQueueOfTurns } from "../../base/turns.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { Tracing } from "../../report/otlp/open-tracing.ts";
import { openLimit } from "../../tools/limit.ts";
import type { Run, Tools } from "../../tools/tools.ts";
import { type Admission, admitted } from "./admission.ts";
import { Coalescer } from "./coalesce.ts";
import { openTurns } from "./turns.ts";

/** Each walk makes about a dozen requests to nodes. */
const MOST_WALKS = 32;
/** A verification keeps the thread that answers everybody busy. */
const MOST_VERIFICATIONS = 1;
/** Each call runs in a fork of its own, with processes of its own. */
const MOST_CALLS = 4;
/** Each proof reads files of an archive, and may replay 64 ledgers in a svc-sim of its own. */
const MOST_PROOFS = 2;

export interface LimitOptions {
  /** Null if there are no traces. */
  readonly tracing: Tracing | null;
  /** The room for runs of svc-sim. */
  readonly runs: Admission;
}

export function limitTools(tools: Tools, { tracing, runs }: LimitOptions): Tools {
  const reports = new Coalescer<Investigation>();
  const pages = new Coalescer<Investigation>();
  const walks = openTurns(MOST_WALKS);
  const proofs = openLimit(MOST_PROOFS, refusal("proofs of a transaction's state"));
  const calls = openLimit(MOST_CALLS, refusal("calls of contracts"));
  const { call, describe } = tools;
  const verifications = openLimit(MOST_VERIFICATIONS, refusal("ranges of ledgers"));
  const step = oneAtATime(tracing?.step ?? plainStep);
  return {
    ...tools,
    async debug(subject, options, callerRun) {
      const { prove = null } = subject;
      const debug = (run: Run) => {
        const action = () =>
          walks.run(run, () => tools.debug(subject, options, { ...run, step: run.step ?? step }));
        return prove === null ? action() : proofs(action);
      };
      if (!("hash" in subject)) return debug(callerRun);
      const { hash } = subject;
      const walk = (run: Run) => {
        const action = () => debug(run);
        return tracing === null ? action() : tracing.transaction(hash, action, run.traceparent);
      };
      if (options.overrides) return walk(callerRun);
      const shared = options.profile ? pages : reports;
      const key = prove === null ? hash : `${hash} proven, ledger ${prove.ledger}`;
      return shared.run(key, callerRun, walk);
    },
    ...(call && { call: (request, run) => calls(() => call(request, run)) }),
    ...(describe && { describe: (contract, run) => calls(() => describe(contract, run)) }),
    capture: (hash, run, prove) => walks.run(run, () => tools.capture(hash, run, prove)),
    simulate: (parameters, run) =>
      admitted(runs, run, (inside) => tools.simulate(parameters, { ...run, ...inside })),
    explain: (request, run) =>
      request.contract
        ? walks.run(run, () => tools.explain(request, run))
        : tools.explain(request, run),
    verify: (...request) => verifications(() => tools.verify(...request)),
  };
}

/**
 * Begins the steps of all walks one after another, because a step may keep the thread busy for some
 * milliseconds. Other ready work is done between them, so that a walk takes as long as before, and
 * no other request waits for the steps of many.
 */
function oneAtATime(step: StepRunner): StepRunner {
  const ownTurn = openQueueOfTurns();
  return async (name, action) => {
    await ownTurn();
    return step(name, action);
  };
}

function refusal(work: string) {
  return (running: number): SvcErrorFields => ({
    message: `This server already works on ${running} ${work}, the maximum.`,
    remedy: "Try again later.",
  });
}
