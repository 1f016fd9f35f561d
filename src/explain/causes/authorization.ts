// An authorization that the contract required and did not get: missing, for another call, not
// signed, signed by another key, expired, or used before. What was required stands beside what the
// transaction supplied.

import {
  type AuthorizationFacts,
  type AuthorizedCall,
  readAuthorizations,
} from "../../xdr/envelope/authorizations.ts";
import { showValue } from "../../xdr/values/value.ts";
import { showCall } from "../naming/named-calls.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";
import { lacksCheckAuth } from "./lacks-check-auth.ts";
import { refusedAuthorization } from "./refused-authorization.ts";
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
/** Said where authorizations are recorded: which there are says nothing then. */
const RECORDING = "[recording authorization only]";

type Finder = (
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
) => Omit<CauseFacts, "evidence">;

/** By what the host says: soroban-env-host, auth.rs. */
const FINDERS: Readonly<Record<string, Finder>> = {
  [UNAUTHORIZED]: missing,
  "failed account authentication with error": (failure, address, supplied) =>
    refusedAuthorization(
      failure,
      address,
      supplied.filter((entry) => ownerOf(entry, failure) === address),
    ),
  "signature has expired": expired,
  [`${RECORDING} encountered unauthorized call for a contract earlier in the call stack, make sure \
that you have called \`authorize_as_current_contract()\` with the appropriate arguments for it.`]:
    notAllowedAbove,
  [`${RECORDING} encountered authorization not tied to the root contract invocation for an address. \
Use \`require_auth()\` in the top invocation or enable non-root authorization.`]: notOfRoot,
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
  if (own.length === 0) return noneOf(failure, address, base);
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

/** No entry is the address's: it may be a contract, which need not be able to sign any. */
function noneOf(failure: Failure, address: string, base: string): ReturnType<Finder> {
  const sign = `Let ${address} sign an authorization entry for that call.`;
  const unable = lacksCheckAuth(address, failure.lookup);
  if (calledBy(address, failure)) {
    const found = notAllowedAbove(failure, address);
    return unable ? found : { ...found, remedy: `${found.remedy} Or: ${sign}` };
  }
  const summary = `${base}, and the transaction carries none.`;
  const cause = { kind: "authorization-missing", summary, confidence: "known" } as const;
  return { cause, remedy: unable ? CALL_THROUGH : sign };
}

const CALL_THROUGH =
  "Let that contract make the call: it has no __check_auth, so nobody can sign for it, and it " +
  "authorizes only what it calls, directly or with authorize_as_current_contract.";

const ALLOW_DEEPER =
  "Let that contract allow the call with authorize_as_current_contract before it calls: by itself " +
  "it authorizes only what it calls directly, and not what a constructor asks for.";

function notAllowedAbove(failure: Failure, address: string): ReturnType<Finder> {
  const summary =
    `${callInWords(failure) ?? "A call"} requires the authorization of ${address}, a contract ` +
    "further up in the call stack, which does not give it.";
  const cause = { kind: "authorization-missing", summary, confidence: "known" } as const;
  return { cause, remedy: ALLOW_DEEPER };
}

/** The simulation was asked for authorizations of the first call alone. */
function notOfRoot(failure: Failure, address: string): ReturnType<Finder> {
  const summary =
    `${callInWords(failure) ?? "A call"} requires the authorization of ${address}, and the ` +
    "transaction's own call does not: such authorizations are recorded only when asked for.";
  const cause = { kind: "authorization-not-of-root", summary, confidence: "known" } as const;
  const remedy =
    "Simulate with --auth-mode record_allow_nonroot (authMode of simulateTransaction), or let the " +
    "first call require that authorization too.";
  return { cause, remedy };
}

/** A contract that is running, further up than the direct caller. */
function calledBy(address: string, { tree, call }: Failure): boolean {
  let node = tree ?? undefined;
  while (node !== undefined && node !== call) {
    if (node.contract === address) return true;
    node = node.calls.findLast((each) => each.failed);
  }
  return false;
}

/** The host requires the deployer's authorization itself, of the creation and not of the call. */
function createsContract({ reports, origin }: Failure): boolean {
  const from = origin === null ? reports.length : reports.indexOf(origin);
  const after = reports[from + 1]?.message ?? "";
  return /failed host function call: create_(contract|external)/.test(after);
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
  if (failure.origin?.message.startsWith(RECORDING)) return [];
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
