// An access outside the footprint: the key, and whether it was read-only in the footprint or
// missing. Where the footprint has the key's neighbor instead, the simulation was stale: the state
// moved on before the transaction ran.

import { dataKeyOf, describeTypedKey, showDataKey } from "../../xdr/contract/key-typed.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { integersIn, neighboringKeys } from "../../xdr/values/neighboring-key.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const REMEDY =
  "Simulate the transaction again and send it with the simulated footprint and resources. The " +
  "footprint must list every entry; entries that are written must be read-write.";

/** Without the envelope: the host reports a write of a read-only entry in the same way. */
const OUTSIDE = "which is not in its footprint, or is read-only there and was written";

export function footprintCause(failure: Failure): CauseFacts | null {
  const { origin, error, envelope } = failure;
  if (error?.type !== "Storage" || error.code !== "ExceededLimit") return null;
  const evidence = evidenceOf(failure);
  const entries = (failure.snapshot?.entries ?? []).flatMap(({ entryXdr }) => entryXdr ?? []);
  const possible = origin === null ? [] : missedKeys(origin, entries);
  const footprint = envelope?.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const kind = "footprint-miss";
  const [needed] = possible;
  const outside = envelope === null ? OUTSIDE : "which is not in its footprint";
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

const SIMULATE_LATER =
  "Simulate the transaction again right before you send it: its footprint is for the state at the " +
  "time of the simulation. If this happens often, change the contract so that the key depends on " +
  "the arguments of the call and not on state that other transactions change.";

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
    `its footprint has ${named} instead. The state moved on between the simulation and the ` +
    "execution.";
  const keys = { askedXdr: found.askedXdr, footprintXdr: found.neighborXdr };
  // The footprint can also be somebody's mistake.
  const cause = { kind: "stale-simulation", summary, confidence: "likely", keys } as const;
  return { cause, remedy: SIMULATE_LATER };
}

/** The footprint is then that of another call, not of another state. */
function isArgument({ hostFunction }: Envelope, number: bigint): boolean {
  const given = hostFunction?.kind === "invoke" ? hostFunction.argumentsXdr : [];
  return given.some((value) => integersIn(value).includes(number));
}

/** An entry that the host reports without its key. */
function otherEntry(origin: ErrorReport | null): string {
  const entry = /^trying to access ([a-z ]{1,40}) outside of/.exec(origin?.message ?? "")?.[1];
  if (entry === undefined) return "a ledger entry";
  const about = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
  const of = about === "" ? "" : ` of ${about}`;
  if (entry === "account") return about === "" ? "an account" : `account ${about}`;
  if (entry.startsWith("nonce")) return `the nonce of an authorization${of}`;
  return `the ${entry.replace("account trustline", "trustline")}${of}`;
}
