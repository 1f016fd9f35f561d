// Rehearses another build of the recorded network's main contract on the ledgers of a long chain.

import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import type { Nodes } from "../../src/debugger/setup/open-engines.ts";
import { readBuild } from "../../src/rehearsal/new-builds.ts";
import { rehearseRange } from "../../src/rehearsal/read-traffic.ts";
import { Rehearser } from "../../src/rehearsal/rehearse-traffic.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { openReplayEngines, type ReplayEngines } from "../../src/verify/replay-transaction.ts";
import type { LongChain } from "./long-chain.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";
import { KITCHEN } from "./recorded-code.ts";

export interface RangeRehearsal {
  readonly range: { readonly first: number; readonly last: number };
  /** The code of the new build. */
  readonly bytes: Uint8Array;
  readonly jobs?: number;
  readonly everyPath?: boolean;
  /** The class that rehearses (default: that of svc). */
  readonly rehearsing?: typeof Rehearser;
  /** Called after all ledgers were read. `read` reads the transactions with these hashes. */
  readonly afterwards?: (
    rehearser: Rehearser,
    read: (only: ReadonlySet<string>) => Promise<void>,
  ) => Promise<void>;
  /** The simulator that makes the runs of svc itself (default: that of the engines). */
  readonly simulator?: (engines: ReplayEngines) => ReplayEngines["simulator"];
}

export async function rehearsedRange(chain: LongChain, rehearsal: RangeRehearsal) {
  const { range, bytes, jobs = 1, everyPath = false, rehearsing = Rehearser } = rehearsal;
  const networkPassphrase = chain.passphrase;
  const http = openHttp({ clock: systemClock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const settings = {
    network: "custom" as const,
    networkPassphrase,
    horizonUrls: [],
    origins: {} as never,
  };
  const { sources } = openSources(
    { http, clock: systemClock },
    { ...settings, rpcUrls: [chain.url] },
  );
  const program = { path: SIMULATOR_BINARY };
  await using engines = openReplayEngines(program, jobs);
  const simulator = rehearsal.simulator?.(engines) ?? engines.simulator;
  const builds = new Map([[KITCHEN, readBuild({ file: "new.wasm", bytes })]]);
  const choice = { function: null, everyPath, last: null, first: null, inSequence: false };
  const rehearser = new rehearsing({ ...engines, simulator, recorder: null }, builds, choice);
  const options = { signal: NEVER_ABORTED, progress: () => {} };
  const nodes = { sources, networkPassphrase } as Nodes;
  const read = (only: ReadonlySet<string> | null) =>
    rehearseRange({ engines, rehearser, program, jobs, ...options }, nodes, range, only);
  await read(null);
  await rehearsal.afterwards?.(rehearser, read);
  const document = await rehearser.finish(options);
  const again = () => rehearser.finish(options);
  return { document: { ...document, calls: [...document.calls] }, rehearser, again };
}
