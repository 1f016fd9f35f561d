// Proves which value decided that a transaction failed: with it alone changed to the nearest
// number on the other side of the boundary, the same branch goes the other way, and with the last
// number on this side it does not. Where the code chose its error without a branch, the runs end
// otherwise and alike. Without both, what was found stays likely.

import { SvcError } from "../../base/errors/errors.ts";
import type { Execution } from "../../model/execution.ts";
import type { Overrides } from "../../model/overrides.ts";
import type { Condition, Origin, Term, Why, WhyProof } from "../../model/why.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { feeTakenBeforeRefund } from "../../xdr/outcome/fees.ts";
import { readWritten } from "../../xdr/reader/from-json.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { decode } from "../../xdr/reader/value.ts";
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
  const own = why.refused ? null : await proveBranch(engines, replayed, why, options);
  if (own !== null) return own;
  for (const reason of (why.refused ?? why.missed)?.reasons ?? []) {
    const asked = { ...why, ...reason, end: "refused" } as const;
    const proof = await proveBranch(engines, replayed, asked, options);
    if (proof !== null) return { ...proof, reason };
  }
  return null;
}

async function proveBranch(
  engines: Engines,
  replayed: Replayable & { readonly execution: Execution },
  why: Why,
  options: OptionalRun,
): Promise<WhyProof | null> {
  const [condition, ...others] = why.conditions;
  if (condition === undefined || others.length > 0) return null;
  const run = (overrides: Overrides) => branchWith(engines, replayed, why, overrides, options);
  const was = errorOf(replayed.execution);
  // That a call was refused for a branch is shown by nothing less than a success.
  const isRefused = why.end === "refused";
  const flipped = (ended: Execution): boolean | null => {
    const error = errorOf(ended);
    if (isRefused && (why.count === null || error !== null)) return error === null;
    return why.count === null ? otherError(error, was) : otherSide(ended.branchTaken, why.taken);
  };
  for (const { term, holds, not } of boundariesOf(condition)) {
    const own = { ...why, outermost: why.frame === OUTERMOST };
    const kept = changeOf(term, holds, replayed, own);
    const changed = changeOf(term, not, replayed, own);
    if (kept === null || changed === null) continue;
    const ended = await run(changed.overrides);
    if (ended === null || flipped(ended) !== true) return null;
    if (`${holds}` !== term.number) {
      const same = await run(kept.overrides);
      if (same === null || flipped(same) !== false) return null;
    }
    const error = errorOf(ended);
    return { number: `${not}`, error, isSameError: error === was, ...changed.named };
  }
  return null;
}

/** Null: the run did not come to that branch. */
function otherSide(taken: number | undefined, was: number): boolean | null {
  return taken === undefined ? null : taken !== was;
}

/** Where no branch decided alone it is how the run ended; null: that says nothing. */
function otherError(error: string | null, was: string | null): boolean | null {
  return error === "" || was === "" ? null : error !== was;
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

/** The contract call that has a value. */
type Within = Pick<Origin, "contract" | "function" | "outermost">;

interface Change {
  readonly overrides: Overrides;
  /** What was changed, where that is in another contract call. */
  readonly named: Pick<WhyProof, "term" | "within">;
}

/** Null: the value cannot be changed alone, or has no such number. */
function changeOf(
  term: Term,
  number: bigint,
  replayed: Replayable,
  { outermost, ...within }: Within,
  isElsewhere = false,
): Change | null {
  const { origin } = term;
  if (origin !== undefined && term.kind !== "written")
    return changeOf(origin.term, number, replayed, origin, true);
  const { contract, function: called } = within;
  const named = isElsewhere ? { term, within: { contract, function: called } } : { term };
  if (term.kind === "ledger" && term.name === "time" && number >= 0n)
    return { overrides: { ...NOTHING, ledger: { closeTimeUnixSeconds: `${number}` } }, named };
  const value = numberLike(term.valueXdr ?? "", number);
  if (value === null) return null;
  if (term.kind === "storage") {
    const entries = storedChange(term, readWritten("ScVal", value), replayed, contract);
    return entries && { overrides: { ...NOTHING, entries }, named };
  }
  const call = replayed.envelope.hostFunction;
  const isOwn = outermost && call?.kind === "invoke";
  if (!isOwn || call.contract !== contract || call.function !== called) return null;
  const root = rootOf(term);
  const given = call.argumentsXdr[root?.index ?? -1];
  if (root === null || given === undefined) return null;
  const json = changedAt(toJson("ScVal", decode("ScVal", given)), root.path, value);
  if (json === null) return null;
  const changed = new Map([[`${root.index}`, { xdr: readWritten("ScVal", json) }]]);
  return { overrides: { ...NOTHING, arguments: changed }, named };
}

function storedChange(
  { keyXdr: stored, durability: kind }: Term,
  valueXdr: string,
  { snapshot }: Replayable,
  within: string | null,
): Overrides["entries"] | null {
  const entry = snapshot.entries.find(({ keyXdr, entryXdr }) => {
    if (entryXdr === null || typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
    const { contract, key, durability } = dataKeyOf(keyXdr);
    return contract === within && key === stored && durability === kind;
  });
  if (entry === undefined) return null;
  const change = { kind: "value", valueXdr } as const;
  const { keyXdr } = entry;
  return [{ field: "value", keyXdr, change, liveUntilLedger: null, archived: null }];
}

/** The argument that a value is a part of, and the way to it; null: it is not of an argument. */
function rootOf(term: Term): { readonly index: number; readonly path: readonly Term[] } | null {
  if (term.kind === "argument") return { index: term.index ?? -1, path: [] };
  const [whole] = term.of ?? [];
  const isPart = (term.kind === "element" || term.kind === "field") && whole !== undefined;
  const root = isPart ? rootOf(whole) : null;
  return root && { ...root, path: [...root.path, term] };
}

type Json = ReturnType<typeof JSON.parse>;

/** A value with another one in its place at the end of the path. */
function changedAt(whole: Json, [next, ...path]: readonly Term[], value: Json): Json | null {
  if (next === undefined) return value;
  const { map, vec } = whole;
  const parts: Json[] = next.kind === "element" ? (vec ?? []) : (map ?? []);
  const isKey = ({ key }: Json) =>
    next.name !== undefined
      ? key.symbol === next.name
      : next.keyXdr !== undefined && readWritten("ScVal", key) === next.keyXdr;
  const at = next.kind === "element" ? (next.index ?? -1) : parts.findIndex(isKey);
  const part = parts[at];
  if (part === undefined) return null;
  const changed = changedAt(next.kind === "element" ? part : part.val, path, value);
  if (changed === null) return null;
  return next.kind === "element"
    ? { vec: parts.with(at, changed) }
    : { map: parts.with(at, { ...part, val: changed }) };
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

/** JSON of a number of the same type; null: it has none. */
function numberLike(valueXdr: string, number: bigint): Json | null {
  const bytes = Buffer.from(valueXdr, "base64");
  const type = bytes.length < 4 ? undefined : NUMBERS[bytes.readInt32BE(0)];
  if (type === undefined) return null;
  const [name, bits, signed] = type;
  const fits = signed ? BigInt.asIntN(Number(bits), number) : BigInt.asUintN(Number(bits), number);
  return fits === number ? { [name]: bits === 32n ? Number(number) : `${number}` } : null;
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
