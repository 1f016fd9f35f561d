// Transactions of the recorded network with the state they ran against, as the walk captures them.

import type { Replayable } from "../../src/debugger/run/run-variant.ts";
import { type Captured, captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { openLoopback } from "./loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./loopback-walk.ts";

export interface RecordedWalk extends Captured {
  /** The name in the network's manifest. */
  readonly name: string;
}

/** All transactions of the network, in the order in which they were sent. */
export async function captureRecorded(): Promise<RecordedWalk[]> {
  await using loopback = openLoopback();
  const walks: RecordedWalk[] = [];
  for (const { name, hash, ledger } of loopback.network.transactions) {
    const walk = openWalk(loopback, { rpc: [`entries-at=${ledger}`] });
    const dependencies = { ...walk, progress: () => {} };
    const captured = await captureTransaction(dependencies, hash, { signal: NEVER_ABORTED });
    walks.push({ name, ...captured });
  }
  return walks;
}

/** The transaction with this name, whose operation ran. */
export function replayableOf(walks: readonly RecordedWalk[], name: string): Replayable {
  const walk = walks.find((each) => each.name === name);
  if (!walk?.snapshot) throw new Error(`No Soroban transaction is called ${name}.`);
  const { record, envelope, chain, snapshot } = walk;
  return { record, envelope, chain, snapshot };
}
