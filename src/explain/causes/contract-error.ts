// An error that a contract defines: its number, with the name and the doc from the specification of
// the contract that raised it, even if another contract passed it on.

import { sentenceStart } from "../../base/text/sentence.ts";
import { ASSET_SPEC } from "../../xdr/contract/asset-spec.ts";
import {
  type ContractSpec,
  type ErrorCase,
  errorCase,
  errorCases,
  showErrorCase,
} from "../../xdr/contract/contract-spec.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { symbolMapOf } from "../../xdr/values/value-parts.ts";
import { tokenErrorInWords } from "../host-messages/token-errors.ts";
import { absence } from "./absent-entries.ts";
import {
  type CauseFacts,
  callInWords,
  evidenceOf,
  type Failure,
  lastCallInWords,
} from "./failure.ts";

const ASK_AUTHOR = "Ask the contract's author what the number means.";

export function contractErrorCause(failure: Failure): CauseFacts | null {
  const { error, origin, call, lookup } = failure;
  const code = error?.contractCode ?? null;
  if (error?.type !== "Contract" || code === null) return null;
  const contract = origin?.contract ?? call?.contract ?? null;
  const facts = lookup(contract);
  const cases = errorCases(facts?.spec ?? null, code);
  const named = cases.length > 1 ? returnedCase(failure, facts?.spec ?? null, cases) : cases[0];
  const who = callInWords(failure) ?? (contract === null ? "The call" : `Contract ${contract}`);
  const ended = `${who} ${isReturned(origin) ? "returned" : "failed with"}`;
  const number = `Error(Contract, #${code})`;
  const { lookUps: suppositions, remedy } = absence(failure);
  const evidence = [...suppositions, ...evidenceOf(failure)];
  const shown = { evidence, suppositions, isLastResort: true } as const;
  const last = lastCallInWords(failure);
  const cause = { kind: "contract-error", confidence: "known" } as const;
  if (cases.length > 1 && named === undefined) {
    const names = cases.map(showErrorCase).join(" or ");
    const summary = `${ended} ${names} (${number}): the specification has each of them.${last}`;
    return { cause: { ...cause, summary }, ...shown, remedy };
  }
  if (named === undefined) {
    const builtIn = facts === null ? builtInError(failure, code) : null;
    if (builtIn !== null) {
      const { name, kind, words, remedy } = builtIn;
      const summary = ofAsset(words, who, `${name} of the Stellar asset contract`, number);
      const cause = { kind, summary, confidence: "likely" } as const;
      return { cause, evidence, suppositions, remedy };
    }
    if (facts?.spec) {
      const summary = `${ended} ${number}, an error that the contract's specification does not name.${last}`;
      return { cause: { ...cause, summary }, ...shown, remedy: remedy ?? ASK_AUTHOR };
    }
    const shows = isOwnNumber(failure)
      ? ", an error number of its own"
      : ": nothing here shows which contract defines this number, or what it means";
    const summary = `${ended} ${number}${shows}.${last}`;
    const look = "Look the number up among the errors of the contract that raised it.";
    return { cause: { ...cause, summary }, evidence, suppositions, remedy: look };
  }
  // No contract but the asset contract is certain to run the host's own code.
  if (facts?.wasmHash !== null) {
    const doc = named.doc === "" ? "" : `, "${named.doc}"`;
    const summary = `${ended} ${showErrorCase(named)}${doc} (${number}).${last}`;
    return { cause: { ...cause, summary }, ...shown, remedy };
  }
  const known = messageInWords(failure, facts.token);
  const summary = ofAsset(known?.words ?? named.doc, who, named.name, number);
  return {
    cause: { ...cause, kind: known?.kind ?? "token-error", summary },
    ...{ evidence, suppositions },
    remedy: known?.remedy ?? null,
  };
}

/** The values first: the name of the error says less. */
function ofAsset(words: string, who: string, name: string, number: string): string {
  return `${sentenceStart(words)}. ${who} failed with ${name} (${number}).`;
}

/** The contract raised it with `panic_with_error!`, and no other contract failed before. */
function isOwnNumber({ origin, reports, call }: Failure): boolean {
  if (origin === null || origin.contract === null) return false;
  if (messageIn(FRAMES, origin.message)?.id !== "contract-failed") return false;
  const others = reports.filter(
    ({ contract }) => contract !== null && contract !== origin.contract,
  );
  const isOfCaller = (call?.contract ?? origin.contract) === origin.contract;
  const isEarlier = (report: (typeof reports)[number]) =>
    reports.indexOf(report) < reports.indexOf(origin);
  return isOfCaller && !others.some(isEarlier) && !call?.calls.some(({ failed }) => failed);
}

/** Not raised with `panic_with_error!`. */
function isReturned(origin: Failure["origin"]): boolean {
  return messageIn(FRAMES, origin?.message)?.id === "error-returned";
}

/** An error that a function returned is of the type that it declares; any other can be of each. */
function returnedCase(
  { origin, call }: Failure,
  spec: ContractSpec | null,
  cases: readonly ErrorCase[],
): ErrorCase | undefined {
  const output = spec?.functions.get(call?.function ?? "")?.output;
  if (!isReturned(origin) || call?.contract !== origin?.contract || output?.kind !== "result")
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

function messageInWords({ origin, call, absentByNode }: Failure, token: TokenMetadata | null) {
  // The balance of a contract is a struct that has the amount as a field.
  const amountIn = (value: string) => symbolMapOf(value)?.get("amount") ?? value;
  const values = origin?.valuesXdr.map((value) => showValue(amountIn(value))) ?? [];
  const isOwn = call !== null && call.contract === origin?.contract;
  const inputs = ASSET_SPEC.functions.get(call?.function ?? "")?.inputs ?? [];
  const given = inputs.flatMap(({ name }, at) => {
    const value = isOwn ? call.argumentsXdr[at] : undefined;
    return value === undefined ? [] : [[name, showValue(value)] as const];
  });
  return tokenErrorInWords(origin?.message ?? "", values, token, absentByNode.length > 0, {
    function: isOwn ? call.function : null,
    given: Object.fromEntries(given),
  });
}
