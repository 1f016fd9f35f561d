// Tests which value decided that a transaction failed. With this value alone changed to the nearest
// number on the other side of the boundary, the same branch must go the other way. With the last
// number on this side, it must not. If the code chose its error without a branch, the two runs must
// end differently, and the second one must end like the replay. If the changed call needs other
// authorizations or entries than those that were sent, a host that records them runs it: with one
// value it must fail as on chain, and with the other it must not. Names, addresses and entries have
// no boundary, so one run with another is made. If runs contradict the finding, svc does not report
// it. Without such runs, the finding stays likely.

import { SvcError } from "../../base/errors/errors.ts";
import type { FoundWhy } from "../../explain/explain.ts";
import { isSameComparison } from "../../explain/naming/same-reason.ts";
import type { Execution } from "../../model/execution.ts";
import { NO_OVERRIDES, type Overrides } from "../../model/overrides.ts";
import type { Term, Why, WhyCondition, WhyProof } from "../../model/why.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { endingError } from "../../xdr/outcome/error-reports.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { recordAuthorizations } from "../fix/record-authorizations.ts";
import { entriesFinder } from "../run/find-entries.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import { applyVariant, type Replayable } from "../run/run-variant.ts";
import { buildVariant } from "../what-if/build-variant.ts";
import type { Draft } from "../what-if/variant-draft.ts";
import { withAssetRule, withoutAssetRule } from "./asset-rule.ts";
import { boundariesOf, numberInType, numberOfTerm } from "./boundaries.ts";
import { changeOfValue } from "./changed-value.ts";
import { type Exchange, exchangesOf } from "./exchanges.ts";

/** The transaction's own call: the host function is number 0. */
const OUTERMOST = 1;
/** The time for all runs together, because the report waits for them. */
const PROOF_MILLISECONDS = 1_500;

interface ProofRun extends OptionalRun {
  /** The time at which all runs end. */
  readonly until: number;
}

/** A run fails for the same reason, although the value is on the other side of its boundary. */
const CONTRADICTED = "contradicted";
type Tested = WhyProof | typeof CONTRADICTED | null;

type Replayed = Replayable & { readonly execution: Execution };

/** The value with a proof, if there is one. Null if runs contradict it. */
export async function testWhy(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  options: OptionalRun,
): Promise<FoundWhy | null> {
  const run = { ...options, until: performance.now() + PROOF_MILLISECONDS };
  if (why.refused && why.conditions.length > 0) {
    const { refused: _, ...rule } = why;
    const proof = await testBranch(engines, replayed, { ...rule, end: "error" }, run);
    if (proof !== CONTRADICTED) return { why, proof };
    return testWhy(engines, replayed, withoutAssetRule(why), options);
  }
  const named = why.refused ? undefined : await withMembers(engines, replayed, why, run);
  if (named !== undefined) return named;
  const own = why.refused ? null : await testBranch(engines, replayed, why, run);
  if (own === CONTRADICTED) return null;
  // With an absent entry there.
  const [lookedUp] = own === null && why.missed ? why.conditions : [];
  const filled = lookedUp ? await testExchanges(engines, replayed, why, lookedUp, run) : null;
  if (filled === CONTRADICTED) return null;
  const known = own ?? filled;
  const more = why.refused ? null : await withOthers(engines, replayed, why, known, run);
  if (more !== null) return more;
  if (own !== null)
    return (await withNext(engines, replayed, why, own, run)) ?? { why, proof: own };
  const requested = why.refused ?? why.missed;
  for (const reason of requested?.reasons ?? []) {
    const question = { ...why, ...reason, end: "refused" } as const;
    const tested = await testBranch(engines, replayed, question, run);
    if (tested !== null && tested !== CONTRADICTED) return { why, proof: { ...tested, reason } };
  }
  return { why, proof: filled };
}

