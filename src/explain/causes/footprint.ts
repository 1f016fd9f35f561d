// An access outside the footprint: the key, and whether it was read-only in the footprint or
// missing. Where the footprint has the key's neighbor instead, the simulation was stale: something
// moved on before the transaction ran, and what that was is found in other ledgers and runs.

import type { Refused } from "../../model/why.ts";
import { dataKeyOf, describeTypedKey, showDataKey } from "../../xdr/contract/key-typed.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { ENTRIES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { integersIn, neighboringKeys } from "../../xdr/values/neighboring-key.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";
import { hostFunctionOf } from "./host-refusal.ts";

const REMEDY =
  "Simulate the transaction again and send it with the simulated footprint and resources. The " +
  "footprint must list every entry; entries that are written must be read-write.";

/** Without the envelope: the host reports a write of a read-only entry in the same way. */
const OUTSIDE = "which is not in its footprint, or is read-only there and was written";

/** Host functions that write nothing. */
const READS = /^(has|get)_/;

export function footprintCause(failure: Failure): CauseFacts | null {
  const { origin, error, envelope } = failure;
  if (error?.type !== "Storage" || error.code !== "ExceededLimit") return null;
  const evidence = evidenceOf(failure);
  const entries = (failure.snapshot?.entries ?? []).flatMap(({ entryXdr }) => entryXdr ?? []);
  const footprint = envelope?.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const named = [...footprint.readOnly, ...footprint.readWrite];
  const possible = origin === null ? [] : missedKeys(origin, entries, named);
  const kind = "footprint-miss";
  const [needed] = possible;
  const isRead = READS.test(hostFunctionOf(failure) ?? "");
  const outside = envelope === null && !isRead ? OUTSIDE : "which is not in its footprint";
  if (needed === undefined) {
    const summary = `The transaction accessed ${otherEntry(origin)}, ${outside}.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
  }
  const declared = possible.find((key) => footprint.readOnly.includes(key));
  if (declared !== undefined) {
    const name = describeTypedKey(declared, failure.lookup);
    const summary = `The transaction wrote ${name}, which is read-only in its footprint.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
  }
  const stale = staleSimulation(failure, possible);
  if (stale !== null) return { ...stale, evidence };
  // The host reports the key, but not whether it is persistent or temporary.
  const name = describeTypedKey(needed, failure.lookup)
    .replace(/^persistent data /, "data ")
    .replace(/^(?=instance |nonce |trustline )/, "the ");
  const summary = `The transaction accessed ${name}, ${outside}.`;
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
}

const SIMULATE_LATER = "Simulate the transaction again right before you send it";
const KEY_OF_ARGUMENTS =
  "If this happens often, change the contract so that the key depends on the arguments of the call";
const DEPENDS = "The key depends on something that changed since: a ledger's time, or its state.";

/** A stale simulation whose state is shown to have changed. */
export function stateMoved({ cause, ...found }: CauseFacts): CauseFacts {
  const moved = "The state moved on between the simulation and the execution.";
  const summary = decidedBy(cause.summary, moved);
  const remedy =
    `${SIMULATE_LATER}: its footprint is for the state at the time of the simulation. ` +
    `${KEY_OF_ARGUMENTS} and not on state that other transactions change.`;
  return { ...found, cause: { ...cause, summary }, remedy };
}

/** One whose state is as it was: with an earlier close time, the run `ended`, a clause. */
export function clockMoved(
  { cause, evidence }: CauseFacts,
  confidence: "known" | "likely",
  seconds: bigint,
  ended: string,
): CauseFacts {
  const decided = `The ledger's close time decided: ${seconds} s earlier, ${ended}.`;
  const summary = decidedBy(cause.summary, decided);
  return {
    cause: { ...cause, kind: "stale-close-time", summary, confidence },
    evidence,
    remedy: OF_CLOCK,
  };
}

/** One that succeeds with an earlier ledger's number. */
export function numberMoved({ cause, evidence }: CauseFacts, ledgers: number): CauseFacts {
  const earlier = ledgers === 1 ? "1 ledger earlier" : `${ledgers} ledgers earlier`;
  const sentence = `The ledger's number decided: ${earlier}, the transaction succeeds.`;
  const summary = decidedBy(cause.summary, sentence);
  const known = { ...cause, kind: "stale-simulation", summary, confidence: "known" } as const;
  return { cause: known, evidence, remedy: OF_CLOCK };
}

