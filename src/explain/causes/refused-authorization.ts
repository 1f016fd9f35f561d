// An authorization that the account's own check refused: not signed, signed by another key, with
// too little weight, in another form, or for other data.

import type { CauseKind } from "../../model/cause-kinds.ts";
import type { CallNode } from "../../model/execution.ts";
import type { AuthorizationFacts, AuthorizedCall } from "../../xdr/envelope/authorizations.ts";
import { errorOf } from "../../xdr/outcome/diagnostics.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { ACCOUNT_CHECKS, messageIn, REFUSALS } from "../../xdr/outcome/host-messages.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { int32At } from "../../xdr/reader/words.ts";
import { showValue } from "../../xdr/values/value.ts";
import { accountOfKey, elementsOf, symbolMapOf } from "../../xdr/values/value-parts.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { namedRefusal } from "../host-messages/refusal-words.ts";
import { CHECK_AUTH } from "../naming/diagnostic-calls.ts";
import { type CauseFacts, callersOf, callInWords, dataInWords, type Failure } from "./failure.ts";

/** `own`: the entries of the address. */
export function refusedAuthorization(
  failure: Failure,
  address: string,
  own: readonly AuthorizationFacts[],
): Omit<CauseFacts, "evidence"> {
  const required = requiringCall(failure);
  const call = callInWords({ ...failure, call: required }) ?? "the call";
  const inner = failure.origin?.valuesXdr[1];
  const error = inner === undefined ? null : errorOf(inner);
  const matching = own.filter(({ root }) => isCallOf(root, required));
  const possible = matching.length > 0 ? matching : own;
  const unsigned = possible.filter(({ signed }) => !signed);
  const signed = possible.filter((each) => each.signed);
  // A void signature and one of another form end with the same error.
  const isUnread =
    address.startsWith("G") && error?.type === "Value" && error.code === "UnexpectedType";
  const isUnsigned = signed.length === 0 || (isUnread && signed.every(isWellFormed));
  // A contract need not ask for a signature: an error of its own is its reason.
  const isOwnReason = address.startsWith("C") && error?.type === "Contract";
  if (unsigned[0] !== undefined && isUnsigned && !isOwnReason) {
    const summary = `The authorization entry of ${address} for ${call} is not signed.`;
    const cause = { kind: "authorization-unsigned", summary, confidence: "known" } as const;
    // The host checks the signature before the expiration ledger, which is 0 before signing.
    const expires = (unsigned[0].expirationLedger ?? 0) < failure.ledger;
    const later = expires ? ", with an expiration ledger in the future" : "";
    return { cause, remedy: `Have ${address} sign the authorization entry${later}.` };
  }
  if (isUnread && (unsigned.length > 0 || failure.envelope === null)) {
    const summary =
      `The authorization of ${address} for ${call} is not signed, or it has signatures in a form ` +
      "that an account does not accept.";
    const cause = { kind: "authorization-signatures", summary, confidence: "likely" } as const;
    const sign = `Have ${address} sign the authorization entry.`;
    return { cause, remedy: `${sign} If it is signed, pass ${SIGNATURES}` };
  }
  // The report of the account's own check comes right before.
  const place = failure.origin === null ? -1 : failure.reports.indexOf(failure.origin);
  const before = error === null ? [] : failure.reports.slice(0, Math.max(place, 0));
  const report = before.find(
    ({ error: each }) => each.type === error?.type && each.code === error.code,
  );
  const why = report === undefined ? "" : `: ${dataInWords(report.dataXdr)}`;
  const shown = error === null ? "" : ` with ${showError(error)}`;
  const known = accountCheck(report) ?? formOf(address, error, why);
  const what =
    known?.words(report?.valuesXdr ?? []) ??
    `was refused by the account's own authorization check${shown}${why}`;
  const summary = `The authorization of ${address} for ${call} ${what}.`;
  const kind = known?.kind ?? "authorization-refused";
  const remedy = known?.remedy ?? remedyOfRefusal(address, error, report, possible);
  return { cause: { kind, summary, confidence: "known" }, remedy };
}

