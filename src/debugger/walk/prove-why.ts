// Proves which value decided that a transaction failed: with it alone changed to the nearest
// number on the other side of the boundary, the same branch goes the other way, and with the last
// number on this side it does not. Where the code chose its error without a branch, the runs end
// otherwise and alike. Where the changed call needs other authorizations or entries than those that
// were sent, a host that records them runs it: with the one value it fails as on chain, with the
// other one it does not. Without such runs, what was found stays likely.

import { SvcError } from "../../base/errors/errors.ts";
import type { Execution } from "../../model/execution.ts";
import { NO_OVERRIDES, type Overrides } from "../../model/overrides.ts";
import type { NumberRange, Origin, Term, Why, WhyCondition, WhyProof } from "../../model/why.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { decode, encode, utf8, type Value } from "../../xdr/reader/value.ts";
import {
  instanceKeyOfContract,
  integerValue,
  isFalse,
  typeNameOf,
} from "../../xdr/values/value-parts.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { recordAuthorizations } from "../fix/record-authorizations.ts";
import { entriesFinder } from "../run/find-entries.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { applyVariant, type Replayable } from "../run/run-variant.ts";
import { buildVariant } from "../what-if/build-variant.ts";
import type { Draft } from "../what-if/variant-draft.ts";

/** The transaction's own call: the host function is number 0. */
const OUTERMOST = 1;
/** Of all runs, for which the answer waits. */
const PROOF_MILLISECONDS = 1_500;

/**
 * How far the nearest numbers that do and do not fit a relation are from the other side's, and on
 * which side of the latter all others are that do not fit; null: on both.
 */
const BOUNDARY: Readonly<
  Record<string, readonly [holds: bigint, not: bigint, side: keyof NumberRange | "both" | null]>
> = {
  equal: [0n, 1n, null],
  not_equal: [1n, 0n, "both"],
  less: [-1n, 0n, "least"],
  less_or_equal: [0n, 1n, "least"],
  greater: [1n, 0n, "most"],
  greater_or_equal: [0n, -1n, "most"],
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
  /** Null: the value itself. */
  readonly holds: bigint | null;
  readonly not: bigint;
  /** Of `not`; by default it is that of the value. */
  readonly type?: string;
  /** With which it does not; null: any but `holds`. */
  readonly range: NumberRange | null;
}

interface ProofRun extends OptionalRun {
  /** No run goes on after that. */
  readonly until: number;
}

/** Null: not proven. */
export async function proveWhy(
  engines: Engines,
  replayed: Replayable & { readonly execution: Execution },
  why: Why,
  options: OptionalRun,
): Promise<WhyProof | null> {
  const run = { ...options, until: performance.now() + PROOF_MILLISECONDS };
  const own = why.refused ? null : await proveBranch(engines, replayed, why, run);
  if (own !== null) return own;
  for (const reason of (why.refused ?? why.missed)?.reasons ?? []) {
    const asked = { ...why, ...reason, end: "refused" } as const;
    const proof = await proveBranch(engines, replayed, asked, run);
    if (proof !== null) return { ...proof, reason };
  }
  return null;
}

