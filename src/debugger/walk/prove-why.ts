// Proves which value decided that a transaction failed: with it alone changed to the nearest
// number on the other side of the boundary, the same branch goes the other way, and with the last
// number on this side it does not. Where the code chose its error without a branch, the runs end
// otherwise and alike. Without both, what was found stays likely.

import { SvcError } from "../../base/errors/errors.ts";
import type { Execution } from "../../model/execution.ts";
import type { Overrides } from "../../model/overrides.ts";
import type { Condition, Term, Why, WhyProof } from "../../model/why.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { feeTakenBeforeRefund } from "../../xdr/outcome/fees.ts";
import { readWritten } from "../../xdr/reader/from-json.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { showError } from "../../xdr/values/value-text.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { applyVariant, type Replayable } from "../run/run-variant.ts";
import { buildVariant } from "../what-if/build-variant.ts";
import { variantOf } from "../what-if/variant-draft.ts";

/** The transaction's own call: the host function is number 0. */
const OUTERMOST = 1;
/** Of each of at most two runs, for which the answer waits. */
const PROOF_MILLISECONDS = 750;

/** How far the nearest numbers that do and do not fit a relation are from the other side's. */
const BOUNDARY: Readonly<Record<string, readonly [holds: bigint, not: bigint]>> = {
  equal: [0n, 1n],
  not_equal: [1n, 0n],
  less: [-1n, 0n],
  less_or_equal: [0n, 1n],
  greater: [1n, 0n],
  greater_or_equal: [0n, -1n],
};
const TURNED: Readonly<Record<string, string>> = {
  less: "greater",
  less_or_equal: "greater_or_equal",
  greater: "less",
  greater_or_equal: "less_or_equal",
};

/** A value with which the condition held: the nearest numbers with which it still does, and not. */
interface Boundary {
  readonly term: Term;
  readonly holds: bigint;
  readonly not: bigint;
}

/** Null: not proven. */
export async function proveWhy(
  engines: Engines,
  replayed: Replayable & { readonly execution: Execution },
  why: Why,
  options: OptionalRun,
): Promise<WhyProof | null> {
  const [condition, ...others] = why.conditions;
  if (condition === undefined || others.length > 0) return null;
  const run = (overrides: Overrides) => branchWith(engines, replayed, why, overrides, options);
  const was = why.count === null ? errorOf(replayed.execution) : why.taken;
  for (const { term, holds, not } of boundariesOf(condition)) {
    const kept = changeOf(term, holds, replayed, why);
    const changed = changeOf(term, not, replayed, why);
    if (kept === null || changed === null) continue;
    const ended = await run(changed);
    const went = ended && wentTo(ended, why);
    if (!ended || was === "" || went === undefined || went === was) return null;
    if (`${holds}` !== term.number) {
      const same = await run(kept);
      if (same === null || wentTo(same, why) !== was) return null;
    }
    const error = errorOf(ended);
    return { term, number: `${not}`, error, isSameError: error === errorOf(replayed.execution) };
  }
  return null;
}

function boundariesOf({ relation, terms, type, values }: Condition): Boundary[] {
  const [left, right] = terms;
  if (left === undefined) return [];
  if (relation === "overflow") return ofOverflow(left, type ?? "");
  if (relation === "outside") return ofBounds(left, values ?? []);
  const sides = [
    { term: left, other: right?.number, held: relation },
    { term: right, other: left.number, held: TURNED[relation] ?? relation },
  ];
  return sides.flatMap(({ term, other, held }) => {
    const [holds, not] = BOUNDARY[held] ?? [];
    if (term === undefined || other === undefined || holds === undefined || not === undefined)
      return [];
    return { term, holds: BigInt(other) + holds, not: BigInt(other) + not };
  });
}

function ofBounds(term: Term, [least = "", most = ""]: readonly string[]): Boundary[] {
  if (term.number === undefined || least === "" || most === "") return [];
  return BigInt(term.number) < BigInt(least)
    ? [{ term, not: BigInt(least), holds: BigInt(least) - 1n }]
    : [{ term, not: BigInt(most), holds: BigInt(most) + 1n }];
}

/** Of a sum, a difference or a product: what one of its sides may be at most, or at least. */
function ofOverflow({ operator, of = [] }: Term, type: string): Boundary[] {
  const [, sign, bits] = /^([ui])(\d+)$/.exec(type) ?? [];
  const inOrder = operator === "-" ? of : [...of].sort((x, y) => (x.index ?? 0) - (y.index ?? 0));
  const [a, b] = inOrder;
  if (bits === undefined || a?.number === undefined || b?.number === undefined) return [];
  const most = 2n ** BigInt(sign === "i" ? Number(bits) - 1 : bits) - 1n;
  const least = sign === "i" ? -most - 1n : 0n;
  const at = (term: Term, bound: bigint, isUp: boolean) => ({
    term,
    not: bound,
    holds: isUp ? bound + 1n : bound - 1n,
  });
  const [x, y] = [BigInt(a.number), BigInt(b.number)];
  switch (operator) {
    case "+": {
      const isUp = x + y > most;
      const bound = isUp ? most : least;
      return [at(a, bound - y, isUp), at(b, bound - x, isUp)];
    }
    case "-": {
      const isUp = x - y > most;
      const bound = isUp ? most : least;
      return [at(a, bound + y, isUp), at(b, x - bound, !isUp)];
    }
    case "*":
      return x > 0n && y > 0n ? [at(a, most / y, true), at(b, most / x, true)] : [];
    default:
      return [];
  }
}

