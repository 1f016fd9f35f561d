// Finds a transaction with the nodes of its network, and replays it.

import "./standard.ts";

import { type DebugDependencies, debugTransaction } from "../debugger/walk/debug-transaction.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import type { Investigation } from "../model/investigation.ts";
import { openConnected } from "../simulator/connected.ts";
import { LedgerEngine } from "../simulator/ledger-engine.ts";
import { givenHash, unlessInterrupted } from "./given.ts";
import { openNodes } from "./network.ts";
import type { NetworkOptions } from "./options.ts";
import { debugOptions, optionalRecorder, programOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";

export type * from "./options.ts";
export type { Investigation };
export { debugHash as debug };

/**
 * Finds a transaction by its hash (64 hexadecimal characters) with the nodes of its network, and
 * replays it. Pass the investigation to the functions of the entry `report`. Throws a SvcError, such
 * as TRANSACTION_NOT_FOUND, if the nodes do not have what a replay needs.
 */
async function debugHash(hash: string, options: NetworkOptions): Promise<Investigation> {
  const wantedHash = givenHash(hash);
  prepareRuntime();
  const { progress = () => {} } = options;
  const { sources, elsewhere, networkPassphrase } = openNodes(options, progress);
  const program = programOf(options);
  const dependencies: DebugDependencies = {
    sources,
    elsewhere,
    networkPassphrase,
    ledgers: new LedgerReader({ sources, networkPassphrase }),
    startEngine: (signal, choice) => new LedgerEngine({ ...program, ...choice }, 1, [], signal),
    simulator: openConnected(program),
    recorder: optionalRecorder(options),
    progress,
  };
  return unlessInterrupted(options.signal, () => {
    return debugTransaction(dependencies, wantedHash, debugOptions(options));
  });
}
