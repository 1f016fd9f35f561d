// The ledger engine and the recorder of transactions, each with a process of svc-sim.

import type { ConnectedProgram } from "./connection.ts";
import { LedgerEngine } from "./ledger-engine.ts";
import { SimulatorProcess } from "./simulator-process.ts";
import type { SimulatorProgram } from "./simulator-program.ts";
import { TravelSimulator } from "./travel-simulator.ts";

type More<Constructor> = Constructor extends new (
  program: never,
  ...more: infer Rest
) => unknown
  ? Rest
  : never;

/** Opens the ledger engine. Its process starts with the first question. */
export function openLedgerEngine(
  program: SimulatorProgram,
  ...more: More<typeof LedgerEngine>
): LedgerEngine {
  return new LedgerEngine(connected(program), ...more);
}

/** Opens the recorder. Throws SIMULATOR_DIED if the program cannot be started. */
export function openTravelSimulator(program: SimulatorProgram): TravelSimulator {
  return new TravelSimulator(connected(program));
}

function connected(program: SimulatorProgram): ConnectedProgram {
  const connect: ConnectedProgram["connect"] = (args, limitBytes) =>
    new SimulatorProcess(program.path, args, limitBytes);
  return { ...program, connect };
}
