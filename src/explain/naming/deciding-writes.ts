// Names the transactions that last wrote the stored values that decided, and says whether one of
// them has already done what the failed call was to do.

import { neutralise } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { DecidedBy, DecidingWrite } from "../../model/explanation.ts";
import type { FoundWrite, Term } from "../../model/why.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { CONSTRUCTOR } from "../../xdr/contract/reserved-functions.ts";
import { isSetupFlag, isSetupFunction } from "../../xdr/contract/setup-names.ts";
import { showValue } from "../../xdr/values/value.ts";
import { plainOf } from "../../xdr/values/value-parts.ts";
import { entryInWords } from "./condition-words.ts";
import { SHOWN_VALUE, type TermScope, termName } from "./term-names.ts";

/** A write without a name is left out. */
export function namedWrites(
  writes: readonly FoundWrite[],
  lookup: ContractLookup,
): readonly DecidingWrite[] {
  return writes.flatMap((write) => {
    const { term, contract, beforeXdr, afterXdr, repeats, ...facts } = write;
    const spec = lookup(contract)?.spec ?? null;
    const change = changeInWords(write, { lookup, spec, function: "" });
    if (change === null) return [];
    const shown = (xdr: string | null) =>
      xdr === null || write.of !== "value" ? null : neutralise(showValue(xdr, SHOWN_VALUE));
    const by = callInWords(write);
    const where = `in transaction ${write.transactionHash} (ledger ${write.ledger})`;
    const { of, transactionHash, ledger, applicationOrder, call } = facts;
    return {
      text: neutralise(`${sentenceStart(change)}${by} ${where}.`),
      of,
      contract,
      keyXdr: rootKeyOf(term),
      before: shown(beforeXdr),
      after: shown(afterXdr),
      transactionHash,
      ledger,
      applicationOrder,
      call: call && { contract: call.contract, function: neutralise(call.function) },
      repeats,
    };
  });
}

function rootKeyOf({ kind, keyXdr, of: [whole] = [] }: Term): string | null {
  if (kind === "storage" || kind === "entry") return keyXdr ?? null;
  return whole === undefined ? null : rootKeyOf(whole);
}

/** The change without the transaction: `Limit was set to 5`. */
function changeInWords(write: FoundWrite, names: TermScope): string | null {
  const { of, term, beforeXdr, afterXdr } = write;
  if (of === "entry") {
    if (term.keyXdr === undefined) return null;
    return `the ${entryInWords(term.keyXdr, names)} was ${afterXdr === null ? "removed" : "created"}`;
  }
  const [whole] = term.of ?? [];
  const name = termName(of === "element" && whole !== undefined ? whole : term, names)?.text;
  if (name === undefined) return null;
  if (of === "element") {
    const noun = term.name === "element" ? "element" : "key";
    const key = showValue(term.keyXdr ?? "", SHOWN_VALUE);
    return afterXdr === null
      ? `${noun} ${key} was removed from ${name}`
      : `${noun} ${key} was added to ${name}`;
  }
  if (afterXdr === null) return `${name} was removed`;
  const first = beforeXdr === null ? "first " : "";
  return `${name} was ${first}set to ${showValue(afterXdr, SHOWN_VALUE)}`;
}

function callInWords({ call, contract, repeats }: FoundWrite): string {
  if (call === null) return "";
  if (repeats === "call") return ` by the same call of \`${call.function}\``;
  const of = call.contract === contract ? "" : ` of ${call.contract}`;
  return ` by \`${call.function}\`${of}`;
}

/** Conditions that one write settles. What a number has reached is the work of many. */
const SETTLED: ReadonlySet<string> = new Set([
  "absent",
  "present",
  "equal",
  "not_equal",
  "one_of",
  "not_one_of",
  "is_type",
  "not_type",
]);

/**
 * The write by which the failed call was done before: by the same call, or by the same function if
 * no argument is part of the condition. Null: nothing shows one.
 */
export function earlierCall({ writes, conditions, because }: DecidedBy): DecidingWrite | null {
  const isSettled = conditions.every(({ relation }) => SETTLED.has(relation));
  if (!isSettled || conditions.length === 0 || because.length > 0) return null;
  const terms = conditions.flatMap(({ terms: each }) => each);
  const isOfArguments = terms.some(mentionsArgument);
  const done = writes.find(
    ({ repeats }) => repeats === "call" || (repeats === "function" && !isOfArguments),
  );
  return done ?? null;
}

/**
 * The advice on a call of a setup function that finds something set, although no ledger shows who
 * set it. Null for any other call.
 */
export function setBefore({ function: called, conditions, because }: DecidedBy): string | null {
  const [only, ...others] = conditions;
  if (only === undefined || others.length > 0 || because.length > 0) return null;
  const { relation, terms } = only;
  const isSet = relation === "present" || (relation === "equal" && terms.some(isInitialized));
  if (!isSetupFunction(called) || called === CONSTRUCTOR || !isSet) return null;
  if (terms.some(mentionsArgument)) return null;
  return `If the contract is initialized already, do not call \`${called}\` again.`;
}

function isInitialized({ kind, keyXdr = "", valueXdr }: NamedTerm): boolean {
  const isTrue = valueXdr !== undefined && plainOf(valueXdr) === true;
  return kind === "storage" && isSetupFlag(keyXdr) && isTrue;
}

type NamedTerm = DecidedBy["conditions"][number]["terms"][number];

function mentionsArgument({ kind, of, givenBy }: NamedTerm): boolean {
  const from = givenBy?.term;
  return (
    kind === "argument" || of.some(mentionsArgument) || (from ? mentionsArgument(from) : false)
  );
}

/** The end of all advice, as an instruction. */
export function doneBefore({
  call,
  repeats,
  transactionHash,
  ledger,
}: Pick<DecidingWrite, "repeats" | "transactionHash" | "ledger"> &
  Partial<Pick<DecidingWrite, "call">>): string {
  const where = `in transaction ${transactionHash} (ledger ${ledger})`;
  return repeats === "call"
    ? `Do not send this call again: it already succeeded ${where}.`
    : `Do not send this call: \`${call?.function}\` already succeeded ${where}, with other arguments.`;
}
