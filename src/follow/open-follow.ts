// The dependencies of following, created from settings.

import { systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { checkHost } from "../debugger/run/rehearse.ts";
import { findRecorder, type SimulatorSurroundings } from "../debugger/setup/find-simulator.ts";
import type { SharedHttp } from "../debugger/setup/open-nodes.ts";
import { openRecordingOneShot } from "../simulator/one-shot.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { Config } from "../sources/network-settings.ts";
import type { NoteProtocols } from "../sources/protocol-notes.ts";
import type { Standings } from "../sources/standing.ts";
import { openWork, type Work } from "../tools/open-work.ts";
import { openReplayEngines } from "../verify/replay-transaction.ts";
import type { FollowDependencies } from "./follow-ledgers.ts";
import { openWatch, type WatchList } from "./watch-list.ts";

export interface FollowSetup extends Pick<SharedHttp, "observe" | "answers"> {
  readonly surroundings: SimulatorSurroundings;
  readonly watch: WatchList;
  readonly fix: boolean;
  readonly rehearseProtocol: number | null;
  readonly successes: boolean;
  readonly memoryBytes: number;
  readonly jobs: number;
  /** The standings of the nodes, if other work asks them too. */
  readonly standings?: Standings;
  readonly noteProtocols?: NoteProtocols;
  /** Called once for each run of svc-sim. */
  readonly simulated?: SimulatorProgram["simulated"];
  /** Called for each process of svc-sim without a pool that was lost. */
  readonly lost?: SimulatorProgram["lost"];
  readonly signal: AbortSignal;
}

export type OpenedFollow = AsyncDisposable &
  Omit<FollowDependencies, "log" | "store" | "report" | "committed">;

/**
 * Opens the dependencies. Throws SIMULATOR_*, USAGE for something that cannot be watched, and
 * CONFIG_INVALID without nodes.
 */
export async function openFollow(config: Config, setup: FollowSetup): Promise<OpenedFollow> {
  const { surroundings, rehearseProtocol, signal, standings, noteProtocols } = setup;
  const { observe, answers } = setup;
  const counted = { simulated: setup.simulated, lost: setup.lost };
  const work: Work = openWork(config, {
    surroundings,
    observe,
    answers,
    asksHorizon: false,
    ...(standings && { standings }),
    ...(noteProtocols && { noteProtocols }),
    program: () => ({ ...work.program(), ...counted }),
  });
  const { sources, startEngine } = await work.nodes();
  const watch = openWatch(setup.watch);
  if (rehearseProtocol !== null) {
    const { hosts } = await work.inspect({ signal });
    checkHost(hosts, rehearseProtocol);
  }
  const program = { ...work.program(), ...counted };
  const recorder = setup.fix ? findRecorder(() => program) : null;
  const engines = openReplayEngines(program, setup.jobs);
  return {
    engines: {
      ...engines,
      ...(recorder !== null &&
        !(recorder instanceof SvcError) && { recorder: openRecordingOneShot(recorder) }),
    },
    sources,
    startEngine,
    networkPassphrase: config.networkPassphrase,
    watch,
    fix: setup.fix,
    rehearseProtocol,
    successes: setup.successes,
    maximumBytes: setup.memoryBytes,
    clock: systemClock,
    [Symbol.asyncDispose]: () => engines[Symbol.asyncDispose](),
  };
}
