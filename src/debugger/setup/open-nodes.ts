// Settings → the nodes that are asked, and how.

import { BUILD_INFO } from "../../base/build-info.ts";
import { systemClock } from "../../base/clock.ts";
import { type Http, type HttpDependencies, openHttp } from "../../base/http/http.ts";
import { LedgerReader } from "../../ledgers/ledger-reader.ts";
import { locateRecordingSimulator } from "../../simulator/locate.ts";
import { openOneShot } from "../../simulator/one-shot.ts";
import { openRecordingOneShot } from "../../simulator/recording-simulator.ts";
import { type Config, requireNodes } from "../../sources/network-settings.ts";
import { openSources } from "../../sources/open-source.ts";
import type { Standings } from "../../sources/standing.ts";
import { openCurrentState } from "../simulate/current-state.ts";
import type { ReportDependencies } from "../simulate/report-simulation.ts";
import type { CaptureDependencies } from "../walk/capture-transaction.ts";
import { findSimulator, type SimulatorSurroundings } from "./find-simulator.ts";

/** What all that asks nodes shares, where there is more than one run. */
export type SharedHttp = Pick<HttpDependencies, "observe" | "headers" | "answers">;

export interface CaptureOptions extends SharedHttp {
  /** Files of ledgers that are asked beside the nodes. */
  readonly ledgerFiles: readonly string[];
  readonly progress: (text: string) => void;
  /** How the nodes have answered lately; that is known for this run alone when not given. */
  readonly standings?: Standings;
}

/** Throws CONFIG_INVALID when no node is configured. */
export function openCapture(
  config: Config,
  { ledgerFiles, progress, standings, ...shared }: CaptureOptions,
): CaptureDependencies {
  if (ledgerFiles.length === 0) requireNodes(config);
  const { sources, elsewhere } = openSources(
    { http: openConfiguredHttp(config, shared), clock: systemClock, standings, progress },
    { ...config, ledgerUrls: config.ledgerLakeUrls, ledgerFiles },
  );
  const { networkPassphrase } = config;
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  return { sources, ledgers, elsewhere, networkPassphrase, progress };
}

/** For one simulation of what has not been sent. Throws SIMULATOR_NOT_FOUND, CONFIG_INVALID. */
export function openSimulation(
  config: Config,
  surroundings: SimulatorSurroundings,
): ReportDependencies {
  requireNodes(config);
  const http = openConfiguredHttp(config);
  const { sources } = openSources({ http, clock: systemClock }, { ...config, horizonUrls: [] });
  const path = findSimulator(config, surroundings);
  return {
    simulator: openRecordingOneShot(locateRecordingSimulator(path)),
    replayer: openOneShot({ path }),
    // One run is on one ledger, or on later ones where a node has answered of those.
    state: openCurrentState({
      sources,
      clock: systemClock,
      maximumAgeMilliseconds: Number.POSITIVE_INFINITY,
    }),
    networkPassphrase: config.networkPassphrase,
  };
}

/** How nodes are asked in a run, or in all runs of a daemon. */
export function openConfiguredHttp(
  { timeoutMilliseconds }: Config,
  { observe, headers, answers }: SharedHttp = {},
): Http {
  const userAgent = `svc/${BUILD_INFO.version}`;
  return openHttp({
    clock: systemClock,
    timeoutMilliseconds,
    userAgent,
    ...(observe && { observe }),
    ...(headers && { headers }),
    answers,
  });
}
