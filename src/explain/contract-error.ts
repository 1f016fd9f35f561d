// An error that a contract gave itself: its number, by the name and doc of the specification of the
// contract that raised it, wherever it surfaced.

import { errorCase } from "../xdr/contract-spec.ts";
import { showValue } from "../xdr/value.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

const TOKEN_KINDS: ReadonlyMap<number, readonly [kind: string, remedy: string]> = new Map([
  [6, ["account-missing", "Create the account first."]],
  [8, ["token-amount", "Give an amount that is not negative."]],
  [9, ["token-allowance", "Approve a larger or longer allowance first."]],
  [10, ["token-balance", "Give the account more of the asset, or move less."]],
  [11, ["token-frozen", "Ask the asset's issuer to authorize the balance."]],
  [13, ["trustline-missing", "Let the account open a trustline for the asset first."]],
  [14, ["account-reserve", "Give the account the reserve of another entry."]],
]);

export function contractErrorCause(failure: Failure): CauseFacts | null {
  const { error, origin, call, lookup } = failure;
  const code = error?.contractCode ?? null;
  if (error?.type !== "Contract" || code === null) return null;
  const contract = origin?.contract ?? call?.contract ?? null;
  const facts = lookup(contract);
  const named = errorCase(facts?.spec ?? null, code);
  const raised = callInWords(failure) ?? (contract === null ? "" : `contract ${contract}`);
  const by = raised === "" ? "" : `, raised by ${raised}`;
  const evidence = evidenceOf(failure);
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
  const [kind, remedy] = TOKEN_KINDS.get(code) ?? ["token-error", null];
  const summary = `${name}${by}${doc}${valuesInWords(failure)}.`;
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy };
}

/** What the asset contract tells beside the error: amounts, or who. */
function valuesInWords({ origin }: Failure): string {
  const values = origin?.valuesXdr.map((value) => showValue(value)) ?? [];
  const [first, second, third] = values;
  if (origin?.message === "resulting balance is not within the allowed range") {
    return ` (it would become ${second}, allowed are ${first} to ${third})`;
  }
  return first === undefined ? "" : ` (${values.join(", ")})`;
}
