// A ledger entry that does not exist, or already exists.

import { ENTRIES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { showCall } from "../naming/named-calls.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import { evidenceOf, type Failure, failedCallOf } from "./failure.ts";

export function missingEntryCause(failure: Failure): CauseFinding | null {
  const { error, origin, call, lookup, absentByNode } = failure;
  if (error?.type !== "Storage") return null;
  const known = messageIn(ENTRIES, origin?.message);
  const shared = {
    by: "absent-entry",
    confidence: "known",
    evidence: evidenceOf(failure),
  } as const;
  const name = failedCallOf(failure);
  const byNode = absentByNode.length > 0;
  const values = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
  const isAbsent = known?.id === "absent" || known?.id === "instance-absent";
  const { entry } = known?.facts ?? {};
  if (error.code === "MissingValue" && isAbsent && entry !== undefined) {
    const called = entry === "contract instance" ? (call?.contract ?? null) : null;
    const instance =
      call === null || called === null
        ? null
        : { contract: called, called: showCall(call, lookup) };
    const kind = instance === null ? "missing-entry" : "contract-missing";
    return { ...shared, kind, facts: { entry, call: name, instance, values, byNode } };
  }
  if (error.code !== "ExistingValue" || known?.id !== "contract-exists") return null;
  const facts = { entry: "contract instance", call: name, instance: null, values, byNode: false };
  return { ...shared, kind: "contract-exists", facts };
}
