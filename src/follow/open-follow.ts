// The dependencies of following, created from settings.

import { systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { checkHost } from "../debugger/run/rehearse.ts";
import {
  findProgram,
  findRecorder,
  inspectFoundSimulator,
  type SimulatorSurroundings,
} from "../debugger/setup/find-simulator.ts";
import { openConfiguredHttp, type SharedHttp } from "../debugger/setup/open-nodes.ts";
import { openRecordingOneShot } from "../simulator/one-shot.ts";
import { openLedgerEngine } from "../simulator/open-processes.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import { type Config, requireNodes } from "../sources/network-settings.ts";
import { openSources } from "../sources/open-source.ts";
import type { NoteProtocols } from "../sources/protocol-notes.ts";
import type { Standings } from "../sources/standing.ts";
import { openEngines } from "../verify/replay-transaction.ts";
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
  /** Of the nodes, where others ask them too. */
  readonly standings?: Standings;
  readonly noteProtocols?: NoteProtocols;
  /** Called once for each run of svc-sim. */
  readonly simulated?: SimulatorProgram["simulated"];
  readonly signal: AbortSignal;
}

export type OpenedFollow = AsyncDisposable &
  Omit<FollowDependencies, "log" | "store" | "report" | "committed">;

/** Throws SIMULATOR_*, USAGE for what cannot be watched, CONFIG_INVALID without nodes. */
export async function openFollow(config: Config, setup: FollowSetup): Promise<OpenedFollow> {
  requireNodes(config);
  const { surroundings, rehearseProtocol, signal } = setup;
  const watch = openWatch(setup.watch);
  if (rehearseProtocol !== null) {
    const { hosts } = await inspectFoundSimulator(config, surroundings, { signal });
    checkHost(hosts, rehearseProtocol);
  }
  const clock = systemClock;
  const http = openConfiguredHttp(config, setup);
  // Horizon has no ledgers and no entries.
  const settings = { ...config, horizonUrls: [], ledgerUrls: config.ledgerLakeUrls };
  const { sources } = openSources(
    { http, clock, standings: setup.standings, noteProtocols: setup.noteProtocols },
    settings,
  );
  const program = { ...findProgram(config, surroundings), simulated: setup.simulated };
  const recorder = setup.fix ? findRecorder(() => program) : null;
  const engines = openEngines(program, setup.jobs);
  return {
    engines: {
      ...engines,
      ...(recorder !== null &&
        !(recorder instanceof SvcError) && { recorder: openRecordingOneShot(recorder) }),
    },
    sources,
    startEngine: (signal) => openLedgerEngine(program, 1, [], signal),
    networkPassphrase: config.networkPassphrase,
    watch,
    fix: setup.fix,
    rehearseProtocol,
    successes: setup.successes,
    maximumBytes: setup.memoryBytes,
    clock,
    [Symbol.asyncDispose]: () => engines[Symbol.asyncDispose](),
  };
}
