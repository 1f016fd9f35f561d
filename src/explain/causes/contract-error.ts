// Explains an error that a contract defines: its number, with the name and the documentation from
// the specification of the contract that raised it, even if another contract passed it on.

import { ASSET_SPEC } from "../../xdr/contract/asset-spec.ts";
import {
  type ContractSpec,
  type ErrorCase,
  errorCase,
  errorCases,
  showErrorCase,
} from "../../xdr/contract/contract-spec.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { ASSET_ERRORS, FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { hostValueOf } from "../../xdr/values/host-value.ts";
import { symbolMapOf } from "../../xdr/values/value-parts.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import { absence } from "./absent-entries.ts";
import { evidenceOf, type Failure, failedCallOf, lastCallOf } from "./failure.ts";

export function contractErrorCause(failure: Failure): CauseFinding | null {
  const { error, origin, lookup } = failure;
  const code = error?.contractCode ?? null;
  if (error?.type !== "Contract" || code === null) return null;
  const contract = origin?.contract ?? failure.call?.contract ?? null;
  const facts = lookup(contract);
  const cases = errorCases(facts?.spec ?? null, code);
  const named = cases.length > 1 ? returnedCase(failure, facts?.spec ?? null, cases) : cases[0];
  const { lookUps, advice } = absence(failure);
  const evidence = [...lookUps, ...evidenceOf(failure)];
  const call = failedCallOf(failure);
  const isOfAsset = facts?.wasmHash === null;
  const builtIn = facts === null ? errorCase(ASSET_SPEC, code) : null;
  const reported = messageIn(ASSET_ERRORS, origin?.message);
  const asset = isOfAsset ? named : reported === null ? null : builtIn;
  // Only the asset contract certainly runs the host's own code.
  if (asset)
    return {
      by: "asset-error",
      kind: reported?.row.kind ?? "token-error",
      facts: {
        call,
        contract,
        number: code,
        name: asset.name,
        doc: asset.doc,
        ...reportedByAsset(failure, facts?.token ?? null),
        isConcluded: !isOfAsset,
      },
      confidence: isOfAsset ? "known" : "likely",
      evidence,
    };
  const isUnclear = cases.length > 1 && named === undefined;
  const shown = isUnclear ? cases : named === undefined ? [] : [named];
  return {
    by: "own-error",
    kind: "contract-error",
    facts: {
      call,
      contract,
      returned: isReturned(origin),
      number: code,
      names: shown.map(showErrorCase),
      doc: isUnclear ? "" : (named?.doc ?? ""),
      numberOf: facts?.spec ? "specification" : isOwnNumber(failure) ? "contract" : "unknown",
      last: lastCallOf(failure),
      miss: advice,
    },
    confidence: "known",
    evidence,
  };
}

/**
 * True if the contract raised it with `panic_with_error!`, and no other contract failed before, or
 * if it returned it from a call that called nothing.
 */
function isOwnNumber({ origin, reports, call }: Failure): boolean {
  if (origin === null || origin.contract === null) return false;
  if (isReturned(origin)) return call?.contract === origin.contract && call.calls.length === 0;
  if (messageIn(FRAMES, origin.message)?.id !== "contract-failed") return false;
  const others = reports.filter(
    ({ contract }) => contract !== null && contract !== origin.contract,
  );
  const isOfCaller = (call?.contract ?? origin.contract) === origin.contract;
  const isEarlier = (report: (typeof reports)[number]) =>
    reports.indexOf(report) < reports.indexOf(origin);
  return isOfCaller && !others.some(isEarlier) && !call?.calls.some(({ failed }) => failed);
}

/** True if it was not raised with `panic_with_error!`. */
function isReturned(origin: Failure["origin"]): boolean {
  return messageIn(FRAMES, origin?.message)?.id === "error-returned";
}

/**
 * The case of a returned error, which has the type that the function declares. Any other error can
 * have any type.
 */
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

/** What the asset contract reported, with the arguments of its call. */
function reportedByAsset({ origin, call, absentByNode }: Failure, token: TokenMetadata | null) {
  // The balance of a contract is a struct that has the amount as a field.
  const amountIn = (value: string) => symbolMapOf(value)?.get("amount") ?? value;
  const values = origin?.valuesXdr.map((value) => hostValueOf(amountIn(value))) ?? [];
  const isOwn = call !== null && call.contract === origin?.contract;
  const inputs = ASSET_SPEC.functions.get(call?.function ?? "")?.inputs ?? [];
  const argumentPairs = inputs.flatMap(({ name }, at) => {
    const value = isOwn ? call.argumentsXdr[at] : undefined;
    return value === undefined ? [] : [[name, hostValueOf(value)] as const];
  });
  return {
    message: origin?.message ?? "",
    values,
    token,
    // Only a statement about an absent entry depends on the source of the absence.
    isAbsentByNode: absentByNode.length > 0 && isOfAbsence(origin?.message),
    failedCall: {
      function: isOwn ? call.function : null,
      argumentsByName: Object.fromEntries(argumentPairs),
    },
  };
}

function isOfAbsence(message: string | undefined): boolean {
  const id = messageIn(ASSET_ERRORS, message)?.id;
  return id === "account-missing" || id === "trustline-missing";
}
