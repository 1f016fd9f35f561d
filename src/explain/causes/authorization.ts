// An authorization that the contract required and did not get: missing, for another call, not
// signed, signed by another key, expired, or already used. The evidence compares what was required
// with what the transaction supplied.

import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import type { AuthorizationFacts, AuthorizedCall } from "../../xdr/envelope/authorizations.ts";
import { AUTHORIZATIONS, FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { showCall } from "../naming/named-calls.ts";
import { type CauseFacts, callInWords, callsAbove, evidenceOf, type Failure } from "./failure.ts";
import { isAccountCheck, refusedAuthorization } from "./refused-authorization.ts";
import { differenceFrom, type RequiredCall, requirementOf } from "./required-authorization.ts";

const SIGN_AGAIN =
  "Simulate again, sign the authorization entry that the simulation returns, and send the " +
  "transaction with that entry.";
const SIMULATE_AGAIN =
  "Simulate again, and send the transaction with the authorization entries that the simulation " +
  "returns. Its own signature covers those of its source account.";
const NO_ENTRY = "the transaction contains no authorization entry for that address";
const SHOWN_ENTRIES = 4;

export function authorizationCause(failure: Failure): CauseFacts | null {
  const { error, origin } = failure;
  const [who] = origin?.valuesXdr ?? [];
  if (error?.type !== "Auth" || origin === null || who === undefined) return null;
  const address = showValue(who);
  const supplied = failure.envelope?.authorizations ?? [];
  const reported = messageIn(AUTHORIZATIONS, origin.message);
  if (reported === null) return null;
  const found = FINDERS[reported.id](failure, address, supplied);
  const { summary } = found.cause;
  // The summary has what the check of a classic account found; it is no error of the contract.
  const reports = failure.reports.filter((report) => !isAccountCheck(report));
  const evidence = [
    ...requiredInWords(failure, address, supplied, summary),
    ...suppliedInWords(supplied, failure, summary),
    ...evidenceOf({ ...failure, reports }),
  ];
  return { ...found, evidence };
}

type Finder = (
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
) => Omit<CauseFacts, "evidence">;

/** By the host's message. */
const FINDERS: Readonly<Record<keyof typeof AUTHORIZATIONS, Finder>> = {
  missing,
  refused: (failure, address, supplied) =>
    refusedAuthorization(
      failure,
      address,
      supplied.filter((entry) => ownerOf(entry, failure) === address),
    ),
  expired,
  "not-of-caller": notAllowedAbove,
  "not-of-root": notOfRoot,
  reused,
};

function reused(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): ReturnType<Finder> {
  const nonces = supplied.filter((entry) => entry.address === address).map(({ nonce }) => nonce);
  const isTwice = new Set(nonces).size < nonces.length;
  const by = isTwice
    ? "another entry of this transaction has the same nonce."
    : "an earlier one used this entry: it may already have done what this one was meant to do.";
  const summary =
    `${address} authorized ${callInWords(failure) ?? "the call"} with an entry whose nonce was ` +
    `already used. Each entry is valid for one transaction only, and ${by}`;
  const cause = {
    kind: "authorization-reused",
    summary,
    confidence: isTwice ? "likely" : "known",
  } as const;
  const again = "simulate again, and sign the authorization entry that the simulation returns";
  const remedy = isTwice
    ? `Give each entry a nonce of its own: ${again}.`
    : `Only if the call is to be made once more: ${again}. It has a new nonce.`;
  return { cause, remedy };
}

function missing(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): ReturnType<Finder> {
  const call = callInWords(failure) ?? "The call";
  const base = `${call} requires the authorization of ${address}`;
  if (failure.envelope === null) {
    const summary = `${base}, which the transaction does not have for this call.`;
    return missed(summary, SIGN_AGAIN);
  }
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
  if (own.length === 0) return noneOf(failure, address, base);
  const creation = createsContract(failure);
  const requirement = creation ? null : requirementOf(failure, address, own);
  const difference = requirement && differenceFrom(requirement, own, failure);
  if (requirement !== null && difference !== null) {
    const summary = `${base}, but that address signed a different call: ${difference}.`;
    const confidence = requirement.certain ? "known" : "likely";
    const cause = { kind: "authorization-mismatch", summary, confidence } as const;
    return { cause, remedy: authorizeAgain(own) };
  }
  const summary = creation
    ? `${call} creates a contract for ${address}, but the entries of that address do not allow it.`
    : `${base}, but the entries of that address do not cover this call, or another call already ` +
      "used them.";
  return missed(summary, authorizeAgain(own));
}

function missed(summary: string, remedy: string): ReturnType<Finder> {
  return { cause: { kind: "authorization-missing", summary, confidence: "known" }, remedy };
}

/** The signature of a transaction covers the entries of its source account. */
function authorizeAgain(own: readonly AuthorizationFacts[]): string {
  return own.every(({ address }) => address === null) ? SIMULATE_AGAIN : SIGN_AGAIN;
}

/** The address has no entry. It may be a contract that cannot sign one. */
function noneOf(failure: Failure, address: string, base: string): ReturnType<Finder> {
  const sign = `Have ${address} sign an authorization entry for that call.`;
  const unable = lacksCheckAuth(address, failure.lookup);
  if (calledBy(address, failure)) {
    const found = notAllowedAbove(failure, address);
    return unable ? found : { ...found, remedy: `${found.remedy} Alternative: ${sign}` };
  }
  const summary = `${base}, but ${NO_ENTRY}.`;
  return missed(summary, unable ? CALL_THROUGH : sign);
}

const CALL_THROUGH =
  "Have that contract make the call. It has no `__check_auth`, so nobody can sign for it. It can " +
  "authorize only its own calls, directly or with `authorize_as_current_contract`.";

const ALLOW_DEEPER =
  "Make that contract call `authorize_as_current_contract` for this call first. Without it, a " +
  "contract authorizes only the calls it makes directly, not what a constructor requires.";

function notAllowedAbove(failure: Failure, address: string): ReturnType<Finder> {
  const summary =
    `${callInWords(failure) ?? "A call"} requires the authorization of ${address}, a contract ` +
    "higher in the call stack, which does not authorize it.";
  return missed(summary, ALLOW_DEEPER);
}

/** The simulation records only authorizations that the first call requires. */
function notOfRoot(failure: Failure, address: string): ReturnType<Finder> {
  const summary =
    `${callInWords(failure) ?? "A call"} requires the authorization of ${address}, but the ` +
    "transaction's own call does not. Such authorizations are recorded only on request.";
  const cause = { kind: "authorization-not-of-root", summary, confidence: "known" } as const;
  const remedy =
    "Simulate with `--auth-mode record_allow_nonroot` (authMode of simulateTransaction), or make " +
    "the first call require that authorization too.";
  return { cause, remedy };
}

/** Whether the address is a running contract higher in the call stack than the direct caller. */
function calledBy(address: string, failure: Failure): boolean {
  return callsAbove(failure).some(({ contract }) => contract === address);
}

/** Host functions that create a contract. */
const CREATES = /^create_(contract|external)/;

/** The host itself requires the deployer's authorization, for the creation and not for a call. */
function createsContract({ reports, origin }: Failure): boolean {
  const from = origin === null ? reports.length : reports.indexOf(origin);
  const failed = messageIn(FRAMES, reports[from + 1]?.message)?.facts.function ?? "";
  return CREATES.test(failed);
}

function expired(failure: Failure, address: string): ReturnType<Finder> {
  const [, now, last] = failure.origin?.valuesXdr.map((value) => showValue(value)) ?? [];
  const summary =
    `The authorization of ${address} for ${callInWords(failure) ?? "the call"} expired: it was ` +
    `valid until ledger ${last ?? "?"}, but was used in ledger ${now ?? failure.ledger}.`;
  const cause = { kind: "authorization-expired", summary, confidence: "known" } as const;
  return { cause, remedy: "Sign a new authorization entry with a later expiration ledger." };
}

/** An entry without an address is of the source account of the operation (CAP-46-11). */
function ownerOf({ address }: AuthorizationFacts, { envelope }: Failure): string {
  return address ?? envelope?.terms.operationSource ?? "";
}

/**
 * The entry that was required, to compare with those that were supplied; not if `summary` has it.
 */
function requiredInWords(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
  summary: string,
): string[] {
  if (messageIn(AUTHORIZATIONS, failure.origin?.message)?.id !== "missing") return [];
  if (createsContract(failure)) return [];
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
  const requirement = requirementOf(failure, address, own);
  if (requirement === null) return [];
  const [only, ...others] = requirement.path;
  const isAlone = own.length === 0 && others.length === 0 && requirement.certain;
  if (isAlone && only !== undefined && hasCall(summary, only, failure)) return [];
  const calls = requirement.path.map((call) => oneCall(call, failure)).join(SUB_INVOCATION);
  const sure = requirement.certain ? "" : ", or other arguments that the contract requires";
  return [`Required: ${address} for ${calls}${sure}.`];
}

function suppliedInWords(
  supplied: readonly AuthorizationFacts[],
  failure: Failure,
  summary: string,
): string[] {
  // In recording mode the entries of the envelope are not checked, so they are no evidence.
  const reported = messageIn(AUTHORIZATIONS, failure.origin?.message);
  if (failure.envelope === null || reported?.row.isRecording) return [];
  const [only, ...others] = supplied;
  if (only === undefined)
    return summary.includes(NO_ENTRY) ? [] : ["The transaction contains no authorization entries."];
  const { root, signed, expirationLedger } = only;
  const isAlone = others.length === 0 && root.calls.length === 0 && hasCall(summary, root, failure);
  if (isAlone && (!signed || summary.includes(` until ledger ${expirationLedger ?? 0},`)))
    return [];
  return supplied.slice(0, SHOWN_ENTRIES).map((entry) => {
    const how = entry.address === null ? " (as the source account)" : "";
    const last = entry.expirationLedger;
    const until = last === null ? "" : `, valid until ledger ${last}`;
    const state = entry.signed ? until : ", not signed";
    const calls = treeInWords(entry.root, failure);
    return `Supplied: ${ownerOf(entry, failure)}${how} for ${calls}${state}.`;
  });
}

const SUB_INVOCATION = " with sub-invocation ";

/** Three levels at most, so that the text stays readable. */
function treeInWords(call: AuthorizedCall, failure: Failure, depth = 0): string {
  const own = oneCall(call, failure);
  if (call.calls.length === 0 || depth > 2) return own;
  const below = call.calls.slice(0, SHOWN_ENTRIES);
  const calls = below.map((each) => treeInWords(each, failure, depth + 1)).join(" and ");
  return `${own}${SUB_INVOCATION}${calls}`;
}

function oneCall(call: RequiredCall, failure: Failure): string {
  if (call.contract === null) return "the creation of a contract";
  return `${callText(call, failure)} of ${call.contract}`;
}

function hasCall(summary: string, call: RequiredCall, failure: Failure): boolean {
  return summary.includes(`${callText(call, failure)} of contract ${call.contract}`);
}

function callText(call: RequiredCall, { lookup }: Failure): string {
  return showCall({ ...NO_CALL, ...call, calls: [] }, lookup);
}

const NO_CALL = {
  kind: "invoke",
  resultXdr: null,
  failed: false,
  cpuInstructions: "0",
  memoryBytes: "0",
};

/** True when the specification is known and has no `__check_auth`. */
export function lacksCheckAuth(address: string | null, lookup: ContractLookup): boolean {
  const spec = lookup(address)?.spec ?? null;
  return spec !== null && !spec.functions.has("__check_auth");
}
