// An error that a contract defines: its number, with the name and the doc from the specification of
// the contract that raised it, even if another contract passed it on.

import { ASSET_SPEC } from "../../xdr/contract/asset-spec.ts";
import {
  type ContractSpec,
  type ErrorCase,
  errorCase,
  errorCases,
} from "../../xdr/contract/contract-spec.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { showValue } from "../../xdr/values/value.ts";
import { symbolMapOf } from "../../xdr/values/value-parts.ts";
import { tokenErrorInWords } from "../host-messages/token-errors.ts";
import { absentReads } from "./absent-entries.ts";
import {
  type CauseFacts,
  callInWords,
  evidenceOf,
  type Failure,
  lastCallInWords,
} from "./failure.ts";

export function contractErrorCause(failure: Failure): CauseFacts | null {
  const { error, origin, call, lookup } = failure;
  const code = error?.contractCode ?? null;
  if (error?.type !== "Contract" || code === null) return null;
  const contract = origin?.contract ?? call?.contract ?? null;
  const facts = lookup(contract);
  const cases = errorCases(facts?.spec ?? null, code);
  const named = cases.length > 1 ? returnedCase(failure, facts?.spec ?? null, cases) : cases[0];
  const raised = callInWords(failure) ?? (contract === null ? "" : `contract ${contract}`);
  const by = raised === "" ? "" : `, raised by ${raised}`;
  const evidence = [...evidenceOf(failure), ...absentReads(failure)];
  const last = lastCallInWords(failure);
  if (cases.length > 1 && named === undefined) {
    const names = cases.map(({ of, name }) => `${of}::${name}`).join(" or ");
    const summary = `Error(Contract, #${code}) is ${names}${by}: the specification has each of them.${last}`;
    const cause = { kind: "contract-error", summary, confidence: "known" } as const;
    return { cause, evidence, remedy: null };
  }
  if (named === undefined) {
    const builtIn = facts === null ? builtInError(failure, code) : null;
    const is = `Error(Contract, #${code})`;
    if (builtIn !== null) {
      const { name, kind, words, remedy } = builtIn;
      const summary = `${is} is ${name} of the Stellar asset contract${by}: ${words}.`;
      return { cause: { kind, summary, confidence: "likely" }, evidence, remedy };
    }
    const cause = { kind: "contract-error", confidence: "known" } as const;
    if (facts?.spec) {
      const summary = `${is}${by}: an error that the contract's specification does not name.${last}`;
      const remedy = "Ask the contract's author what the number means.";
      return { cause: { ...cause, summary }, evidence, remedy };
    }
    const summary = `${is}${by}: nothing here shows which contract defines this number, or what it means.${last}`;
    const remedy = "Look the number up among the errors of the contract that raised it.";
    return { cause: { ...cause, summary }, evidence, remedy };
  }
  const doc = named.doc === "" ? "" : `: ${named.doc.replace(/\.$/, "")}`;
  const is = `Error(Contract, #${code}) is`;
  // No contract but the asset contract is certain to run the host's own code.
  if (facts?.wasmHash !== null) {
    const summary = `${is} ${named.of}::${named.name}${by}${doc}.${last}`;
    const cause = { kind: "contract-error", summary, confidence: "known" } as const;
    return { cause, evidence, remedy: null };
  }
  const known = messageInWords(failure, facts.token);
  const words = known === null ? doc : `: ${known.words}`;
  const cause = { kind: known?.kind ?? "token-error", confidence: "known" } as const;
  return {
    cause: { ...cause, summary: `${is} ${named.name}${by}${words}.` },
    evidence,
    remedy: known?.remedy ?? null,
  };
}

/** An error that a function returned is of the type that it declares; any other can be of each. */
function returnedCase(
  { origin, call }: Failure,
  spec: ContractSpec | null,
  cases: readonly ErrorCase[],
): ErrorCase | undefined {
  const isReturned = origin?.message.endsWith("frame-exit to Err") === true;
  const output = spec?.functions.get(call?.function ?? "")?.output;
  if (!isReturned || call?.contract !== origin.contract || output?.kind !== "result")
    return undefined;
  const { error } = output;
  const declared = cases.filter(({ of }) => error.kind === "named" && error.name === of);
  return declared.length === 1 ? declared[0] : undefined;
}

/** The contract is unknown, and the message is one that only the host's own asset contract has. */
function builtInError(failure: Failure, code: number) {
  const named = errorCase(ASSET_SPEC, code);
  const known = messageInWords(failure, null);
  return named === null || known === null ? null : { name: named.name, ...known };
}

function messageInWords({ origin, absentByNode }: Failure, token: TokenMetadata | null) {
  // The balance of a contract is a struct that has the amount as a field.
  const amountIn = (value: string) => symbolMapOf(value)?.get("amount") ?? value;
  const values = origin?.valuesXdr.map((value) => showValue(amountIn(value))) ?? [];
  return tokenErrorInWords(origin?.message ?? "", values, token, absentByNode.length > 0);
}
