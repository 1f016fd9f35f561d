// Finds a transaction with the nodes of its network, and replays it.

import "./standard.ts";

import { debugTransaction } from "../debugger/walk/debug-transaction.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import type { Investigation } from "../model/investigation.ts";
import { openConnected } from "../simulator/connected.ts";
import { LedgerEngine } from "../simulator/ledger-engine.ts";
import { type NodeOptions, openNodes, type WrittenNodes } from "./network.ts";
import { debugOptions, type ModuleOptions, optionalRecorder, programOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";

export type { WrittenNodes };
export { debugHash as debug };

export interface NetworkOptions extends ModuleOptions, NodeOptions {}

/** Finds a transaction with the nodes of its network, and replays it. */
async function debugHash(hash: string, options: NetworkOptions): Promise<Investigation> {
  prepareRuntime();
  const { progress = () => {} } = options;
  const { sources, elsewhere, networkPassphrase } = openNodes(options, progress);
  const program = programOf(options);
  return debugTransaction(
    {
      sources,
      elsewhere,
      networkPassphrase,
      ledgers: new LedgerReader({ sources, networkPassphrase }),
      startEngine: (signal, choice) => new LedgerEngine({ ...program, ...choice }, 1, [], signal),
      simulator: openConnected(program),
      recorder: optionalRecorder(options),
      progress,
    },
    hash,
    debugOptions(options),
  );
}