async function proveBranch(
  engines: Engines,
  replayed: Replayable & { readonly execution: Execution },
  why: Why,
  options: ProofRun,
): Promise<WhyProof | null> {
  const [condition, ...others] = why.conditions;
  if (condition === undefined || others.length > 0) return null;
  const was = errorOf(replayed.execution);
  // That a call was refused for a branch is shown by nothing less than a success.
  const isRefused = why.end === "refused";
  const flipped = (ended: Execution): boolean | null => {
    const error = errorOf(ended);
    if (isRefused && (why.count === null || error !== null)) return error === null;
    return why.count === null ? otherError(error, was) : otherSide(ended.branchTaken, why.taken);
  };
  let first: WhyProof | null = null;
  for (const { term, holds, not, range, type } of boundariesOf(condition)) {
    const own = { ...why, outermost: why.frame === OUTERMOST };
    const kept =
      holds === null
        ? { overrides: NO_OVERRIDES }
        : changeOf(term, { number: holds }, replayed, own);
    const changed = changeOf(term, { number: not, type }, replayed, own);
    if (kept === null || changed === null) continue;
    const [on, same] = await Promise.all(
      [changed, kept].map(({ overrides }) => draftOf(engines, replayed, overrides, options)),
    );
    if (!on || !same) continue;
    // A signed authorization that still has the old argument fails for that alone.
    const isAlone = on.remarks.length === 0;
    const isNew = isAlone && holds !== null && `${holds}` !== numberOf(term);
    // Side by side; what the second one cannot tell is said only where it is needed.
    const caveats: string[] = [];
    const [ended, again] = await Promise.all([
      isAlone ? runBranch(engines, replayed, why, on, options) : null,
      isNew ? runBranch(engines, replayed, why, same, { ...options, caveats }) : null,
    ]);
    const other = ended && flipped(ended);
    if (other === false) break;
    const ran = ended && other ? { error: errorOf(ended), recorded: null } : null;
    // A refusal shows in no such run: it records what was missing.
    const isOpen = (ran === null || ran.error === "") && !isRefused && was !== "";
    const anew = isOpen ? await runRecorded(engines, replayed, on, options) : null;
    const isProof = anew && otherError(anew.error, was) === true;
    const before = isProof ? await runRecorded(engines, replayed, same, options) : null;
    const found = before !== null && before.error === was ? anew : ran;
    // Another check that comes before may hold of this number, and not of the next one.
    if (found === null || (first !== null && found.error !== null)) continue;
    if (found === ran && isNew) {
      options.caveats.push(...caveats);
      if (again === null || flipped(again) !== false) break;
    }
    const { overrides, named } = changed;
    const isSameError = found.error === was;
    const number = type === "bool" ? "false" : type ? `${not}` : inType(term, not);
    first = { number, range, overrides, isSameError, ...found, ...named };
    // Another value may succeed.
    if (found.error === null) break;
  }
  return first;
}

/** Null: the run did not come to that branch. */
function otherSide(taken: number | undefined, was: number): boolean | null {
  return taken === undefined ? null : taken !== was;
}

/** Where no branch decided alone it is how the run ended; null: that says nothing. */
function otherError(error: string | null, was: string | null): boolean | null {
  return error === "" || was === "" ? null : error !== was;
}

/** What a user chooses first, then what only time or another transaction changes. */
function boundariesOf({ relation, terms, type, values }: WhyCondition): Boundary[] {
  const [left, right] = terms;
  if (left === undefined) return [];
  if (relation === "overflow") return inOrderOfUse(ofOverflow(left, type ?? ""));
  if (relation === "outside") return ofBounds(left, values ?? []);
  if (relation === "not_type" && type)
    return [{ term: left, holds: null, not: 0n, type, range: null }];
  const sides = [
    { term: left, other: right && numberOf(right), held: relation },
    { term: right, other: numberOf(left), held: TURNED[relation] ?? relation },
  ];
  const found = sides.flatMap(({ term, other, held }): Boundary[] => {
    const [holds, not, side] = BOUNDARY[held] ?? [];
    if (term === undefined || other == null || holds === undefined || not === undefined) return [];
    if (isBool(term)) return ofBool(term, BigInt(other), held);
    const number = BigInt(other) + not;
    const bound = (of: keyof NumberRange) => (side === of || side === "both" ? `${number}` : null);
    const range = side === null ? null : { least: bound("least"), most: bound("most") };
    const boundary = { term, holds: BigInt(other) + holds, not: number, range };
    // Of one number that is refused, both neighbors are not.
    return side === null ? [boundary, { ...boundary, not: number - 2n }] : [boundary];
  });
  return inOrderOfUse(found);
}

const USE: readonly string[] = ["argument", "ledger"];

function inOrderOfUse(boundaries: readonly Boundary[]): Boundary[] {
  const rank = ({ term }: Boundary) => {
    const { kind } = rootOf(term.origin?.term ?? term).whole;
    return USE.includes(kind) ? USE.indexOf(kind) : USE.length;
  };
  return [...boundaries].sort((one, other) => rank(one) - rank(other));
}

