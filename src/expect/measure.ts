// What can be held against a number: how much a transaction used, as the chain reported it or else
// the replay metered it, and what the chain charged.

import type { ResourceRow } from "../model/explanation.ts";
import type { Investigation } from "../model/investigation.ts";

export type MeasureName = "cpu" | "memory" | "fee" | "read-bytes" | "write-bytes" | "events";

interface Measure {
  readonly unit: string;
  /** Null when it is not known. */
  readonly of: (investigation: Investigation) => bigint | null;
}

export const MEASURES: Readonly<Record<MeasureName, Measure>> = {
  cpu: { unit: "instructions", of: (found) => used(found, "CPU", "instructions") },
  memory: { unit: "bytes", of: (found) => used(found, "memory", "bytes") },
  fee: {
    unit: "stroops",
    of: ({ explanation }) => decimal(explanation.fees.chargedStroops),
  },
  "read-bytes": { unit: "bytes", of: (found) => used(found, "disk read", "bytes") },
  "write-bytes": { unit: "bytes", of: (found) => used(found, "write", "bytes") },
  events: {
    unit: "events",
    of: ({ explanation }) =>
      BigInt(explanation.events.filter(({ kind }) => kind !== "diagnostic").length),
  },
};

export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** What ran nowhere used nothing; what neither chain nor replay told is not known. */
function used(
  { execution, explanation }: Investigation,
  name: string,
  unit: ResourceRow["unit"],
): bigint | null {
  if (execution === null) return 0n;
  const row = explanation.resources.find((each) => each.name === name && each.unit === unit);
  return decimal(row?.used ?? undefined);
}

function decimal(text: string | undefined): bigint | null {
  return text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : null;
}
