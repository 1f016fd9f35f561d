// Opens the nodes that the settings name, with the way in which they are asked.

import { BUILD_INFO } from "../../base/build-info.ts";
import { systemClock } from "../../base/clock.ts";
import { type Http, type HttpDependencies, openHttp } from "../../base/http/http.ts";
import { LedgerReader } from "../../ledgers/ledger-reader.ts";
import { openLedgerEngine } from "../../simulator/open-processes.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";
import type { StartEngine } from "../../snapshot/gather/gather-evidence.ts";
import { openLedgerFiles } from "../../sources/files/ledger-file.ts";
import { type Config, requireNodes } from "../../sources/network-settings.ts";
import { openSources } from "../../sources/open-source.ts";
import type { NoteProtocols } from "../../sources/protocol-notes.ts";
import type { Standings } from "../../sources/standing.ts";
import type { CaptureDependencies } from "../walk/capture-transaction.ts";

/** The parts that all runs share, if there are several runs. */
export type SharedHttp = Pick<HttpDependencies, "observe" | "headers" | "answers">;

export interface CaptureOptions extends SharedHttp {
  /** Files of ledgers that are asked besides the nodes. */
  readonly ledgerFiles: readonly string[];
  readonly progress: (text: string) => void;
  /** How the nodes have answered lately (default: known for this run only). */
  readonly standings?: Standings;
  /** Set if svc runs for long; absent if nothing is noted. */
  readonly noteProtocols?: NoteProtocols;
  /** svc-sim, which folds ledgers. Throws SIMULATOR_NOT_FOUND. */
  readonly program: () => SimulatorProgram;
  /** False if only sources of ledgers and entries are asked. Horizon has neither. */
  readonly asksHorizon?: boolean;
}

/** Throws CONFIG_INVALID if no node is configured. */
export function openCapture(
  config: Config,
  {
    ledgerFiles,
    progress,
    standings,
    program,
    noteProtocols,
    asksHorizon = true,
    ...shared
  }: CaptureOptions,
): CaptureDependencies {
  if (ledgerFiles.length === 0) requireNodes(config);
  const { networkPassphrase } = config;
  const local = ledgerFiles.length === 0 ? [] : [openLedgerFiles(ledgerFiles, networkPassphrase)];
  const { sources, elsewhere } = openSources(
    {
      http: openConfiguredHttp(config, shared),
      clock: systemClock,
      standings,
      progress,
      noteProtocols,
    },
    {
      ...config,
      horizonUrls: asksHorizon ? config.horizonUrls : [],
      ledgerUrls: config.ledgerLakeUrls,
      local,
    },
  );
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine: StartEngine = (signal, { isRepeated }) =>
    openLedgerEngine({ ...program(), isRepeated }, 1, [], signal);
  return { sources, ledgers, startEngine, elsewhere, networkPassphrase, progress };
}

/** Opens the HTTP client with which nodes are asked in a run, or in all runs of a daemon. */
export function openConfiguredHttp(
  settings: Pick<Config, "timeoutMilliseconds" | "rpcUrls" | "rpcHeaders">,
  shared: SharedHttp = {},
): Http {
  const { timeoutMilliseconds, rpcUrls, rpcHeaders } = settings;
  const userAgent = `svc/${BUILD_INFO.version}`;
  const secrets = Object.fromEntries(rpcHeaders.map(({ name, value }) => [name, value]));
  const secretHeaders = (url: string) => (rpcUrls.includes(url) ? secrets : {});
  return openHttp({ clock: systemClock, timeoutMilliseconds, userAgent, secretHeaders, ...shared });
}