const OF_CLOCK =
  `${SIMULATE_LATER}: its footprint is for the time of the simulation. Or add the entry that it ` +
  `asked for to the footprint, too. ${KEY_OF_ARGUMENTS} and not on the time or the number of the ledger.`;

function decidedBy(summary: string, sentence: string): string {
  return summary.includes(DEPENDS)
    ? summary.replace(DEPENDS, () => sentence)
    : `${summary} ${sentence}`;
}

/** One of which runs show nothing: on what the key depends, as far as its code shows all of it. */
export function keyRestsOn(found: CauseFacts, { values, control, complete }: Refused): CauseFacts {
  const { cause } = found;
  const ofLedger = [...values, ...control].filter((kind) => OF_LEDGER.has(kind));
  const says = (sentence: string, more: string): CauseFacts => ({
    ...found,
    cause: { ...cause, kind: "stale-simulation", summary: decidedBy(cause.summary, sentence) },
    remedy: more,
  });
  if (values.includes("random"))
    return says("The key depends on a random number, which is another in each run.", OF_CHANCE);
  if (values.includes("time")) return says("The key depends on the time of the ledger.", OF_CLOCK);
  if (values.includes("sequence"))
    return says("The key depends on the number of the ledger.", OF_CLOCK);
  if (cause.keys === undefined || !complete || ofLedger.length > 0) return found;
  if (values.includes("state"))
    return says(
      "The key depends on the state of the contract, and not on the ledger's time or number.",
      `${SIMULATE_LATER}: its footprint is for the state at the time of the simulation. ` +
        `${KEY_OF_ARGUMENTS} and not on state that other transactions change.`,
    );
  if (control.includes("state")) return found;
  // Nothing is stale then.
  const { keys: _, ...known } = cause;
  const asked = cause.summary.replace("The simulation is stale: the", "The");
  const summary = decidedBy(
    asked,
    "The key depends on the arguments of the call alone, so the footprint is that of another call.",
  );
  return { ...found, cause: { ...known, kind: "footprint-miss", summary }, remedy: REMEDY };
}

const OF_LEDGER: ReadonlySet<string> = new Set(["time", "sequence", "random"]);
const OF_CHANCE =
  "Change the contract so that the key depends on the arguments of the call: no simulation can know " +
  "a random number.";

/** Null when no key of the footprint is a neighbor, or the call itself asks for the number. */
function staleSimulation(
  { envelope, lookup }: Failure,
  possible: readonly string[],
): Omit<CauseFacts, "evidence"> | null {
  if (envelope === null) return null;
  const footprint = envelope.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const found = neighboringKeys(possible, [...footprint.readOnly, ...footprint.readWrite]);
  if (found === null || isArgument(envelope, found.asked)) return null;
  const { contract, key } = dataKeyOf(found.askedXdr);
  const spec = lookup(contract)?.spec ?? null;
  const [asked, named] = [key, dataKeyOf(found.neighborXdr).key].map((each) =>
    showDataKey(each, spec),
  );
  const summary =
    `The simulation is stale: the transaction accessed data ${asked} of contract ${contract}, but ` +
    `its footprint has ${named} instead. ${DEPENDS}`;
  const keys = { askedXdr: found.askedXdr, footprintXdr: found.neighborXdr };
  // The footprint can also be somebody's mistake.
  const cause = { kind: "stale-simulation", summary, confidence: "likely", keys } as const;
  return { cause, remedy: `${SIMULATE_LATER}. ${KEY_OF_ARGUMENTS} alone.` };
}

/** The footprint is then that of another call, not of another state. */
function isArgument({ hostFunction }: Envelope, number: bigint): boolean {
  const given = hostFunction?.kind === "invoke" ? hostFunction.argumentsXdr : [];
  return given.some((value) => integersIn(value).includes(number));
}

/** An entry that the host reports without its key. */
function otherEntry(origin: ErrorReport | null): string {
  const known = messageIn(ENTRIES, origin?.message);
  const entry = known?.id === "outside-footprint" ? known.facts.entry : undefined;
  if (entry === undefined) return "a ledger entry";
  const about = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
  const of = about === "" ? "" : ` of ${about}`;
  if (entry === "account") return about === "" ? "an account" : `account ${about}`;
  if (entry.startsWith("nonce")) return `the nonce of an authorization${of}`;
  return `the ${entry.replace("account trustline", "trustline")}${of}`;
}