async function testBranch(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  options: ProofRun,
): Promise<Tested> {
  const [condition, ...others] = why.conditions;
  if (condition === undefined) return null;
  if (others.length > 0) return testTogether(engines, replayed, why, options);
  const was = errorOf(replayed.execution);
  // Only a success shows that a branch was the reason for a refused call.
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
        : changeOfValue(term, { number: holds }, replayed, own);
    const changed = changeOfValue(term, { number: not, type }, replayed, own);
    if (kept === null || changed === null) continue;
    const [on, same] = await Promise.all(
      [changed, kept].map(({ overrides }) => draftOf(engines, replayed, overrides, options)),
    );
    if (!on || !same) continue;
    // A signed authorization that still has the old argument fails for that alone.
    const isAlone = on.remarks.length === 0;
    const isNew = isAlone && holds !== null && `${holds}` !== numberOfTerm(term);
    // The two runs go side by side. Caveats of the second one count only if its result is needed.
    const caveats: string[] = [];
    const [ended, again] = await Promise.all([
      isAlone ? runBranch(engines, replayed, why, on, options) : null,
      isNew ? runBranch(engines, replayed, why, same, { ...options, caveats }) : null,
    ]);
    const other = ended && flipped(ended);
    if (other === false) {
      if (isRefused || !isIndependent(condition, term)) break;
      // The same branch went to the same side. Without a branch, other checks may end in the same
      // way.
      if (why.count !== null || (await decidesAgain(engines, replayed, on, why, options)))
        return CONTRADICTED;
      break;
    }
    const ran = ended && other ? { error: errorOf(ended), recorded: null } : null;
    // Such a run shows no refusal, because it records what was missing.
    const isOpen = (ran === null || ran.error === "") && !isRefused && was !== "";
    const anew = isOpen ? await runRecorded(engines, replayed, on, options) : null;
    const isProof = anew && otherError(anew.error, was) === true;
    const before = isProof ? await runRecorded(engines, replayed, same, options) : null;
    const flippedRun = before !== null && before.error === was ? anew : ran;
    // An earlier check may refuse this number, and not the next one.
    if (flippedRun === null || (first !== null && flippedRun.error !== null)) continue;
    if (flippedRun === ran && isNew) {
      options.caveats.push(...caveats);
      // Another check that comes first may fail, but the transaction must not succeed.
      if (again !== null && errorOf(again) === null && isIndependent(condition, term))
        return CONTRADICTED;
      if (again === null || flipped(again) !== false) break;
    }
    const { overrides, named } = changed;
    const isSameError = flippedRun.error === was;
    const number = type === "bool" ? "false" : type ? `${not}` : numberInType(term, not);
    first = { number, range, overrides, isSameError, ...flippedRun, ...named };
    // Another value may succeed.
    if (flippedRun.error === null) break;
  }
  // Why an absent entry was asked for comes before what would have been in it.
  if (first !== null || why.missed) return first;
  return testExchanges(engines, replayed, why, condition, options);
}

/** What a run with another value shows. */
type ExchangeRun = Pick<WhyProof, "error" | "isSameError" | "recorded">;
/** The run comes to the same place for the same reason. */
const SAME = "same";

/** Tries other values and entries in the place of those that the condition names. */
async function testExchanges(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  condition: WhyCondition,
  options: ProofRun,
): Promise<Tested> {
  let proof: WhyProof | null = null;
  let isSameError = false;
  for (const exchange of exchangesIn(condition, replayed, why)) {
    const ran = await runExchange(engines, replayed, why, exchange, options);
    if (ran === null) continue;
    if (ran === SAME) {
      if (isIndependent(condition, exchange.change.named.term)) return CONTRADICTED;
      continue;
    }
    const { isBeside = false, ...ending } = ran;
    const made = proofOf(exchange, ending);
    isSameError ||= ran.isSameError && made.entry !== undefined && !isBeside;
    if (proof === null || says(made) > says(proof)) proof = made;
    if (ran.error === null) return made;
  }
  // Whether an entry is there is no reason if the call fails with the same error either way. That
  // it gets past this with a value at which the code stops does not count then.
  return isSameError && (proof?.isSameError || proof?.error === "") ? CONTRADICTED : proof;
}

