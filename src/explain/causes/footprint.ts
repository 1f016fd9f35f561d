// An access outside the footprint: the key, and whether it was declared read-only or not at all.

import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const REMEDY =
  "Simulate the transaction again and send what the simulation declares. The footprint must name " +
  "every entry, those it writes as read-write.";

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
    const summary = `It accessed ${otherEntry(origin)}, which its footprint does not name.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
  }
  const declared = possible.find((key) => footprint.readOnly.includes(key));
  if (declared !== undefined) {
    const summary = `It wrote ${describeTypedKey(declared, failure.lookup)}, which its footprint declares read-only.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
  }
  // The host tells the key, not whether it is persistent or temporary.
  const name = describeTypedKey(needed, failure.lookup).replace(/^persistent data /, "data ");
  const summary = `It accessed ${name}, which its footprint does not name.`;
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
}

/** What the host tells of entries that it does not name by their key. */
function otherEntry(origin: ErrorReport | null): string {
  const told = /^trying to access ([a-z ]{1,40}) outside of/.exec(origin?.message ?? "")?.[1];
  if (told === undefined) return "a ledger entry";
  const about = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
  const of = about === "" ? "" : ` of ${about}`;
  if (told === "account") return about === "" ? "an account" : `account ${about}`;
  if (told.startsWith("nonce")) return `the nonce of an authorization${of}`;
  return `the ${told.replace("account trustline", "trustline")}${of}`;
}
