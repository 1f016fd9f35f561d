// Tests which value decided that a transaction failed. With this value alone changed to the nearest
// number on the other side of the boundary, the same branch must go the other way. With the last
// number on this side, it must not. If the code chose its error without a branch, the two runs must
// end differently, and the second one must end like the replay. If the changed call needs other
// authorizations or entries than those that were sent, a host that records them runs it: with one
// value it must fail as on chain, and with the other it must not. Names, addresses and entries have
// no boundary, so one run with another is made. If runs contradict the finding, svc does not report
// it. Without such runs, the finding stays likely.

import type { FoundWhy } from "../../explain/explain.ts";
import type { Execution } from "../../model/execution.ts";
import { NO_OVERRIDES } from "../../model/overrides.ts";
import type { OtherValue, Term, Why, WhyCondition, WhyProof } from "../../model/why.ts";
import type { OptionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { withoutAssetRule } from "./asset-rule.ts";
import { boundariesOf, numberInType, numberOfTerm } from "./boundaries.ts";
import { changeOfValue } from "./changed-value.ts";
import { withComparedArgument } from "./compared-argument.ts";
import type { Exchange } from "./exchanges.ts";
import { isIndependent, overridesAgainst, sourcesOf } from "./opposite-changes.ts";
import {
  CONTRADICTED,
  callWithin,
  decidesAgain,
  errorOfRun,
  otherError,
  otherSide,
  type ProofRun,
  possibleDraft,
  type Replayed,
  runBranch,
  runRecorded,
  type Tested,
  whyWith,
} from "./proof-runs.ts";
import {
  exchangesIn,
  isUnsetFlag,
  proofByExchange,
  says,
  testExchanges,
} from "./test-exchanges.ts";

/** The time for all runs together, because the report waits for them. */
const PROOF_MILLISECONDS = 1_500;

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
  const compared = why.refused ? null : await withComparedArgument(engines, replayed, why, run);
  if (compared !== null) return testWhy(engines, replayed, { ...compared, count: null }, options);
  const own = why.refused ? null : await testBranch(engines, replayed, why, run);
  if (own === CONTRADICTED) return null;
  // With an absent entry there.
  const [lookedUp] = own === null && why.missed ? why.conditions : [];
  const filled = lookedUp ? await testExchanges(engines, replayed, why, lookedUp, run) : null;
  if (filled === CONTRADICTED) return null;
  const known = own ?? filled;
  const optional = why.refused ? null : await withoutOptional(engines, replayed, why, own, run);
  if (optional !== null) return testWhy(engines, replayed, optional, options);
  const more = why.refused ? null : await withOthers(engines, replayed, why, known, run);
  if (more !== null) return more;
  if (own !== null)
    return (await withNext(engines, replayed, why, own, run)) ?? { why, proof: own };
  const requested = why.refused ?? why.missed;
  for (const reason of requested?.reasons ?? []) {
    const question = { ...why, ...reason, end: "refused" } as const;
    const tested = await testBranch(engines, replayed, question, run);
    if (tested === null || tested === CONTRADICTED) continue;
    // An entry that a contract stores by itself is a way out before another value of its state is.
    const isOfState = tested.overrides.entries.length > 0;
    if (isOfState && (filled !== null || (why.refused && tested.error !== null))) continue;
    return { why, proof: { ...tested, reason } };
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
  const was = errorOfRun(replayed.execution);
  // Only a success shows that a branch was the reason for a refused call.
  const isRefused = why.end === "refused";
  const flipped = (ended: Execution): boolean | null => {
    const error = errorOfRun(ended);
    if (isRefused && (why.count === null || error !== null)) return error === null;
    return why.count === null ? otherError(error, was) : otherSide(ended.branchTaken, why.taken);
  };
  let first: WhyProof | null = null;
  for (const { term, holds, not, range, type } of boundariesOf(condition)) {
    const own = callWithin(why);
    const kept =
      holds === null
        ? { overrides: NO_OVERRIDES }
        : changeOfValue(term, { number: holds }, replayed, own);
    const changed = changeOfValue(term, { number: not, type }, replayed, own);
    if (kept === null || changed === null) continue;
    const [on, same] = await Promise.all(
      [changed, kept].map(({ overrides }) => possibleDraft(engines, replayed, overrides, options)),
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
    const ran = ended && other ? { error: errorOfRun(ended), recorded: null } : null;
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
      if (again !== null && errorOfRun(again) === null && isIndependent(condition, term))
        return CONTRADICTED;
      if (again === null || flipped(again) !== false) break;
    }
    const { overrides, named } = changed;
    const isSameError = flippedRun.error === was;
    const otherValue = numberInType(term, not, type);
    first = { other: otherValue, range, overrides, isSameError, ...flippedRun, ...named };
    // Another value may succeed.
    if (flippedRun.error === null) break;
  }
  // Why an absent entry was asked for comes before what would have been in it.
  if (first !== null || why.missed) return first;
  return testExchanges(engines, replayed, why, condition, options);
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
  const was = errorOfRun(replayed.execution);
  const exchanges = exchangesIn(condition, replayed, why);
  const isOpen = exchanges.length < (condition.values ?? []).length;
  if (isOpen || was === null || was === "") return undefined;
  let proof: WhyProof | null = null;
  const values: string[] = [];
  let isTested = true;
  for (const exchange of exchanges) {
    const draft = await possibleDraft(engines, replayed, exchange.change.overrides, options);
    const isAlone = draft?.remarks.length === 0;
    const ended = draft && isAlone ? await runBranch(engines, replayed, why, draft, options) : null;
    const own = ended && errorOfRun(ended);
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
    const made = proofByExchange(exchange, { error, isSameError: false, recorded });
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
  const hasNumber = term.number !== undefined && proven.other.kind === "number";
  const other: Term = {
    kind: "constant",
    ...(xdr !== undefined && { valueXdr: xdr }),
    ...(hasNumber && { number: proven.other.number }),
  };
  return { relation: "not_equal", terms: [term, other] };
}

/**
 * Adds those other conditions without which the call does not fail with this error: each would have
 * been a way out. Null: there are none.
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
    const mayBeFlag = other.relation === "absent" && tested.error !== null;
    if (mayBeFlag && (await isUnsetFlag(engines, replayed, question, other, options))) continue;
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
  const draft = await possibleDraft(engines, replayed, proof.overrides, options);
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
 * Leaves out the absent entries that are no reason: the call fails in the same way if one of them
 * is there. Returns null if there are none, or no other condition is left.
 */
async function withoutOptional(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  proof: WhyProof | null,
  options: ProofRun,
): Promise<Why | null> {
  if (why.conditions.length < 2) return null;
  const needed: WhyCondition[] = [];
  for (const condition of why.conditions) {
    const single = { ...why, count: null, conditions: [condition] };
    const isLookUp = condition.relation === "absent" && condition.terms[0] !== proof?.term;
    const tested = isLookUp ? await testBranch(engines, replayed, single, options) : null;
    // A flag that is not set changes nothing, and one that is set is another reason to fail.
    const isWayOut = tested !== null && tested !== CONTRADICTED && tested.error === null;
    const isUnset =
      isLookUp && !isWayOut && (await isUnsetFlag(engines, replayed, single, condition, options));
    if (tested !== CONTRADICTED && !isUnset) needed.push(condition);
  }
  const isSame = needed.length === 0 || needed.length === why.conditions.length;
  return isSame ? null : { ...why, count: null, conditions: needed };
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
  const draft = merged && (await possibleDraft(engines, replayed, merged, options));
  if (!draft || draft.remarks.length > 0) return null;
  const ended = await runBranch(engines, replayed, { ...why, count: null }, draft, options);
  if (ended === null || otherError(errorOfRun(ended), errorOfRun(replayed.execution)) !== false)
    return null;
  return (await decidesAgain(engines, replayed, draft, why, options)) ? CONTRADICTED : null;
}

/** A success says more than another failure, and 0 of something is seldom what somebody wants. */
function isBetter(candidate: WhyProof, known: WhyProof): boolean {
  const isZero = (other: OtherValue) => other.kind === "number" && other.number === "0";
  const rank = ({ error, other }: WhyProof) => (error === null ? 2 : 0) + (isZero(other) ? 0 : 1);
  return rank(candidate) > rank(known);
}