/**
 * Nothing is said of an entry or a signature that is not there to be seen. `report`: what the account's
 * own check ended with; `entries`: those of the address for the call.
 */
function remedyOfRefusal(
  address: string,
  error: ErrorFacts | null,
  report: ErrorReport | undefined,
  entries: readonly AuthorizationFacts[],
): string {
  if (!address.startsWith("C"))
    return "Sign the authorization entry again with a key that the account accepts.";
  if (error?.type === "Contract") {
    const isUnsigned = entries.length > 0 && entries.every(({ signed }) => !signed);
    const look = "Look the error up in the account's contract";
    return isUnsigned
      ? `${look}. The entry has no signature, which the contract may require.`
      : `${look}: it decides which calls and signatures it accepts.`;
  }
  const within = report === undefined ? null : namedRefusal(report.message);
  if (within && REFUSALS[within.id].kind === "contract-re-entry")
    return `No signature helps: the account would be called again while a call of it runs. ${within.remedy}`;
  return (
    within?.remedy ??
    "Check the call and the signature against what the account's `__check_auth` accepts."
  );
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

const SIGNATURES = "a vector of maps with `public_key` and `signature`, as an SDK does.";

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

/** A signature that a classic account's check cannot read, or that is not valid. */
function formOf(address: string, error: ErrorFacts | null, why: string): AccountCheck | undefined {
  if (!address.startsWith("G")) return undefined;
  if (error?.type === "Crypto")
    return {
      kind: "authorization-signature-invalid",
      words: fixedWords(
        `has an invalid signature${why}; it was made for other data or for another network`,
      ),
      remedy:
        "Sign the authorization entry exactly as it is sent. The signature covers its nonce, " +
        "expiration and calls.",
    };
  if (error?.type !== "Object" && error?.type !== "Value") return undefined;
  return {
    kind: "authorization-signatures",
    words: fixedWords(`has signatures in a form that an account does not accept${why}`),
    remedy: `Pass ${SIGNATURES}`,
  };
}

interface AccountCheck {
  readonly kind: CauseKind;
  readonly words: (valuesXdr: readonly string[]) => string;
  readonly remedy: string;
}

const fixedWords = (words: string) => () => words;

/** The host's checks for classic accounts: rs-soroban-env, account_contract.rs. */
const CHECK_WORDS: Readonly<Record<keyof typeof ACCOUNT_CHECKS, Omit<AccountCheck, "kind">>> = {
  "not-a-signer": {
    words: ([key]) =>
      `is signed by a key that is not a signer of the account${key ? `: ${showKey(key)}` : ""}`,
    remedy: "Sign the authorization entry again with a key of the account.",
  },
  weight: {
    words: (values) => {
      const [weight, threshold] = values.map((value) => showValue(value));
      return `is signed with weight ${weight}, but the account's medium threshold is ${threshold}`;
    },
    remedy: "Have more signers of the account sign the authorization entry.",
  },
  "no-signature": {
    words: fixedWords("has no signature"),
    remedy: "Have the account sign the authorization entry.",
  },
  "too-many-signatures": {
    words: fixedWords("has more signatures than an account can have"),
    remedy: "Sign with fewer keys.",
  },
  "not-sorted": {
    words: fixedWords("has signatures that are not sorted by their keys, or one of them twice"),
    remedy: "Sort the signatures by public key, and include each only once.",
  },
};

function accountCheck(report: ErrorReport | undefined): AccountCheck | undefined {
  const known = messageIn(ACCOUNT_CHECKS, report?.message);
  return known === null ? undefined : { ...ACCOUNT_CHECKS[known.id], ...CHECK_WORDS[known.id] };
}

/** True for what the host's own check of a classic account reports, under the caller's address. */
export function isAccountCheck({ error, message }: ErrorReport): boolean {
  return error.type === "Contract" && messageIn(ACCOUNT_CHECKS, message) !== null;
}

/** The address of the account that has this key as its master key. */
function showKey(bytesXdr: string): string {
  return accountOfKey(bytesXdr) ?? showValue(bytesXdr);
}
