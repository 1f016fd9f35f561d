// What can be held against a number: how much a transaction used, as the replay metered it or the
// chain charged it.

import type { Investigation } from "../model/investigation.ts";

export type MeasureName = "cpu" | "memory" | "fee" | "read-bytes" | "write-bytes" | "events";

interface Measure {
  readonly unit: string;
  /** Null when it is not known. */
  readonly of: (investigation: Investigation) => bigint | null;
}

export const MEASURES: Readonly<Record<MeasureName, Measure>> = {
  cpu: { unit: "instructions", of: (found) => metric(found, "cpu_insn") },
  memory: { unit: "bytes", of: (found) => metric(found, "mem_byte") },
  fee: {
    unit: "stroops",
    of: ({ explanation }) => decimal(explanation.fees.chargedStroops),
  },
  "read-bytes": { unit: "bytes", of: (found) => metric(found, "ledger_read_byte") },
  "write-bytes": { unit: "bytes", of: (found) => metric(found, "ledger_write_byte") },
  events: {
    unit: "events",
    of: ({ explanation }) =>
      BigInt(explanation.events.filter(({ kind }) => kind !== "diagnostic").length),
  },
};

export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** What ran nowhere used nothing; a metric that svc-sim did not give is not known. */
function metric({ execution }: Investigation, name: string): bigint | null {
  return execution === null ? 0n : decimal(execution.metrics[name]);
}

function decimal(text: string | undefined): bigint | null {
  return text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : null;
}
