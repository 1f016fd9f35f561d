// What walks are for: a document, a page, and answers for agents, with the daemon's pools.

import type { SimulationPool } from "../debugger/setup/open-simulation-pool.ts";
import { forClient } from "../debugger/setup/open-simulator-pool.ts";
import { captureTransaction } from "../debugger/walk/capture-transaction.ts";
import { type DebugDependencies, debugTransaction } from "../debugger/walk/debug-transaction.ts";
import { openCapsule } from "../debugger/walk/open-capsule.ts";
import { type DebugOptions, replayCaptured } from "../debugger/walk/replay-captured.ts";
import { openAllowedDirectory } from "../mcp/allowed-directory.ts";
import type { Investigation } from "../model/investigation.ts";
import { renderJson } from "../report/json.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import { encodeCapsule } from "../sources/files/capsule.ts";
import { verifyRange } from "../verify/verify-range.ts";
import { openAgentServices } from "./agent-services.ts";
import type { SharedRun } from "./coalesce.ts";
import type { DaemonConfig } from "./daemon-settings.ts";
import { openDebugService } from "./debug-service.ts";
import { openPageService } from "./page/page-service.ts";
import type { Services } from "./services.ts";

export interface WalkOptions {
  readonly dependencies: Omit<DebugDependencies, "progress">;
  /** Of svc-sim, for what does not run in the pool. */
  readonly simulatorPath: string;
  readonly simulation: Pick<SimulationPool, "report">;
  /** Null: no traces. */
  readonly tracing: Tracing | null;
  readonly daemon: Pick<DaemonConfig, "allowDirectory">;
}

type Recorded = Pick<DebugOptions, "profile" | "hostCalls" | "overrides">;

/** Each walk makes about a dozen requests to nodes. */
const MOST_WALKS = 32;
/** Clients who fill a disk fill no more than this: a capsule has some hundred kilobytes. */
const MOST_FILES = 1_000;

/** Throws FILE_UNREADABLE when there is no allowed directory of that name. */
export function openWalkedServices(
  options: WalkOptions,
): Pick<Services, "debug" | "pages" | "agents"> {
  const { dependencies, simulation, simulatorPath, daemon } = options;
  const walk = openWalks(options);
  const { debug } = openDebugService({
    mostWalks: MOST_WALKS,
    walk: (hash) => async (waiter) => renderJson(await walk(hash, {})(waiter)),
  });
  const pages = openPageService({
    mostWalks: MOST_WALKS,
    walk: (hash) => walk(hash, { profile: true, hostCalls: true }),
    capsuleOf: ({ record, snapshot }) => encodeCapsule(record, snapshot),
    simulate: (transactionXdr, { signal, client }) =>
      simulation.report({ transactionXdr }, { signal, client }),
  });
  const agents = openAgentServices({
    mostWalks: MOST_WALKS,
    debug,
    whatIf: (hash, overrides) => async (waiter) =>
      renderJson(await walk(hash, { overrides })(waiter)),
    replay: (capsule, overrides) => async (waiter) => {
      const { signal, progress, client } = waiter;
      const engines = { ...forClient(dependencies, client), progress };
      const run = { signal, locate: { wasm: null }, overrides };
      return renderJson(await replayCaptured(engines, openCapsule(capsule, null), run));
    },
    allowed:
      daemon.allowDirectory === null
        ? null
        : openAllowedDirectory(daemon.allowDirectory, { mostFiles: MOST_FILES }),
    async capture(hash, { signal, progress }) {
      const asked = { ...dependencies, progress };
      const { record, snapshot } = await captureTransaction(asked, hash, { signal });
      return {
        text: encodeCapsule(record, snapshot),
        facts: {
          hash: record.hash,
          ledger: record.ledger.sequence,
          entries: snapshot?.entries.length ?? null,
          unknownEntries: snapshot?.unknown.length ?? 0,
        },
      };
    },
    verify: (range, run) => verifyRange({ ...dependencies, simulatorPath, jobs: 1 }, range, run),
    simulate: (request, { signal, client }) => simulation.report(request, { signal, client }),
  });
  return { debug, pages, agents };
}

/** hash → run. */
function openWalks({ dependencies, tracing }: Pick<WalkOptions, "dependencies" | "tracing">) {
  return (hash: string, recorded: Recorded): SharedRun<Investigation> =>
    async ({ signal, progress, traceparent, client }) => {
      const options = { signal, locate: { wasm: null }, ...recorded };
      const asked = { ...dependencies, ...forClient(dependencies, client), progress };
      const walk = () => debugTransaction(asked, hash, options);
      return tracing === null ? walk() : tracing.transaction(hash, walk, traceparent);
    };
}
