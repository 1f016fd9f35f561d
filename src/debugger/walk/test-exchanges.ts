// Tests names, addresses and entries that a condition names: a run has another one in its place.

import { isSameComparison } from "../../explain/naming/same-reason.ts";
import type { Why, WhyCondition, WhyProof } from "../../model/why.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { encode } from "../../xdr/reader/value.ts";
import type { Engines } from "../run/replay.ts";
import { changeOfEntry } from "./changed-value.ts";
import { type Exchange, exchangesOf, NOTHING_SHOWN } from "./exchanges.ts";
import { isIndependent, overridesAgainst } from "./opposite-changes.ts";
import {
  CONTRADICTED,
  callWithin,
  decidesAgain,
  errorOfRun,
  otherSide,
  type ProofRun,
  possibleDraft,
  type Replayed,
  runBranch,
  runRecorded,
  type Tested,
  whyWith,
} from "./proof-runs.ts";

/** The outcome of a run with another value. */
type ExchangeRun = Pick<WhyProof, "error" | "isSameError" | "recorded">;
/** The run comes to the same place for the same reason. */
const SAME = "same";

/** Tries other values and entries in the place of those that the condition names. */
export async function testExchanges(
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
    const made = proofByExchange(exchange, ending);
    isSameError ||= ran.isSameError && made.entry !== undefined && !isBeside;
    if (proof === null || says(made) > says(proof)) proof = made;
    if (ran.error === null) return made;
  }
  // Whether an entry is there is no reason if the call fails with the same error either way. That
  // it gets past this with a value at which the code stops does not count then.
  return isSameError && (proof?.isSameError || proof?.error === "") ? CONTRADICTED : proof;
}

const UNSET = encode("ScVal", { type: SCV.bool, b: false });

/** Says whether the call fails with the same error if the entry is a flag that is not set. */
export async function isUnsetFlag(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  { terms: [term] }: WhyCondition,
  options: ProofRun,
): Promise<boolean> {
  const change = term && changeOfEntry(term, UNSET, replayed, why.contract);
  if (!change) return false;
  const proven = { other: { kind: "truth", isTrue: false }, entry: "added" } as const;
  const exchange = { change, proven, isGuess: true };
  const ran = await runExchange(engines, replayed, why, exchange, options);
  return ran === SAME || ran?.isSameError === true;
}

/** How much a run says: a success most, the same error again least. */
export function says({ error, isSameError }: ExchangeRun): number {
  if (isSameError) return 0;
  return error === null ? 3 : error === "" ? 1 : 2;
}

const OF_CONTRACT = /^Error\(Contract/;

export function exchangesIn(condition: WhyCondition, replayed: Replayed, why: Why): Exchange[] {
  return exchangesOf(condition, replayed, callWithin(why));
}

export function proofByExchange({ change, proven, isGuess }: Exchange, ran: ExchangeRun): WhyProof {
  const { overrides, named } = change;
  // A contract does not store a value at which its code stops.
  const isUnfit = isGuess && ran.error === "" && proven.entry !== undefined;
  return {
    ...named,
    ...proven,
    ...(isUnfit && { other: NOTHING_SHOWN }),
    ...ran,
    range: null,
    overrides,
  };
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
  const was = errorOfRun(replayed.execution);
  const draft = await possibleDraft(engines, replayed, change.overrides, options);
  if (!draft || was === null || was === "") return null;
  // A signed authorization that still has the old argument fails for that alone.
  const isAlone = draft.remarks.length === 0;
  const ended = isAlone ? await runBranch(engines, replayed, why, draft, options) : null;
  const error = ended === null ? "" : errorOfRun(ended);
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
  const draft = overrides && (await possibleDraft(engines, replayed, overrides, options));
  if (!draft || draft.remarks.length > 0) return false;
  return decidesAgain(engines, replayed, draft, why, options);
}

/** Says whether code stopped at a value because of its type. */
function stopsAtType({ conditions, refused }: Why): boolean {
  return refused !== undefined || conditions.some(({ relation }) => relation === "not_type");
}