/** A bool that is, or is not, the other one: it has one other value. */
function ofBool(term: Term, other: bigint, held: string): Boundary[] {
  if (held !== "equal" && held !== "not_equal") return [];
  const holds = held === "equal" ? other : 1n - other;
  const value = inType(term, 1n - holds);
  return [{ term, holds, not: 1n - holds, range: { least: value, most: value } }];
}

function isBool({ valueXdr = "" }: Term): boolean {
  return typeNameOf(valueXdr) === "bool";
}

/** As `WhyProof` has it. */
function inType(term: Term, number: bigint): string {
  return isBool(term) ? `${number === 1n}` : `${number}`;
}

/** 0 and 1 of a bool. */
function numberOf(term: Term): string | undefined {
  return isBool(term) ? (isFalse(term.valueXdr ?? "") ? "0" : "1") : term.number;
}

function ofBounds(term: Term, [least = "", most = ""]: readonly string[]): Boundary[] {
  if (term.number === undefined || least === "" || most === "") return [];
  const range = { least, most };
  return BigInt(term.number) < BigInt(least)
    ? [{ term, not: BigInt(least), holds: BigInt(least) - 1n, range }]
    : [{ term, not: BigInt(most), holds: BigInt(most) + 1n, range }];
}

/** Of a sum, a difference or a product: what one of its sides may be at most, or at least. */
function ofOverflow({ operator, of = [] }: Term, type: string): Boundary[] {
  const [, sign, bits] = /^([ui])(\d+)$/.exec(type) ?? [];
  const inOrder = operator === "-" ? of : [...of].sort((x, y) => (x.index ?? 0) - (y.index ?? 0));
  const [a, b] = inOrder;
  if (bits === undefined || a?.number === undefined || b?.number === undefined) return [];
  const most = 2n ** BigInt(sign === "i" ? Number(bits) - 1 : bits) - 1n;
  const least = sign === "i" ? -most - 1n : 0n;
  // What a type cannot have anyway is no bound.
  const at = (term: Term, isUp: boolean, [lowest, highest]: readonly [bigint, bigint]) => ({
    term,
    not: isUp ? highest : lowest,
    holds: isUp ? highest + 1n : lowest - 1n,
    range: {
      least: lowest <= least ? null : `${lowest}`,
      most: highest >= most ? null : `${highest}`,
    },
  });
  const [x, y] = [BigInt(a.number), BigInt(b.number)];
  switch (operator) {
    case "+": {
      const isUp = x + y > most;
      return [at(a, isUp, [least - y, most - y]), at(b, isUp, [least - x, most - x])];
    }
    case "-": {
      const isUp = x - y > most;
      return [at(a, isUp, [least + y, most + y]), at(b, !isUp, [x - most, x - least])];
    }
    case "*":
      return x > 0n && y > 0n
        ? [at(a, true, [least / y, most / y]), at(b, true, [least / x, most / x])]
        : [];
    default:
      return [];
  }
}

/** Errors that come of a footprint, authorizations and limits which are not those of the change. */
const OF_CHANGE: ReadonlySet<string> = new Set(["Storage", "Auth", "Budget"]);

function errorOf({ outcome, hostError }: Execution): string | null {
  return outcome.kind === "success" ? null : ofCode(hostError);
}

/** Empty: it is no error that the code chose. */
function ofCode(error: ErrorFacts | null): string {
  return error === null || OF_CHANGE.has(error.type) ? "" : showError(error);
}

/** The contract call that has a value. */
type Within = Pick<Origin, "contract" | "function" | "outermost">;

interface Change {
  readonly overrides: Overrides;
  /** What was changed, where that is in another contract call. */
  readonly named: Pick<WhyProof, "term" | "within">;
}

/** A number of the type that a value has, or of another one. */
interface WantedNumber {
  readonly number: bigint;
  readonly type?: string | undefined;
}

