// Explains an authorization that the account's own check refused: it was not signed, signed by
// another key, with too little weight, in another form, or for other data.

import { isContractAddress } from "../../base/text/strkey.ts";
import type { CallNode } from "../../model/execution.ts";
import { CHECK_AUTH } from "../../xdr/contract/reserved-functions.ts";
import type { AuthorizationFacts, AuthorizedCall } from "../../xdr/envelope/authorizations.ts";
import { errorOf } from "../../xdr/outcome/diagnostics.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { ACCOUNT_CHECKS, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showData } from "../../xdr/outcome/report-data.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { int32At } from "../../xdr/reader/words.ts";
import { showValue } from "../../xdr/values/value.ts";
import { accountOfKey, elementsOf, symbolMapOf } from "../../xdr/values/value-parts.ts";
import type { ErrorFacts } from "../../xdr/values/value-text.ts";
import type { FoundBy } from "../words/found-cause.ts";
import { callersOf, type Failure, failedCallOf } from "./failure.ts";

/** The cause. `own` has the entries of the address. */
export function refusedAuthorization(
  failure: Failure,
  address: string,
  own: readonly AuthorizationFacts[],
): Omit<FoundBy<"authorization">, "by"> {
  const required = requiringCall(failure);
  const about = { address, call: failedCallOf({ ...failure, call: required }) };
  const inner = failure.origin?.valuesXdr[1];
  const error = inner === undefined ? null : errorOf(inner);
  const matching = own.filter(({ root }) => isCallOf(root, required));
  const possible = matching.length > 0 ? matching : own;
  const unsigned = possible.filter(({ signed }) => !signed);
  const signed = possible.filter((each) => each.signed);
  // A void signature and one of another form cause the same error.
  const isUnread =
    address.startsWith("G") && error?.type === "Value" && error.code === "UnexpectedType";
  const isUnsigned = signed.length === 0 || (isUnread && signed.every(isWellFormed));
  // A contract need not ask for a signature. An error of its own is then the reason.
  const isOwnReason = address.startsWith("C") && error?.type === "Contract";
  if (unsigned[0] !== undefined && isUnsigned && !isOwnReason) {
    // The host checks the signature before the expiration ledger, which is 0 before signing.
    const isOver = (unsigned[0].expirationLedger ?? 0) < failure.ledger;
    return {
      kind: "authorization-unsigned",
      facts: { ...about, case: "unsigned", isOver },
      confidence: "known",
    };
  }
  if (isUnread && (unsigned.length > 0 || failure.envelope === null))
    return {
      kind: "authorization-signatures",
      facts: { ...about, case: "unread-signature" },
      confidence: "likely",
    };
  // The report of the account's own check comes right before.
  const place = failure.origin === null ? -1 : failure.reports.indexOf(failure.origin);
  const before = error === null ? [] : failure.reports.slice(0, Math.max(place, 0));
  const report = before.find(
    ({ error: each }) => each.type === error?.type && each.code === error.code,
  );
  const known = messageIn(ACCOUNT_CHECKS, report?.message);
  if (known !== null) {
    const values = report?.valuesXdr.map(
      known.id === "not-a-signer" ? showKey : (value) => showValue(value),
    );
    return {
      kind: ACCOUNT_CHECKS[known.id].kind,
      facts: { ...about, case: "account-check", check: known.id, values: values ?? [] },
      confidence: "known",
    };
  }
  const data = report === undefined ? null : showData(report.dataXdr);
  const form = formOf(address, error);
  if (form !== null)
    return {
      kind: form === "invalid" ? "authorization-signature-invalid" : "authorization-signatures",
      facts: { ...about, case: "signature-form", form, data },
      confidence: "known",
    };
  return {
    kind: "authorization-refused",
    facts: {
      ...about,
      case: "own-check",
      isContract: isContractAddress(address),
      error,
      data,
      message: report?.message ?? null,
      isUnsigned: possible.length > 0 && possible.every((each) => !each.signed),
    },
    confidence: "known",
  };
}

/** The call that required the authorization, not the account's own check. */
function requiringCall(failure: Failure): CallNode | null {
  const { call } = failure;
  if (call?.function !== CHECK_AUTH) return call;
  return callersOf(failure).at(-1) ?? null;
}

function isCallOf(
  { contract, function: name, argumentsXdr }: AuthorizedCall,
  call: CallNode | null,
) {
  return (
    call !== null &&
    contract === call.contract &&
    name === call.function &&
    argumentsXdr.join() === call.argumentsXdr.join()
  );
}

function isWellFormed({ signatureXdr }: AuthorizationFacts): boolean {
  const signatures = signatureXdr === null ? null : elementsOf(signatureXdr);
  return (
    signatures?.every((each) => {
      const map = symbolMapOf(each);
      return ["public_key", "signature"].every((key) => isBytes(map?.get(key)));
    }) ?? false
  );
}

function isBytes(scValXdr: string | undefined): boolean {
  return scValXdr !== undefined && int32At(Uint8Array.fromBase64(scValXdr), 0) === SCV.bytes;
}

/**
 * The form of a signature that a classic account's check cannot read, or that is invalid; null for
 * another failure.
 */
function formOf(address: string, error: ErrorFacts | null): "invalid" | "unreadable" | null {
  if (!address.startsWith("G")) return null;
  if (error?.type === "Crypto") return "invalid";
  return error?.type === "Object" || error?.type === "Value" ? "unreadable" : null;
}

/**
 * True for a report of the host's own check of a classic account, which has the caller's address.
 */
export function isAccountCheck({ error, message }: ErrorReport): boolean {
  return error.type === "Contract" && messageIn(ACCOUNT_CHECKS, message) !== null;
}

/** The address of the account that has this key as its master key. */
function showKey(bytesXdr: string): string {
  return accountOfKey(bytesXdr) ?? showValue(bytesXdr);
}