/**
 * The side of the branch. Where no branch decided alone it is how the run ended; undefined: that
 * says nothing.
 */
function wentTo(ended: Execution, why: Why): number | string | null | undefined {
  if (why.count !== null) return ended.branchTaken;
  const error = errorOf(ended);
  return error === "" ? undefined : error;
}

/** Errors that come of a footprint, authorizations and limits which are not those of the change. */
const OF_CHANGE: ReadonlySet<string> = new Set(["Storage", "Auth", "Budget"]);

function errorOf({ outcome, hostError }: Execution): string | null {
  if (outcome.kind === "success") return null;
  return hostError === null || OF_CHANGE.has(hostError.type) ? "" : showError(hostError);
}

const NOTHING: Overrides = {
  ledger: {},
  limits: {},
  arguments: new Map(),
  wasm: new Map(),
  entries: [],
};

/** Null: the value cannot be changed alone, or has no such number. */
function changeOf(term: Term, number: bigint, replayed: Replayable, why: Why): Overrides | null {
  if (term.kind === "ledger" && term.name === "time" && number >= 0n)
    return { ...NOTHING, ledger: { closeTimeUnixSeconds: `${number}` } };
  const valueXdr = numberLike(term.valueXdr ?? "", number);
  if (valueXdr === null) return null;
  const call = replayed.envelope.hostFunction;
  if (term.kind === "argument") {
    const isOwn = why.frame === OUTERMOST && call?.kind === "invoke";
    if (!isOwn || call.contract !== why.contract || call.function !== why.function) return null;
    return { ...NOTHING, arguments: new Map([[`${term.index}`, { xdr: valueXdr }]]) };
  }
  if (term.kind !== "storage") return null;
  const entry = replayed.snapshot.entries.find(({ keyXdr, entryXdr }) => {
    if (entryXdr === null || typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
    const { contract, key, durability } = dataKeyOf(keyXdr);
    return contract === why.contract && key === term.keyXdr && durability === term.durability;
  });
  if (entry === undefined) return null;
  const change = { kind: "value", valueXdr } as const;
  const { keyXdr } = entry;
  const overridden = { field: "value", keyXdr, change, liveUntilLedger: null, archived: null };
  return { ...NOTHING, entries: [overridden] };
}

/** ScValType: its name in the JSON of SEP-51, the bits, and whether it is signed. */
const NUMBERS: Readonly<Record<number, readonly [name: string, bits: bigint, signed: boolean]>> = {
  3: ["u32", 32n, false],
  4: ["i32", 32n, true],
  5: ["u64", 64n, false],
  6: ["i64", 64n, true],
  7: ["timepoint", 64n, false],
  8: ["duration", 64n, false],
  9: ["u128", 128n, false],
  10: ["i128", 128n, true],
};

/** A number of the same type; null: it has none. */
function numberLike(valueXdr: string, number: bigint): string | null {
  const bytes = Buffer.from(valueXdr, "base64");
  const type = bytes.length < 4 ? undefined : NUMBERS[bytes.readInt32BE(0)];
  if (type === undefined) return null;
  const [name, bits, signed] = type;
  const fits = signed ? BigInt.asIntN(Number(bits), number) : BigInt.asUintN(Number(bits), number);
  if (fits !== number) return null;
  return readWritten("ScVal", { [name]: bits === 32n ? Number(number) : `${number}` });
}

/** A run with a change; null: it is not one with that change alone. */
async function branchWith(
  engines: Engines,
  replayed: Replayable,
  why: Why,
  overrides: Overrides,
  options: OptionalRun,
): Promise<Execution | null> {
  const draft = await buildVariant(engines, replayed, overrides, options).catch((error) => {
    if (error instanceof SvcError && error.code === "OVERRIDE_IMPOSSIBLE") return null;
    throw error;
  });
  // Such as a signed authorization that still has the old argument.
  if (draft === null || draft.remarks.length > 0) return null;
  const { record, snapshot } = applyVariant(replayed, variantOf(draft));
  const { frame, code, address, count } = why;
  const request = replayRequest(record, snapshot, {
    trace: false,
    diagnostics: true,
    feeTakenStroops: feeTakenBeforeRefund(replayed.record),
    deadlineMilliseconds: PROOF_MILLISECONDS,
  });
  const branch = count === null ? undefined : { frame, code, address, count };
  const asked = { ...request, options: { ...request.options, branch } };
  const run = () => engines.simulator.replay(asked, options);
  return optionalRun("To prove which value decided", options, run);
}
