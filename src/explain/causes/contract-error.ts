// An error that a contract defines: its number, with the name and the doc from the specification of
// the contract that raised it, even if another contract passed it on.

import { errorCase } from "../../xdr/contract/contract-spec.ts";
import { showValue } from "../../xdr/values/value.ts";
import { symbolMapOf } from "../../xdr/values/value-parts.ts";
import { tokenErrorInWords } from "../host-messages/token-errors.ts";
import { absentReads } from "./absent-entries.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

export function contractErrorCause(failure: Failure): CauseFacts | null {
  const { error, origin, call, lookup } = failure;
  const code = error?.contractCode ?? null;
  if (error?.type !== "Contract" || code === null) return null;
  const contract = origin?.contract ?? call?.contract ?? null;
  const facts = lookup(contract);
  const named = errorCase(facts?.spec ?? null, code);
  const raised = callInWords(failure) ?? (contract === null ? "" : `contract ${contract}`);
  const by = raised === "" ? "" : `, raised by ${raised}`;
  const evidence = [...evidenceOf(failure), ...absentReads(failure)];
  if (named === null) {
    const summary = `Error(Contract, #${code})${by}: an error defined by the contract, ${
      facts?.spec ? "which its specification does not name" : "whose specification is unknown"
    }.`;
    const remedy = "Ask the contract's author what the number means.";
    return { cause: { kind: "contract-error", summary, confidence: "known" }, evidence, remedy };
  }
  const doc = named.doc === "" ? "" : `: ${named.doc.replace(/\.$/, "")}`;
  const is = `Error(Contract, #${code}) is`;
  // Only the asset contract is certain to run the host's own code.
  if (facts?.wasmHash !== null) {
    const summary = `${is} ${named.of}::${named.name}${by}${doc}.`;
    const cause = { kind: "contract-error", summary, confidence: "known" } as const;
    return { cause, evidence, remedy: null };
  }
  // The balance of a contract is a struct that has the amount as a field.
  const amountIn = (value: string) => symbolMapOf(value)?.get("amount") ?? value;
  const values = origin?.valuesXdr.map((value) => showValue(amountIn(value))) ?? [];
  const known = tokenErrorInWords(
    origin?.message ?? "",
    values,
    facts.token,
    failure.absentByNode.length > 0,
  );
  const words = known === null ? doc : `: ${known.words}`;
  const cause = { kind: known?.kind ?? "token-error", confidence: "known" } as const;
  return {
    cause: { ...cause, summary: `${is} ${named.name}${by}${words}.` },
    evidence,
    remedy: known?.remedy ?? null,
  };
}
