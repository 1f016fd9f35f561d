// Values that can be compared with a limit: the resources of a transaction, as the chain reported
// them or the replay metered them, and the fee that the chain charged.

import type { ResourceRow } from "../model/explanation.ts";
import type { Investigation } from "../model/investigation.ts";

export type MeasureName = "cpu" | "memory" | "fee" | "read-bytes" | "write-bytes" | "events";

interface Measure {
  readonly unit: string;
  /** Null if the value is unknown. */
  readonly of: (investigation: Investigation) => bigint | null;
}

export const MEASURES: Readonly<Record<MeasureName, Measure>> = {
  cpu: { unit: "instructions", of: (investigation) => used(investigation, "CPU", "instructions") },
  memory: { unit: "bytes", of: (investigation) => used(investigation, "memory", "bytes") },
  fee: {
    unit: "stroops",
    of: ({ explanation }) => decimal(explanation.fees.chargedStroops),
  },
  "read-bytes": { unit: "bytes", of: (investigation) => used(investigation, "disk read", "bytes") },
  "write-bytes": { unit: "bytes", of: (investigation) => used(investigation, "write", "bytes") },
  events: {
    unit: "events",
    of: ({ explanation }) =>
      BigInt(explanation.events.filter(({ kind }) => kind !== "diagnostic").length),
  },
};

export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** 0 if nothing ran; null if neither the chain nor the replay has the value. */
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
