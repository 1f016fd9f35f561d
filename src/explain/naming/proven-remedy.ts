// The remedy for the value that decided, if a run proves that another value succeeds. It is an
// instruction. Only the value of the proof was run; the rest of its range follows from the code.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { timeInWords } from "../../base/text/time.ts";
import type { LedgerFacts } from "../../model/chain-record.ts";
import type { DecidedBy } from "../../model/explanation.ts";
import type { OtherValue } from "../../model/why.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import type { TokenLookup } from "../../xdr/contract/token-metadata.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { isShownWhole, showValue } from "../../xdr/values/value.ts";
import { elementsOf, isSymbol, typeNameOf } from "../../xdr/values/value-parts.ts";
import { restsOnState } from "./deciding-value.ts";
import { article } from "./term-names.ts";
import { tokenAmount } from "./token-amount.ts";

type Proof = NonNullable<DecidedBy["proof"]>;
type FailedAt = Pick<LedgerFacts, "sequence" | "closeTimeUnixSeconds">;

/** The remedy; null if no run shows what helps. `tokenOf` knows the tokens of the ledger. */
export function provenRemedy(
  { proof, always, function: called, contract, conditions, because, confidence, writes }: DecidedBy,
  ledger: FailedAt,
  tokenOf: TokenLookup = () => null,
): string | null {
  if (always) return "Call another function, or change the contract's code.";
  if (proof?.outcome !== "succeeds") return null;
  // What was compared with a default needs another value in its place, not a smaller number.
  if (because.length > 0 && isZero(proof.other)) return null;
  const { name, kind, was, other } = proof;
  if (other.kind === "length") {
    const { count, unit } = other;
    return kind === "argument" ? `Pass ${counted(count, unit)} as ${name}.` : null;
  }
  const isNumber = other.kind === "number" || other.kind === "truth";
  const equals = conditions.some(({ relation }) => relation === "equal");
  if (equals && !isNumber && kind !== "ledger")
    return kind === "argument" ? `Pass another value as ${name}.${signedAnew(proof)}` : null;
  // That an entry is there or not, or an address, is not the user's choice.
  // A number of an argument decided why an absent entry was asked for.
  const isOfReason =
    kind === "argument" && isNumber && conditions.every(({ relation }) => PRESENCE.has(relation));
  const isNamed = conditions.some(({ relation }) => NAMED.has(relation)) && !isOfReason;
  const isOfName = isNamed && proof.range === null;
  const isHere = proof.function === called && proof.contract === contract;
  const of = isHere ? "" : ` of \`${proof.function}\``;
  // A run with one value does not show which other ones would do.
  const isMissing = kind === "argument" && was === "absent";
  if (isMissing) return `Pass a value for ${name}${of}.${signedAnew(proof)}`;
  if (isOfName && (kind !== "argument" || !(isNumber || isWord(other)))) return null;
  if (isOfName) return `Pass ${proof.value} as ${name}.${signedAnew(proof)}`;
  const byNode = confidence === "likely";
  const state = noteAboutState(conditions, ledger, byNode);
  if (kind === "ledger")
    return other.kind === "number"
      ? remedyOfLedger(proof, BigInt(other.number), ledger, state)
      : null;
  const type = conditions.find(({ relation }) => relation === "not_type")?.type;
  const isOverflow = conditions.some(({ relation }) => relation === "overflow");
  const valueInWords = type === undefined ? wanted(proof, isOverflow) : article(type);
  if (kind === "argument") {
    // Whoever moves something does not move nothing of it instead.
    if (proof.range?.least === null && isZero(other)) return null;
    const time = noteAboutLedger(proof, conditions, ledger);
    const comma = type === undefined && proof.range === null ? "," : "";
    return `Pass ${valueInWords}${comma} as ${name}${of}${state}${time}.${signedAnew(proof)}`;
  }
  const how = byNode ? "it was reported as" : "it was";
  const balance = lackingBalance(proof, tokenOf);
  if (balance !== null)
    return (
      `Add ${balance.amount} to the balance of ${balance.holder} in contract ` +
      `${proof.contract}: ${how} ${balance.held}, and ${balance.needed} are needed.`
    );
  return (
    `Have contract ${proof.contract} first set ${name} to ${valueInWords}: ${how} ${was}` +
    `${lacking(proof)}. Only that contract can write it` +
    // What is known of the last write is evidence already.
    (writes.length > 0 ? "." : `; the entry was last written in ledger ${proof.lastWrittenLedger}.`)
  );
}

const PRESENCE: ReadonlySet<string> = new Set(["absent", "present"]);
/** Relations to a value that is no number, or to an entry. */
const NAMED: ReadonlySet<string> = new Set([
  "not_one_of",
  "not_equal",
  "absent",
  "present",
  "frozen",
]);
/** The types of values that a user can pass as they are shown. */
const PASSED: ReadonlySet<string> = new Set(["symbol", "bytes", "void"]);

/** Says whether the value can be passed as it is shown, and is the user's choice. */
function isWord(other: OtherValue): boolean {
  if (other.kind !== "value") return false;
  return PASSED.has(typeNameOf(other.valueXdr) ?? "") && isShownWhole(other.valueXdr);
}

export function isZero(other: OtherValue | undefined): boolean {
  return other?.kind === "number" && BigInt(other.number) === 0n;
}

/**
 * The wanted values. `isOverflow` is true if both ends of the range are those of a type; then only
 * the side of the run is proposed. Numbers below 0 are often refused earlier.
 */
