// An authorization that the contract required and did not get: missing, for another call, not
// signed, signed by another key, expired, or used before. What was required stands beside what the
// transaction supplied.

import type { CallNode } from "../model/execution.ts";
import {
  type AuthorizationFacts,
  type AuthorizedCall,
  readAuthorizations,
} from "../xdr/authorizations.ts";
import { errorOf } from "../xdr/diagnostics.ts";
import { showValue } from "../xdr/value.ts";
import { accountOfKey } from "../xdr/value-parts.ts";
import { type ErrorFacts, showError } from "../xdr/value-text.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";
import { showCall } from "./named-calls.ts";
import { differenceFrom, type RequiredCall, requirementOf } from "./required-authorization.ts";

const SIGN_AGAIN = "Simulate again, sign the authorization entry it returns, and send that.";
const SHOWN_ENTRIES = 4;

export function authorizationCause(failure: Failure): CauseFacts | null {
  const { error, origin } = failure;
  const [who] = origin?.valuesXdr ?? [];
  if (error?.type !== "Auth" || origin === null || who === undefined) return null;
  const address = showValue(who);
  const supplied = readAuthorizations(failure.envelopeXdr);
  const evidence = [
    ...requiredInWords(failure, address, supplied),
    ...suppliedInWords(supplied, failure),
    ...evidenceOf(failure),
  ];
  const found = FINDERS[origin.message]?.(failure, address, supplied) ?? null;
  if (found === null) return null;
  return { ...found, evidence };
}

const UNAUTHORIZED = "Unauthorized function call for address";

type Finder = (
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
) => Omit<CauseFacts, "evidence">;

/** By what the host says: soroban-env-host, auth.rs. */
const FINDERS: Readonly<Record<string, Finder>> = {
  [UNAUTHORIZED]: missing,
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
  const creation = createsContract(failure);
  const requirement = creation ? null : requirementOf(failure, address, own);
  const difference = requirement && differenceFrom(requirement, own, failure);
  if (requirement !== null && difference !== null) {
    const summary = `${base}, which signed for another call: ${difference}.`;
    const confidence = requirement.certain ? "known" : "likely";
    const cause = { kind: "authorization-mismatch", summary, confidence } as const;
    return { cause, remedy: SIGN_AGAIN };
  }
  const summary = creation
    ? `${call} creates a contract for ${address}, and the entries of that address do not allow it.`
    : `${base}; the entries of that address do not cover it, or were used by another call.`;
  const cause = { kind: "authorization-missing", summary, confidence: "known" } as const;
  return { cause, remedy: SIGN_AGAIN };
}

/** The host requires the deployer's authorization itself, of the creation and not of the call. */
function createsContract({ reports, origin }: Failure): boolean {
  const from = origin === null ? reports.length : reports.indexOf(origin);
  const after = reports[from + 1]?.message ?? "";
  return /failed host function call: create_(contract|external)/.test(after);
}

function refused(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): ReturnType<Finder> {
  const call = callInWords({ ...failure, call: requiringCall(failure) }) ?? "the call";
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

/** What the entry had to look like, beside those that were supplied. */
function requiredInWords(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): string[] {
  if (failure.origin?.message !== UNAUTHORIZED || createsContract(failure)) return [];
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
  const requirement = requirementOf(failure, address, own);
  if (requirement === null) return [];
  const calls = requirement.path.map((call) => oneCall(call, failure)).join(" with ");
  const sure = requirement.certain ? "" : ", or other arguments where the contract asks for them";
  return [`Required: ${address} for ${calls}${sure}.`];
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
  const own = oneCall(call, failure);
  if (call.calls.length === 0 || depth > 2) return own;
  const below = call.calls.slice(0, SHOWN_ENTRIES);
  return `${own} with ${below.map((each) => treeInWords(each, failure, depth + 1)).join(" and ")}`;
}

function oneCall(call: RequiredCall, { lookup }: Failure): string {
  if (call.contract === null) return "the creation of a contract";
  return `${showCall({ ...NO_CALL, ...call, calls: [] }, lookup)} of ${call.contract}`;
}

const NO_CALL = {
  kind: "invoke",
  resultXdr: null,
  failed: false,
  cpuInstructions: "0",
  memoryBytes: "0",
};
