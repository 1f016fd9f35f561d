// An access outside the footprint: the key, and whether it was read-only in the footprint or
// missing.

import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const REMEDY =
  "Simulate the transaction again and send it with the simulated footprint and resources. The " +
  "footprint must list every entry; entries that are written must be read-write.";

export function footprintCause(failure: Failure): CauseFacts | null {
  const { origin, error, envelope } = failure;
  if (error?.type !== "Storage" || error.code !== "ExceededLimit") return null;
  const evidence = evidenceOf(failure);
  const entries = (failure.snapshot?.entries ?? []).flatMap(({ entryXdr }) => entryXdr ?? []);
  const possible = origin === null ? [] : missedKeys(origin, entries);
  const footprint = envelope.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const kind = "footprint-miss";
  const [needed] = possible;
  if (needed === undefined) {
    const summary = `The transaction accessed ${otherEntry(origin)}, which is not in its footprint.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
  }
  const declared = possible.find((key) => footprint.readOnly.includes(key));
  if (declared !== undefined) {
    const name = describeTypedKey(declared, failure.lookup);
    const summary = `The transaction wrote ${name}, which is read-only in its footprint.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
  }
  // The host reports the key, but not whether it is persistent or temporary.
  const name = describeTypedKey(needed, failure.lookup).replace(/^persistent data /, "data ");
  const summary = `The transaction accessed ${name}, which is not in its footprint.`;
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
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