/** Null: the value cannot be changed alone, or has no such number. */
function changeOf(
  term: Term,
  to: WantedNumber,
  replayed: Replayable,
  { outermost, ...within }: Within,
  isElsewhere = false,
): Change | null {
  const { origin } = term;
  if (origin !== undefined && term.kind !== "written")
    return changeOf(origin.term, to, replayed, origin, true);
  const { contract, function: called } = within;
  const named = isElsewhere ? { term, within: { contract, function: called } } : { term };
  const ofLedger = term.kind === "ledger" ? LEDGER[term.name ?? ""]?.(to.number) : undefined;
  if (ofLedger !== undefined) return { overrides: { ...NO_OVERRIDES, ledger: ofLedger }, named };
  const value = numberLike(term.valueXdr ?? "", to);
  const { whole, path } = rootOf(term);
  if (value === null) return null;
  if (whole.kind === "storage") {
    const entries = storedChange(whole, path, value, replayed, contract);
    return entries && { overrides: { ...NO_OVERRIDES, entries }, named };
  }
  const call = replayed.envelope.hostFunction;
  const isOwn = outermost && call?.kind === "invoke";
  if (!isOwn || call.contract !== contract || call.function !== called) return null;
  const given = whole.kind === "argument" ? call.argumentsXdr[whole.index ?? -1] : undefined;
  if (given === undefined) return null;
  const argument = changedAt(decode("ScVal", given), path, value);
  if (argument === null) return null;
  const changed = new Map([[`${whole.index}`, { xdr: encode("ScVal", argument) }]]);
  return { overrides: { ...NO_OVERRIDES, arguments: changed }, named };
}

/** What a run can change of the ledger; a number that it cannot have is none. */
const LEDGER: Readonly<Record<string, (number: bigint) => Overrides["ledger"] | undefined>> = {
  time: (number) => (number < 0n ? undefined : { closeTimeUnixSeconds: `${number}` }),
  sequence: (number) =>
    number < 1n || number > 0xffff_ffffn ? undefined : { sequence: Number(number) },
};

/** The entry with another value at the end of the path; null: it has none there. */
function storedChange(
  { keyXdr: stored, durability: kind }: Term,
  path: readonly Term[],
  value: ScVal,
  { snapshot }: Replayable,
  within: string | null,
): Overrides["entries"] | null {
  const instance = kind === "instance" && within !== null ? instanceKeyOfContract(within) : null;
  const entry = snapshot.entries.find(({ keyXdr }) => {
    if (instance !== null) return keyXdr === instance;
    if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
    const { contract, key, durability } = dataKeyOf(keyXdr);
    return contract === within && key === stored && durability === kind;
  });
  if (entry === undefined || entry.entryXdr === null) return null;
  const { keyXdr } = entry;
  const before = decode("LedgerEntry", entry.entryXdr);
  if (before.data.type !== ENTRY_TYPE.contractData) return null;
  const { contractData } = before.data;
  const isStored = (key: ScVal) => encode("ScVal", key) === stored;
  const val =
    instance === null
      ? changedAt(contractData.val, path, value)
      : changedInstance(contractData.val, isStored, path, value);
  if (val === null) return null;
  const data = { ...before.data, contractData: { ...contractData, val } };
  const change = { kind: "entry", entryXdr: encode("LedgerEntry", { ...before, data }) } as const;
  return [{ field: "value", keyXdr, change, liveUntilLedger: null, archived: null }];
}

interface Rooted {
  readonly whole: Term;
  readonly path: readonly Term[];
}

/** The value that another one is a part of, and the way to it. */
function rootOf(term: Term): Rooted {
  const [whole] = term.of ?? [];
  const isPart = term.kind === "element" || term.kind === "field";
  if (!isPart || whole === undefined) return { whole: term, path: [] };
  const root = rootOf(whole);
  return { whole: root.whole, path: [...root.path, term] };
}

type ScVal = Value<"ScVal">;

