// A ledger entry that does not exist, or already exists.

import { ENTRIES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { askAnother } from "../host-messages/token-errors.ts";
import { showCall } from "../naming/named-calls.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

export function missingEntryCause(failure: Failure): CauseFacts | null {
  const { error, origin, call } = failure;
  if (error?.type !== "Storage") return null;
  const known = messageIn(ENTRIES, origin?.message);
  const evidence = evidenceOf(failure);
  const where = call === null ? "" : ` in ${callInWords(failure)}`;
  const isAbsent = known?.id === "absent" || known?.id === "instance-absent";
  const { entry } = known?.facts ?? {};
  if (error.code === "MissingValue" && isAbsent && entry !== undefined)
    return { ...missing(entry, failure, where), evidence };
  if (error.code !== "ExistingValue" || known?.id !== "contract-exists") return null;
  const summary = `The contract to create${where} already exists: the deployer and the salt determine its address.`;
  const remedy = "Use another salt, or use the existing contract.";
  return { cause: { kind: "contract-exists", summary, confidence: "known" }, evidence, remedy };
}

/** `entry`: in the host's words. Of what the node lacks, nothing is said but that. */
function missing(
  entry: string,
  { origin, call, lookup, absentByNode }: Failure,
  where: string,
): Omit<CauseFacts, "evidence"> {
  const byNode = absentByNode.length > 0;
  const remedyOf = (remedy: string) => (byNode ? askAnother(remedy) : remedy);
  const called = call?.contract ?? null;
  if (entry === "contract instance" && call !== null && called !== null) {
    const lacks = byNode
      ? `The node has no entry for contract ${called}`
      : `Contract ${called} does not exist`;
    const summary = `${lacks}; ${showCall(call, lookup)} was called on it.`;
    const remedy = remedyOf(
      "Check the contract's address and the network; deploy the contract first.",
    );
    return { cause: { kind: "contract-missing", summary, confidence: "known" }, remedy };
  }
  const values = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
  const which = values === "" ? "" : ` (${values})`;
  if (byNode && entry === "contract code") {
    const summary =
      `The node has the contract and no entry for its code${which}, which was needed${where}. ` +
      "Code is never deleted: it is archived, or the node left it out.";
    const remedy = "Ask another node. If the code is archived, restore it first.";
    return { cause: { kind: "missing-entry", summary, confidence: "known" }, remedy };
  }
  const summary = byNode
    ? `The transaction read ${entry} for which the node has no entry${which}${where}.`
    : `The transaction read ${entry} that does not exist${which}${where}.`;
  const remedy = remedyOf(
    "Check that the contract is deployed and initialized, and that the entry has not expired.",
  );
  return { cause: { kind: "missing-entry", summary, confidence: "known" }, remedy };
}
