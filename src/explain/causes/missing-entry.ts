// A ledger entry that is not there, or is there already.

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
      const summary = `There is no contract ${called}, whose ${showCall(call, failure.lookup)} was called.`;
      const remedy = "Check the contract's address and the network; deploy the contract first.";
      const cause = { kind: "contract-missing", summary, confidence: "known" } as const;
      return { cause, evidence, remedy };
    }
    const values = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
    const which = values === "" ? "" : ` (${values})`;
    const summary = `It read ${entry} that does not exist${which}${where}.`;
    const remedy =
      "Check that the contract is deployed and initialised, and the entry not expired.";
    return { cause: { kind: "missing-entry", summary, confidence: "known" }, evidence, remedy };
  }
  if (error.code !== "ExistingValue" || message !== "contract already exists") return null;
  const summary = `The contract to create${where} exists already: its address follows from deployer and salt.`;
  const remedy = "Use another salt, or the contract that is there.";
  return { cause: { kind: "contract-exists", summary, confidence: "known" }, evidence, remedy };
}
