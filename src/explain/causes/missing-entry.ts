// A ledger entry that does not exist, or already exists.

import { showValue } from "../../xdr/values/value.ts";
import { showCall } from "../naming/named-calls.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

export function missingEntryCause(failure: Failure): CauseFacts | null {
  const { error, origin, call } = failure;
  if (error?.type !== "Storage") return null;
  const message = origin?.message ?? "";
  const evidence = evidenceOf(failure);
  const where = call === null ? "" : ` in ${callInWords(failure)}`;
  const entry = /^trying to get non-existing value for ([a-z ]{1,40})$/.exec(message)?.[1];
  if (error.code === "MissingValue" && entry !== undefined) {
    const called = call?.contract ?? null;
    if (entry === "contract instance" && call !== null && called !== null) {
      const summary = `Contract ${called} does not exist; ${showCall(call, failure.lookup)} was called on it.`;
      const remedy = "Check the contract's address and the network; deploy the contract first.";
      const cause = { kind: "contract-missing", summary, confidence: "known" } as const;
      return { cause, evidence, remedy };
    }
    const values = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
    const which = values === "" ? "" : ` (${values})`;
    const summary = `The transaction read ${entry} that does not exist${which}${where}.`;
    const remedy =
      "Check that the contract is deployed and initialized, and that the entry has not expired.";
    return { cause: { kind: "missing-entry", summary, confidence: "known" }, evidence, remedy };
  }
  if (error.code !== "ExistingValue" || message !== "contract already exists") return null;
  const summary = `The contract to create${where} already exists: the deployer and the salt determine its address.`;
  const remedy = "Use another salt, or use the existing contract.";
  return { cause: { kind: "contract-exists", summary, confidence: "known" }, evidence, remedy };
}