function wanted({ range, was, value }: Proof, isOverflow: boolean): string {
  // Other values may be refused too: only the one of the run is proven.
  if (range === null) return `a value other than ${was}, such as ${value}`;
  const { least, most } = range;
  if (isOverflow && least !== most && value === most) return `at most ${most}`;
  if (isOverflow && least !== most && value === least) return `at least ${least}`;
  if (least === null) return `at most ${most}`;
  if (most === null) return `at least ${least}`;
  return least === most ? least : `${least} to ${most}`;
}

/** The stored number to reach: usually a balance or a limit. */
function lacking({ range, wasNumber, other }: Proof): string {
  if (range === null || wasNumber === null || other.kind !== "number") return "";
  const missing = BigInt(other.number) - BigInt(wasNumber);
  if (range.most === null) return `, ${missing} is missing`;
  return range.least === null ? `, ${-missing} too much` : "";
}

/** A balance of a token that is too small: the amounts in tokens. Null for any other entry. */
function lackingBalance(
  { override, range, wasNumber, other, contract }: Proof,
  tokenOf: TokenLookup,
) {
  const token = contract === null ? null : tokenOf(contract);
  if (token === null || override.kind !== "entry" || range?.most !== null) return null;
  if (wasNumber === null || other.kind !== "number") return null;
  if (typeOfKey(override.keyXdr) !== ENTRY_TYPE.contractData) return null;
  const [name = "", holderXdr, ...others] = elementsOf(dataKeyOf(override.keyXdr).key) ?? [];
  const isBalance = isSymbol(name, "Balance") && others.length === 0;
  if (!isBalance || holderXdr === undefined || typeNameOf(holderXdr) !== "address") return null;
  const [held, needed] = [BigInt(wasNumber), BigInt(other.number)];
  const inTokens = (units: bigint) => tokenAmount(units, token);
  return {
    amount: inTokens(needed - held),
    held: inTokens(held),
    needed: inTokens(needed),
    holder: showValue(holderXdr),
  };
}

/** The remedy if the value was compared with stored state, which may differ the next time. */
function noteAboutState(
  conditions: DecidedBy["conditions"],
  { sequence }: FailedAt,
  byNode: boolean,
): string {
  if (!conditions.some(({ terms }) => terms.some(restsOnState))) return "";
  return ` (by the ${byNode ? "unconfirmed " : ""}state of ledger ${sequence})`;
}

function signedAnew({ recorded }: Proof): string {
  const signers = recorded?.signers ?? [];
  return signers.length === 0 ? "" : ` Have ${signers.join(" and ")} authorize that call.`;
}

/** The remedy if the argument was compared with the ledger itself, which differs the next time. */
function noteAboutLedger(
  { range }: Proof,
  conditions: DecidedBy["conditions"],
  { sequence, closeTimeUnixSeconds }: FailedAt,
): string {
  const of = conditions.flatMap(({ terms }) => terms).find(({ kind }) => kind === "ledger")?.part;
  if (of !== "time" && of !== "sequence") return "";
  const at =
    of === "time"
      ? `closed at ${timeInWords(BigInt(closeTimeUnixSeconds))}`
      : `has number ${sequence}`;
  const next = range?.most === null ? ", and a new one comes later" : "";
  return `: the transaction's ledger ${at}${next}`;
}

/** Says whether a run shows that the call only succeeds in an earlier ledger. */
export function needsEarlierLedger({ proof }: DecidedBy, ledger: FailedAt): boolean {
  if (proof?.kind !== "ledger") return false;
  const { override, other, range } = proof;
  const own = override.kind === "ledger" ? ledger.sequence : ledger.closeTimeUnixSeconds;
  return other.kind === "number" && BigInt(other.number) < BigInt(own) && range?.most !== null;
}

const CENTURY_SECONDS = 100n * 365n * 86_400n;

/** Nobody waits for such a time. One that is a thousand times too large counts milliseconds. */
function ofDistantTime(value: bigint, now: bigint): string {
  const isInMilliseconds = value / 1000n > now / 2n && value / 1000n < now * 2n;
  const unit = isInMilliseconds
    ? `${value} has the size of a time in milliseconds, and a ledger's time counts seconds`
    : `no ledger reaches time ${value} within a hundred years`;
  return `Change the limit with which the ledger's time is compared: ${unit}.`;
}

/** A later ledger can be waited for; an earlier one is over. */
function remedyOfLedger(
  { range, override }: Pick<Proof, "range" | "override">,
  value: bigint,
  { sequence, closeTimeUnixSeconds }: FailedAt,
  state: string,
): string {
  const isNumber = override.kind === "ledger";
  const own = isNumber ? BigInt(sequence) : BigInt(closeTimeUnixSeconds);
  const at = isNumber ? `in ledger ${value}` : `at ${timeInWords(value)} (${value})`;
  const away = value - own;
  const distance = away < 0n ? -away : away;
  const far = `${grouped(distance)} ${isNumber ? "ledger" : "second"}${distance === 1n ? "" : "s"}`;
  if (away < 0n) {
    const fact = isNumber ? "number" : "time";
    return `Change the limit with which the ledger's ${fact} is compared: ${at}, ${far} earlier, the transaction succeeds.`;
  }
  if (!isNumber && away > CENTURY_SECONDS) return ofDistantTime(value, own);
  const onwards = range !== null && range.most === null ? " or later" : "";
  return `Send the transaction again ${at}${onwards}${state}: it was ${far} too early.`;
}