/** How much a run says: a success most, the same error again least. */
function says({ error, isSameError }: ExchangeRun): number {
  if (isSameError) return 0;
  return error === null ? 3 : error === "" ? 1 : 2;
}

const OF_CONTRACT = /^Error\(Contract/;

function exchangesIn(condition: WhyCondition, replayed: Replayed, why: Why): Exchange[] {
  return exchangesOf(condition, replayed, { ...why, outermost: why.frame === OUTERMOST });
}

function proofOf({ change, proven, isGuess }: Exchange, ran: ExchangeRun): WhyProof {
  const { overrides, named } = change;
  // Nobody stores such a value if the code stops at it.
  const isUnfit = isGuess && ran.error === "" && proven.entry !== undefined;
  return { ...named, ...proven, ...(isUnfit && { number: "" }), ...ran, range: null, overrides };
}

/** A run with the same error, which another reason has that this one does not need. */
interface ExchangeEnding extends ExchangeRun {
  readonly isBeside?: boolean;
}

/** Null: the run could not be made, or says nothing. */
async function runExchange(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  { change, proven, isGuess }: Exchange,
  options: ProofRun,
): Promise<ExchangeEnding | typeof SAME | null> {
  const was = errorOf(replayed.execution);
  const draft = await draftOf(engines, replayed, change.overrides, options);
  if (!draft || was === null || was === "") return null;
  // A signed authorization that still has the old argument fails for that alone.
  const isAlone = draft.remarks.length === 0;
  const ended = isAlone ? await runBranch(engines, replayed, why, draft, options) : null;
  const error = ended === null ? "" : errorOf(ended);
  const side = why.count === null ? null : otherSide(ended?.branchTaken, why.taken);
  // The branch went the other way, and then the change alone stopped the call.
  const past = side === true ? { error: "", isSameError: false, recorded: null } : null;
  // Code stops at a value of another type than it stored.
  const isUnfit = (of: string | null) => isGuess && of !== null && !OF_CONTRACT.test(of);
  if (error === "") {
    const anew = await runRecorded(engines, replayed, draft, options);
    // The host that records takes no branch that could be compared.
    if (anew === null || anew.error === was || anew.error === "" || isUnfit(anew.error))
      return past;
    return { ...anew, isSameError: false };
  }
  if (isUnfit(error) && error !== was) return past;
  if (error !== was) return { error, isSameError: false, recorded: null };
  if (side === false) return SAME;
  const isPresence = proven.entry !== undefined;
  const again =
    side === null || isPresence || isUnfit(error)
      ? await whyWith(engines, replayed, draft, options)
      : null;
  if (side === null && again !== null && isSameComparison(again, why)) return SAME;
  if (isUnfit(error)) return again !== null && stopsAtType(again) ? past : null;
  if (side === null && !isPresence) return null;
  const isBeside = again !== null && (await decidesBeside(engines, replayed, why, again, options));
  return { error, isSameError: true, recorded: null, isBeside };
}

/**
 * Says whether the call fails for this reason also without the next one: of two entries that it
 * needs, each is a reason. Of `a || b` only the one is that holds.
 */
async function decidesBeside(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  next: Why,
  options: ProofRun,
): Promise<boolean> {
  const overrides = overridesAgainst(next, replayed);
  const draft = overrides && (await draftOf(engines, replayed, overrides, options));
  if (!draft || draft.remarks.length > 0) return false;
  return decidesAgain(engines, replayed, draft, why, options);
}

/** Says whether code stopped at a value because of its type. */
function stopsAtType({ conditions, refused }: Why): boolean {
  return refused !== undefined || conditions.some(({ relation }) => relation === "not_type");
}

/**
 * Of a value that is none of several, those with which a run does not fail with the same error,
 * and the proof. Undefined if that cannot be tested. Null: it fails so with all of them.
 */
async function withMembers(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  options: ProofRun,
): Promise<FoundWhy | null | undefined> {
  const [condition, ...others] = why.conditions;
  if (condition?.relation !== "not_one_of" || others.length > 0) return undefined;
  const was = errorOf(replayed.execution);
  const exchanges = exchangesIn(condition, replayed, why);
  const isOpen = exchanges.length < (condition.values ?? []).length;
  if (isOpen || was === null || was === "") return undefined;
  let proof: WhyProof | null = null;
  const values: string[] = [];
  let isTested = true;
  for (const exchange of exchanges) {
    const draft = await draftOf(engines, replayed, exchange.change.overrides, options);
    const isAlone = draft?.remarks.length === 0;
    const ended = draft && isAlone ? await runBranch(engines, replayed, why, draft, options) : null;
    const own = ended && errorOf(ended);
    const isUnseen = ended === null || own === "";
    const anew = draft && isUnseen ? await runRecorded(engines, replayed, draft, options) : null;
    const error = isUnseen ? (anew === null ? "" : anew.error) : own;
    if (error === was) continue;
    values.push(exchange.member ?? "");
    if (error === "") {
      isTested = false;
      continue;
    }
    const recorded = isUnseen && anew !== null ? anew.recorded : null;
    const made = proofOf(exchange, { error, isSameError: false, recorded });
    if (proof === null || (proof.error !== null && error === null)) proof = made;
  }
  if (values.length === 0) return null;
  const only = exchanges.find(({ member }) => member === values[0]);
  const [term] = condition.terms;
  const isOne = values.length === 1 && only !== undefined && term !== undefined;
  const named = isOne ? isNot(term, only) : { ...condition, values };
  return { why: { ...why, count: null, conditions: [named] }, proof: isTested ? proof : null };
}

function isNot(term: Term, { change, proven }: Exchange): WhyCondition {
  const [argument] = change.overrides.arguments.values();
  const { xdr } = (argument ?? {}) as { xdr?: string };
  const number = term.number === undefined ? {} : { number: proven.number };
  const other: Term = { kind: "constant", ...(xdr !== undefined && { valueXdr: xdr }), ...number };
  return { relation: "not_equal", terms: [term, other] };
}

/**
 * The same with those other conditions without which the call does not fail with this error: each
 * would have been a way out. Null: there are none.
 */
async function withOthers(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  own: WhyProof | null,
  options: ProofRun,
): Promise<FoundWhy | null> {
  const { others = [], ...bare } = why;
  const texts = new Set(why.conditions.map((condition) => JSON.stringify(condition)));
  const conditions = [...why.conditions];
  let proof = own;
  for (const other of others) {
    if (texts.has(JSON.stringify(other))) continue;
    texts.add(JSON.stringify(other));
    const question = { ...bare, count: null, conditions: [other] };
    const tested = await testExchanges(engines, replayed, question, other, options);
    if (tested === null || tested === CONTRADICTED || tested.isSameError) continue;
    // Another failure is no way out if the first condition alone is one.
    if (own?.error === null && tested.error !== null) continue;
    conditions.push(other);
    if (proof === null || says(tested) > says(proof)) proof = tested;
  }
  if (conditions.length === why.conditions.length) return null;
  return { why: { ...bare, count: null, conditions }, proof };
}

/**
 * The same with the next condition, if the run with this value changed fails for another reason
 * with the same error: as in `a || b`, of which both hold, both have to change. Null: it does not,
 * or nothing tells whether the other condition held before.
 */
async function withNext(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  proof: WhyProof,
  options: ProofRun,
): Promise<FoundWhy | null> {
  if (!proof.isSameError || proof.recorded !== null || why.conditions.length !== 1) return null;
  const draft = await draftOf(engines, replayed, proof.overrides, options);
  const next = draft && (await whyWith(engines, replayed, draft, options));
  if (!next || next.frame !== why.frame || next.contract !== why.contract || next.refused)
    return null;
  const changed = new Set(sourcesOf(proof.term));
  const sources = next.conditions.flatMap(({ terms }) => terms.flatMap(sourcesOf));
  const heldBefore = sources.every((source) => source !== null && !changed.has(source));
  if (next.conditions.length === 0 || !heldBefore || changed.has(null)) return null;
  const both = { ...why, count: null, conditions: [...why.conditions, ...next.conditions] };
  const tested = await testTogether(engines, replayed, both, options);
  return tested === CONTRADICTED ? null : { why: both, proof: tested ?? proof };
}

/**
 * Tests conditions on several values, all of which have to change. There is no proof of one value,
 * but a run can contradict them.
 */
async function testTogether(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  options: ProofRun,
): Promise<Tested> {
  let alone: WhyProof | null = null;
  for (const condition of why.conditions) {
    // Of `!a && !b` each one alone would do.
    const single = { ...why, count: null, conditions: [condition] };
    const tested = await testBranch(engines, replayed, single, options);
    if (tested === null || tested === CONTRADICTED || tested.isSameError) continue;
    if (alone === null || isBetter(tested, alone)) alone = tested;
  }
  if (alone !== null) return alone;
  const merged = overridesAgainst(why, replayed);
  const draft = merged && (await draftOf(engines, replayed, merged, options));
  if (!draft || draft.remarks.length > 0) return null;
  const ended = await runBranch(engines, replayed, { ...why, count: null }, draft, options);
  if (ended === null || otherError(errorOf(ended), errorOf(replayed.execution)) !== false)
    return null;
  return (await decidesAgain(engines, replayed, draft, why, options)) ? CONTRADICTED : null;
}

/** The changes with which none of the conditions holds; null if that is not possible. */
function overridesAgainst(why: Why, replayed: Replayed): Overrides | null {
  const own = { ...why, outermost: why.frame === OUTERMOST };
  const changes = why.conditions.map((condition) => {
    for (const { term, not, type } of boundariesOf(condition)) {
      if (!isIndependent(condition, term)) continue;
      const change = changeOfValue(term, { number: not, type }, replayed, own);
      if (change !== null) return change.overrides;
    }
    return exchangesOf(condition, replayed, own)[0]?.change.overrides ?? null;
  });
  const known = changes.flatMap((change) => change ?? []);
  const isWhole = changes.length > 0 && known.length === changes.length;
  return isWhole ? mergedOverrides(known) : null;
}

/** A success says more than another failure, and 0 of something is seldom what somebody wants. */
function isBetter(candidate: WhyProof, known: WhyProof): boolean {
  const rank = ({ error, number }: WhyProof) => (error === null ? 2 : 0) + (number === "0" ? 0 : 1);
  return rank(candidate) > rank(known);
}

/** Null if two of them change the same thing. */
function mergedOverrides(all: readonly Overrides[]): Overrides | null {
  const argumentOverrides = all.flatMap((each) => [...each.arguments]);
  const entries = all.flatMap((each) => each.entries);
  const facts = all.flatMap((each) => Object.entries(each.ledger));
  const places = [
    ...argumentOverrides.map(([at]) => at),
    ...entries.map(({ keyXdr }) => keyXdr),
    ...facts.map(([name]) => name),
  ];
  if (new Set(places).size < places.length) return null;
  const ledger = Object.fromEntries(facts);
  return { ...NO_OVERRIDES, arguments: new Map(argumentOverrides), entries, ledger };
}

/** Says whether nothing else in a condition may depend on one of its values. */
function isIndependent({ terms, relation }: WhyCondition, changed: Term): boolean {
  const own = new Set(sourcesOf(changed));
  // The values of one computation are compared with a constant.
  if (relation === "overflow") return terms.flatMap(({ of = [] }) => of).length === 2;
  const others = terms.filter((term) => term !== changed).flatMap(sourcesOf);
  return others.every((source) => source !== null && !own.has(source));
}

/** The values that a term was made of, with null for one of which nothing is known. */
function sourcesOf(term: Term): (string | null)[] {
  const { kind, of = [], origin, index, name, keyXdr, durability } = term;
  if (origin !== undefined) return sourcesOf(origin.term);
  const parts = of.flatMap(sourcesOf);
  switch (kind) {
    case "constant":
      return [];
    case "argument":
    case "ledger":
    case "storage":
    case "token":
      return [JSON.stringify([kind, index, name, keyXdr, durability]), ...parts];
    case "computed":
    case "length":
    case "field":
    case "element":
      return parts.length === 0 ? [null] : parts;
    default:
      return [null];
  }
}

/** Says whether the same condition decides when the value has changed. */
async function decidesAgain(
  engines: Engines,
  replayed: Replayable,
  draft: Draft,
  why: Why,
  options: ProofRun,
): Promise<boolean> {
  const again = await whyWith(engines, replayed, draft, options);
  return again !== null && isSameComparison(again, why);
}

/** Why the run with other values fails; null: it does not, or that is unknown. */
async function whyWith(
  { simulator }: Engines,
  replayed: Replayable,
  draft: Draft,
  { until, ...options }: ProofRun,
): Promise<Why | null> {
  const milliseconds = Math.floor(until - performance.now());
  if (milliseconds <= 0) return null;
  const { record, snapshot } = applyVariant(replayed, draft);
  const request = replayRequest(record, snapshot, {
    trace: true,
    diagnostics: true,
    feeTakenStroops: null,
  });
  const runs = new RunSet({ simulator }, request);
  const { signal } = options;
  const ran = await optionalRun("To test which value decided", options, () =>
    runs.get({ trace: true, why: true }, { signal, milliseconds }),
  );
  return ran?.why ? withAssetRule(ran.why, ran, request) : null;
}

/** Null if the run did not come to that branch. */
function otherSide(taken: number | undefined, was: number): boolean | null {
  return taken === undefined ? null : taken !== was;
}

/**
 * Says whether the run ended with another error, if no branch decided alone. Null if the error
 * shows nothing.
 */
function otherError(error: string | null, was: string | null): boolean | null {
  return error === "" || was === "" ? null : error !== was;
}

/** Errors that come from a footprint, authorizations and limits that do not fit the change. */
const ERRORS_OF_CHANGE: ReadonlySet<string> = new Set(["Storage", "Auth", "Budget"]);

function errorOf({ outcome, hostError, diagnosticsXdr }: Execution): string | null {
  if (outcome.kind === "success") return null;
  // The host has one error for everything that fails in a constructor.
  const isOfHost = hostError?.type === "Context";
  return ofCode((isOfHost && endingError(diagnosticsXdr)?.error) || hostError);
}

/** The error that the code chose; empty if the code did not choose it. */
function ofCode(error: ErrorFacts | null): string {
  return error === null || ERRORS_OF_CHANGE.has(error.type) ? "" : showError(error);
}

/** Null if the change is not possible. */
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
  const branchRequest = { ...request, options: { ...request.options, branch } };
  const run = () => engines.simulator.replay(branchRequest, options);
  return optionalRun("To prove which value decided", options, run);
}

/**
 * A run that asks for no signature, because new arguments need new signatures and may need other
 * entries. Null if it was not carried out, or if it needs an entry that no source shows.
 */
async function runRecorded(
  { recorder }: Engines,
  replayed: Replayable,
  draft: Draft,
  { until, signal: callerSignal }: ProofRun,
): Promise<Pick<WhyProof, "error" | "recorded"> | null> {
  const left = Math.floor(until - performance.now());
  if (!recorder || left <= 0) return null;
  const limit = AbortSignal.timeout(left);
  const options = { signal: AbortSignal.any([callerSignal, limit]), progress: () => {} };
  const findEntries = entriesFinder({}, replayed, options);
  const varied = applyVariant(replayed, draft);
  try {
    const run = await recordAuthorizations({ recorder, findEntries }, varied, options);
    if (run.kind === "failed")
      return run.error && { error: ofCode(run.error), recorded: { signers: [] } };
    const signers = new Set(run.authorizations.flatMap(({ signer }) => signer ?? []));
    return { error: null, recorded: { signers: [...signers] } };
  } catch (error) {
    if (callerSignal.aborted || !limit.aborted) throw error;
    return null;
  }
}