/** A value with another one in its place at the end of the path; null: it has none there. */
function changedAt(whole: ScVal, [next, ...path]: readonly Term[], value: ScVal): ScVal | null {
  if (next === undefined) return value;
  if (next.kind === "element") {
    const elements = (whole.type === SCV.vec && whole.vec) || [];
    const at = next.index ?? -1;
    const changed = elements[at] && changedAt(elements[at], path, value);
    return changed ? { type: SCV.vec, vec: elements.with(at, changed) } : null;
  }
  const { name, keyXdr } = next;
  const isNext = (key: ScVal) =>
    name === undefined
      ? encode("ScVal", key) === keyXdr
      : key.type === SCV.symbol && utf8(key.sym) === name;
  const fields = (whole.type === SCV.map && whole.map) || [];
  const map = changedField(fields, isNext, path, value);
  return map && { type: SCV.map, map };
}

/** The same of a contract's instance, whose storage has the value. */
function changedInstance(
  whole: ScVal,
  isStored: (key: ScVal) => boolean,
  path: readonly Term[],
  value: ScVal,
): ScVal | null {
  if (whole.type !== SCV.instance) return null;
  const storage = changedField(whole.instance.storage ?? [], isStored, path, value);
  return storage && { ...whole, instance: { ...whole.instance, storage } };
}

type Fields = readonly { readonly key: ScVal; readonly val: ScVal }[];

function changedField(
  fields: Fields,
  isKey: (key: ScVal) => boolean,
  path: readonly Term[],
  value: ScVal,
): Fields | null {
  const at = fields.findIndex(({ key }) => isKey(key));
  const field = fields[at];
  const val = field && changedAt(field.val, path, value);
  return val ? fields.with(at, { ...field, val }) : null;
}

/** Null: the type has no such number. */
function numberLike(valueXdr: string, { number, type }: WantedNumber): ScVal | null {
  const name = type ?? typeNameOf(valueXdr) ?? "";
  if (name === "bool") return { type: SCV.bool, b: number === 1n };
  const xdr = integerValue(name, number);
  return xdr === null ? null : decode("ScVal", xdr);
}

/** Null: the change is not possible. */
async function draftOf(
  engines: Engines,
  replayed: Replayable,
  overrides: Overrides,
  options: OptionalRun,
): Promise<Draft | null> {
  return buildVariant(engines, replayed, overrides, options).catch((error) => {
    if (error instanceof SvcError && error.code === "OVERRIDE_IMPOSSIBLE") return null;
    throw error;
  });
}

async function runBranch(
  engines: Engines,
  replayed: Replayable,
  why: Why,
  draft: Draft,
  { until, ...options }: ProofRun,
): Promise<Execution | null> {
  const left = Math.floor(until - performance.now());
  if (left <= 0) return null;
  const { record, snapshot } = applyVariant(replayed, draft);
  const { frame, code, address, count } = why;
  const request = replayRequest(record, snapshot, {
    trace: false,
    diagnostics: true,
    feeTakenStroops: replayed.chain.feeTakenStroops,
    deadlineMilliseconds: left,
  });
  const branch = count === null ? undefined : { frame, code, address, count };
  const asked = { ...request, options: { ...request.options, branch } };
  const run = () => engines.simulator.replay(asked, options);
  return optionalRun("To prove which value decided", options, run);
}

/**
 * A run that asks for no signature: new arguments need new ones, and may need other entries. Null:
 * it was not carried out, or needs an entry that nothing at hand shows.
 */
async function runRecorded(
  { recorder }: Engines,
  replayed: Replayable,
  draft: Draft,
  { until, signal: given }: ProofRun,
): Promise<Pick<WhyProof, "error" | "recorded"> | null> {
  const left = Math.floor(until - performance.now());
  if (!recorder || left <= 0) return null;
  const limit = AbortSignal.timeout(left);
  const options = { signal: AbortSignal.any([given, limit]), progress: () => {} };
  const findEntries = entriesFinder({}, replayed, options);
  const varied = applyVariant(replayed, draft);
  try {
    const run = await recordAuthorizations({ recorder, findEntries }, varied, options);
    if (run.kind === "failed")
      return run.error && { error: ofCode(run.error), recorded: { signers: [] } };
    const signers = new Set(run.authorizations.flatMap(({ signer }) => signer ?? []));
    return { error: null, recorded: { signers: [...signers] } };
  } catch (error) {
    if (given.aborted || !limit.aborted) throw error;
    return null;
  }
}
