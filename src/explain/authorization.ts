// An authorization that the contract required and did not get: missing, for another call, not
// signed, signed by another key, expired, or used before. What was required stands beside what the
// transaction supplied.

import {
  type AuthorizationFacts,
  type AuthorizedCall,
  readAuthorizations,
} from "../xdr/authorizations.ts";
import { errorOf } from "../xdr/diagnostics.ts";
import { showValue } from "../xdr/value.ts";
import { showError } from "../xdr/value-text.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";
import { showCall } from "./named-calls.ts";

const SIGN_AGAIN = "Simulate again, sign the authorization entry it returns, and send that.";
const SHOWN_ENTRIES = 4;

export function authorizationCause(failure: Failure): CauseFacts | null {
  const { error, origin } = failure;
  const [who] = origin?.valuesXdr ?? [];
  if (error?.type !== "Auth" || origin === null || who === undefined) return null;
  const address = showValue(who);
  const supplied = readAuthorizations(failure.envelopeXdr);
  const evidence = [...suppliedInWords(supplied, failure), ...evidenceOf(failure)];
  const found = FINDERS[origin.message]?.(failure, address, supplied) ?? null;
  if (found === null) return null;
  return { ...found, evidence };
}

type Finder = (
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
) => Omit<CauseFacts, "evidence">;

/** By what the host says: soroban-env-host, auth.rs. */
const FINDERS: Readonly<Record<string, Finder>> = {
  "Unauthorized function call for address": missing,
  "failed account authentication with error": refused,
  "signature has expired": expired,
  "nonce already exists for address": (failure, address) => ({
    cause: {
      kind: "authorization-reused",
      summary:
        `${address} authorized ${callInWords(failure) ?? "the call"} with an entry whose nonce was ` +
        "used before: each entry is good for one transaction.",
      confidence: "known",
    },
    remedy: "Sign a new authorization entry with a fresh nonce.",
  }),
};

function missing(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): ReturnType<Finder> {
  const call = callInWords(failure) ?? "the call";
  const base = `${call} requires the authorization of ${address}`;
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
  if (own.length === 0) {
    const summary = `${base}, and the transaction carries none.`;
    const cause = { kind: "authorization-missing", summary, confidence: "known" } as const;
    return { cause, remedy: `Let ${address} sign an authorization entry for that call.` };
  }
  const difference = differenceFrom(own, failure);
  if (difference !== null) {
    const summary = `${base}, which signed for another call: ${difference}.`;
    // The host does not say what was required; it is the call's own arguments for require_auth().
    const cause = { kind: "authorization-mismatch", summary, confidence: "likely" } as const;
    return { cause, remedy: SIGN_AGAIN };
  }
  const summary = `${base}; the entries of that address do not cover it.`;
  const cause = { kind: "authorization-missing", summary, confidence: "known" } as const;
  return { cause, remedy: SIGN_AGAIN };
}

function refused(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): ReturnType<Finder> {
  const call = callInWords(failure) ?? "the call";
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
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
  const wrongSigner = told?.message === "signer does not belong to account";
  const what = wrongSigner
    ? `is signed by a key that is no signer of it${why}`
    : `was refused by the account's own check${shown}${why}`;
  const summary = `The authorization of ${address} for ${call} ${what}.`;
  const kind = wrongSigner ? "authorization-wrong-signer" : "authorization-refused";
  const remedy = "Sign the entry again with a key that the account accepts.";
  return { cause: { kind, summary, confidence: "known" }, remedy };
}

function expired(failure: Failure, address: string): ReturnType<Finder> {
  const [, now, last] = failure.origin?.valuesXdr.map((value) => showValue(value)) ?? [];
  const summary =
    `The authorization of ${address} for ${callInWords(failure) ?? "the call"} expired: it was ` +
    `good until ledger ${last ?? "?"}, and this is ledger ${now ?? failure.ledger}.`;
  const cause = { kind: "authorization-expired", summary, confidence: "known" } as const;
  return { cause, remedy: "Sign a new authorization entry with a later expiration ledger." };
}

function ownerOf({ address }: AuthorizationFacts, { envelope }: Failure): string {
  return address ?? envelope.sourceAccount;
}

/** Of the entry for the same function the first argument that differs; null without such one. */
function differenceFrom(
  entries: readonly AuthorizationFacts[],
  { call, lookup }: Failure,
): string | null {
  if (call === null) return null;
  for (const root of entries.map((entry) => entry.root)) {
    const sameFunction = root.contract === call.contract && root.function === call.function;
    if (!sameFunction || root.argumentsXdr.length !== call.argumentsXdr.length) continue;
    const at = call.argumentsXdr.findIndex((value, i) => value !== root.argumentsXdr[i]);
    if (at < 0) continue;
    const spec = lookup(call.contract)?.spec ?? null;
    const name = spec?.functions.get(call.function ?? "")?.inputs[at]?.name ?? String(at + 1);
    const signed = showValue(root.argumentsXdr[at] ?? "");
    return `its argument ${name} is ${showValue(call.argumentsXdr[at] ?? "")}, signed was ${signed}`;
  }
  return null;
}

function suppliedInWords(supplied: readonly AuthorizationFacts[], failure: Failure): string[] {
  if (supplied.length === 0) return ["The transaction carries no authorization entries."];
  return supplied.slice(0, SHOWN_ENTRIES).map((entry) => {
    const how = entry.address === null ? " (as the transaction's source)" : "";
    const signed = entry.signed ? "" : ", not signed";
    const until =
      entry.expirationLedger === null ? "" : `, good until ledger ${entry.expirationLedger}`;
    const calls = treeInWords(entry.root, failure);
    return `Supplied: ${ownerOf(entry, failure)}${how} for ${calls}${until}${signed}.`;
  });
}

/** Three levels at most: the text must stay readable. */
function treeInWords(call: AuthorizedCall, failure: Failure, depth = 0): string {
  const own =
    call.contract === null
      ? "the creation of a contract"
      : `${showCall({ ...NO_CALL, ...call, calls: [] }, failure.lookup)} of ${call.contract}`;
  if (call.calls.length === 0 || depth > 2) return own;
  const below = call.calls.slice(0, SHOWN_ENTRIES);
  return `${own} with ${below.map((each) => treeInWords(each, failure, depth + 1)).join(" and ")}`;
}

const NO_CALL = {
  kind: "invoke",
  resultXdr: null,
  failed: false,
  cpuInstructions: "0",
  memoryBytes: "0",
};
