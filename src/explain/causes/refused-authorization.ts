// An authorization that the account's own check refused: not signed, signed by another key, with too
// little weight, in another form, or for other bytes.

import type { CallNode } from "../../model/execution.ts";
import type { AuthorizationFacts } from "../../xdr/envelope/authorizations.ts";
import { errorOf } from "../../xdr/outcome/diagnostics.ts";
import { showValue } from "../../xdr/values/value.ts";
import { accountOfKey } from "../../xdr/values/value-parts.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { type CauseFacts, callInWords, type Failure } from "./failure.ts";

/** `own`: the entries of the address. */
export function refusedAuthorization(
  failure: Failure,
  address: string,
  own: readonly AuthorizationFacts[],
): Omit<CauseFacts, "evidence"> {
  const call = callInWords({ ...failure, call: requiringCall(failure) }) ?? "the call";
  const unsigned = own.find(({ signed }) => !signed);
  if (unsigned !== undefined && own.length === 1) {
    const summary = `The authorization entry of ${address} for ${call} is not signed.`;
    const cause = { kind: "authorization-unsigned", summary, confidence: "known" } as const;
    return { cause, remedy: `Let ${address} sign the entry.` };
  }
  const inner = failure.origin?.valuesXdr[1];
  const error = inner === undefined ? null : errorOf(inner);
  // What the account's own check said comes right before.
  const place = failure.origin === null ? -1 : failure.reports.indexOf(failure.origin);
  const before = error === null ? [] : failure.reports.slice(0, Math.max(place, 0));
  const told = before.find(
    ({ error: each }) => each.type === error?.type && each.code === error.code,
  );
  const why = told === undefined ? "" : `: ${showValue(told.dataXdr)}`;
  const shown = error === null ? "" : ` with ${showError(error)}`;
  const known = ACCOUNT_CHECKS[told?.message ?? ""] ?? formOf(address, error, why);
  const what =
    known?.words(told?.valuesXdr ?? []) ?? `was refused by the account's own check${shown}${why}`;
  const summary = `The authorization of ${address} for ${call} ${what}.`;
  const kind = known?.kind ?? "authorization-refused";
  const remedy = known?.remedy ?? "Sign the entry again with a key that the account accepts.";
  return { cause: { kind, summary, confidence: "known" }, remedy };
}

/** Not the account's own check, which may be of the same contract. */
function requiringCall({ call, tree }: Failure): CallNode | null {
  if (call?.function !== "__check_auth") return call;
  let node = tree ?? undefined;
  let above: CallNode | null = null;
  while (node !== undefined && node !== call) {
    if (node.function !== null) above = node;
    node = node.calls.findLast((each) => each.failed);
  }
  return above;
}

/** What a classic account's check cannot take apart, or does not verify. */
function formOf(address: string, error: ErrorFacts | null, why: string): AccountCheck | undefined {
  if (!address.startsWith("G")) return undefined;
  if (error?.type === "Crypto")
    return {
      kind: "authorization-signature-invalid",
      words: signed(`does not verify${why}: other bytes were signed, or for another network`),
      remedy: "Sign the entry as it is sent: its nonce, expiration and calls are signed with it.",
    };
  if (error?.type !== "Object" && error?.type !== "Value") return undefined;
  return {
    kind: "authorization-signatures",
    words: signed(`holds signatures in another form than an account takes${why}`),
    remedy: "Give a vector of maps with public_key and signature, as an SDK does.",
  };
}

interface AccountCheck {
  readonly kind: string;
  readonly words: (valuesXdr: readonly string[]) => string;
  readonly remedy: string;
}

const signed = (what: string) => () => what;

/** What the host checks for classic accounts: rs-soroban-env, account_contract.rs. */
const ACCOUNT_CHECKS: Readonly<Record<string, AccountCheck>> = {
  "signer does not belong to account": {
    kind: "authorization-wrong-signer",
    words: ([key]) => `is signed by a key that is no signer of it${key ? `: ${showKey(key)}` : ""}`,
    remedy: "Sign the entry again with a key of the account.",
  },
  "signature weight is lower than threshold": {
    kind: "authorization-weight",
    words: (values) => {
      const [weight, threshold] = values.map((value) => showValue(value));
      return `is signed with a weight of ${weight}, and its medium threshold is ${threshold}`;
    },
    remedy: "Let more signers of the account sign the entry.",
  },
  "no account signatures found": {
    kind: "authorization-unsigned",
    words: signed("holds no signature"),
    remedy: "Let the account sign the entry.",
  },
  "too many account signers": {
    kind: "authorization-signatures",
    words: signed("holds more signatures than an account may have"),
    remedy: "Sign with fewer keys.",
  },
  "public keys are not ordered": {
    kind: "authorization-signatures",
    words: signed("holds its signatures in another order than that of their keys, or one twice"),
    remedy: "Sort the signatures by public key, each once.",
  },
};

/** A key as the account's address it would be. */
function showKey(bytesXdr: string): string {
  return accountOfKey(bytesXdr) ?? showValue(bytesXdr);
}
