// Cost parameters for another protocol than the ledger's. A host needs exactly one for each cost
// type that its protocol knows. The ledger's parameters are kept; the others are those that
// stellar-core adds in the upgrades to that protocol.

import { concatBytes } from "../../base/bytes.ts";
import { decodeBase64 } from "../../xdr/reader/cursor.ts";
import { int32At, setUint32, setUint64, uint32At } from "../../xdr/reader/words.ts";
import { initialCostParameters } from "./initial-cost-parameters.ts";

/** The settings that have cost parameters, and the kind of each. */
export const COST_PARAMETER_SETTINGS = {
  CONFIG_SETTING_CONTRACT_COST_PARAMS_CPU_INSTRUCTIONS: "cpu",
  CONFIG_SETTING_CONTRACT_COST_PARAMS_MEMORY_BYTES: "memory",
} as const;

/** The number of parameters follows lastModifiedLedgerSeq, type and setting id. */
const COUNT_OFFSET = 12;
const PARAMETERS_OFFSET = COUNT_OFFSET + 4;
/** The size of an extension point, a constant and a linear term in bytes. */
const PARAMETER_SIZE = 4 + 8 + 8;
/** The extension of a LedgerEntry. */
const EXTENSION = new Uint8Array(4);

/** The setting ids of the two kinds. */
const KIND_OF_SETTING = { 6: "cpu", 7: "memory" } as const;

export interface LowCost {
  readonly kind: "cpu" | "memory";
  /** The ContractCostType. */
  readonly type: number;
  /** The value in the setting, in the form `4 + 0 n`, and the value that stellar-core writes. */
  readonly current: string;
  readonly initial: string;
}

/**
 * The first cost that is less than half of what stellar-core writes: networks recalibrate costs by
 * a few percent. Null for another setting, or if there is none.
 */
export function findLowCost(entryXdr: string, protocol: number): LowCost | null {
  const entry = decodeBase64(entryXdr, "cost parameters");
  const kind = KIND_OF_SETTING[uint32At(entry, COUNT_OFFSET - 4) as 6 | 7];
  if (kind === undefined) return null;
  const count = uint32At(entry, COUNT_OFFSET);
  for (const [type, terms] of initialCostParameters(protocol)[kind].entries()) {
    const at = PARAMETERS_OFFSET + type * PARAMETER_SIZE;
    // A host that charges for a missing cost type ends the run.
    if (type >= count || at + PARAMETER_SIZE > entry.length) return null;
    const constant = int64NumberAt(entry, at + 4);
    const linear = int64NumberAt(entry, at + 12);
    if (constant >= terms[0] / 2 && linear >= terms[1] / 2) continue;
    return { kind, type, current: `${constant} + ${linear}`, initial: terms.join(" + ") };
  }
  return null;
}

/**
 * Makes the parameters for a protocol from 20. `entryXdr` is the LedgerEntry of one of these
 * settings.
 */
export function costParametersFor(
  entryXdr: string,
  kind: "cpu" | "memory",
  protocol: number,
): string {
  const entry = decodeBase64(entryXdr, "cost parameters");
  const initial = initialCostParameters(protocol)[kind];
  const kept = Math.min(uint32At(entry, COUNT_OFFSET), initial.length);
  const head = entry.slice(0, PARAMETERS_OFFSET + kept * PARAMETER_SIZE);
  setUint32(head, COUNT_OFFSET, initial.length);
  const added = initial.slice(kept).map(([constant, linear]) => {
    const parameter = new Uint8Array(PARAMETER_SIZE);
    setUint64(parameter, 4, BigInt(constant));
    setUint64(parameter, 12, BigInt(linear));
    return parameter;
  });
  return concatBytes([head, ...added, EXTENSION]).toBase64();
}

/**
 * Reads a 64-bit integer, rounded as Number() rounds a bigint, but without one: a daemon reads 160
 * of them with each request.
 */
function int64NumberAt(bytes: Uint8Array, at: number): number {
  return int32At(bytes, at) * 2 ** 32 + uint32At(bytes, at + 4);
}
