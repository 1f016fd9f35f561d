// An error that a contract gave itself: its number, by the name and doc of the specification of the
// contract that raised it, wherever it surfaced.

import { errorCase } from "../../xdr/contract/contract-spec.ts";
import { showValue } from "../../xdr/values/value.ts";
import { symbolMapOf } from "../../xdr/values/value-parts.ts";
import { tokenErrorInWords } from "../host-messages/token-errors.ts";
import { absentReads } from "./absent-reads.ts";
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
    const summary = `Error(Contract, #${code})${by}: an error of the contract's own, which ${
      facts?.spec ? "its specification does not name" : "no specification at hand names"
    }.`;
    const remedy = "Ask the contract's author what the number means.";
    return { cause: { kind: "contract-error", summary, confidence: "known" }, evidence, remedy };
  }
  const doc = named.doc === "" ? "" : `: ${named.doc.replace(/\.$/, "")}`;
  const name = `Error(Contract, #${code}) is ${named.name}`;
  // Only the asset contract is known not to run code of someone else's.
  if (facts?.wasmHash !== null) {
    const summary = `${name} of ${named.of}${by}${doc}.`;
    const cause = { kind: "contract-error", summary, confidence: "known" } as const;
    return { cause, evidence, remedy: null };
  }
  // A contract's balance is a struct; what counts is its amount.
  const amountIn = (value: string) => symbolMapOf(value)?.get("amount") ?? value;
  const values = origin?.valuesXdr.map((value) => showValue(amountIn(value))) ?? [];
  const told = tokenErrorInWords(origin?.message ?? "", values, facts.token);
  const words = told === null ? doc : `: ${told.words}`;
  const cause = { kind: told?.kind ?? "token-error", confidence: "known" } as const;
  return {
    cause: { ...cause, summary: `${name}${by}${words}.` },
    evidence,
    remedy: told?.remedy ?? null,
  };
}
