// Finds an authorization that the contract required and did not get: it is missing, for another
// call, not signed, signed by another key, expired, or already used. The evidence compares what was
// required with what the transaction supplied.

import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { CHECK_AUTH } from "../../xdr/contract/reserved-functions.ts";
import type { AuthorizationFacts, AuthorizedCall } from "../../xdr/envelope/authorizations.ts";
import { AUTHORIZATIONS, FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { showCall } from "../naming/named-calls.ts";
import type { AuthorizationCauseFacts, CauseFinding, FoundBy } from "../words/found-cause.ts";
import type { CauseEvidence, SuppliedCall } from "../words/found-evidence.ts";
import { callsAbove, evidenceOf, type Failure, failedCallOf } from "./failure.ts";
import { isAccountCheck, refusedAuthorization } from "./refused-authorization.ts";
import {
  differenceFrom,
  isSameCall,
  type RequiredCall,
  requirementOf,
} from "./required-authorization.ts";

const SHOWN_ENTRIES = 4;

export function authorizationCause(failure: Failure): CauseFinding | null {
  const { error, origin } = failure;
  const [who] = origin?.valuesXdr ?? [];
  const reported = messageIn(AUTHORIZATIONS, origin?.message);
  if (error?.type !== "Auth" || reported === null || who === undefined) return null;
  const address = showValue(who);
  const supplied = failure.envelope?.authorizations ?? [];
  const finding = FINDERS[reported.id](failure, address, supplied);
  // The summary has the finding of the check of a classic account, which is not an error of the
  // contract.
  const reports = failure.reports.filter((report) => !isAccountCheck(report));
  return {
    by: "authorization",
    ...finding,
    evidence: [
      ...requiredBeside(failure, address, supplied, finding.facts),
      ...suppliedBeside(supplied, failure, finding.facts),
      ...evidenceOf({ ...failure, reports }),
    ],
  };
}

type Found = Omit<FoundBy<"authorization">, "by">;
type Finder = (failure: Failure, address: string, supplied: readonly AuthorizationFacts[]) => Found;

/** The finders by the host's message. */
const FINDERS: Readonly<Record<keyof typeof AUTHORIZATIONS, Finder>> = {
  missing,
  refused: (failure, address, supplied) =>
    refusedAuthorization(
      failure,
      address,
      supplied.filter((entry) => ownerOf(entry, failure) === address),
    ),
  expired,
  "not-of-caller": (failure, address) => notAllowedAbove(failure, address, false),
  "not-of-root": notOfRoot,
  reused,
};

function reused(failure: Failure, address: string, supplied: readonly AuthorizationFacts[]): Found {
  const nonces = supplied.filter((entry) => entry.address === address).map(({ nonce }) => nonce);
  const isTwice = new Set(nonces).size < nonces.length;
  return {
    kind: "authorization-reused",
    facts: { address, call: failedCallOf(failure), case: "reused", isTwice },
    confidence: isTwice ? "likely" : "known",
  };
}

function missing(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
): Found {
  const about = { address, call: failedCallOf(failure) };
  const kind = "authorization-missing";
  const confidence = "known";
  if (failure.envelope === null)
    return { kind, facts: { ...about, case: "unread-envelope" }, confidence };
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
  if (own.length === 0) return noneOf(failure, address);
  // The signature of a transaction covers the entries of its source account.
  const isOfSource = own.every((entry) => entry.address === null);
  const isCreation = createsContract(failure);
  const requirement = isCreation ? null : requirementOf(failure, address, own);
  const difference = requirement && differenceFrom(requirement, own, failure);
  if (requirement !== null && difference !== null)
    return {
      kind: "authorization-mismatch",
      facts: { ...about, case: "mismatch", difference, isOfSource },
      confidence: requirement.certain ? "known" : "likely",
    };
  return { kind, facts: { ...about, case: "not-covered", isCreation, isOfSource }, confidence };
}

/** The cause if the address has no entry. It may be a contract that cannot sign one. */
function noneOf(failure: Failure, address: string): Found {
  const unable = lacksCheckAuth(address, failure.lookup);
  if (calledBy(address, failure)) return notAllowedAbove(failure, address, !unable);
  return {
    kind: "authorization-missing",
    facts: { address, call: failedCallOf(failure), case: "no-entry", unable },
    confidence: "known",
  };
}

function notAllowedAbove(failure: Failure, address: string, canSign: boolean): Found {
  return {
    kind: "authorization-missing",
    facts: { address, call: failedCallOf(failure), case: "contract-above", canSign },
    confidence: "known",
  };
}

/** The simulation records only authorizations that the first call requires. */
function notOfRoot(failure: Failure, address: string): Found {
  return {
    kind: "authorization-not-of-root",
    facts: { address, call: failedCallOf(failure), case: "not-of-root" },
    confidence: "known",
  };
}

/**
 * Says whether the address is a running contract higher in the call stack than the direct caller.
 */
function calledBy(address: string, failure: Failure): boolean {
  return callsAbove(failure).some(({ contract }) => contract === address);
}

/** Host functions that create a contract. */
const CREATES = /^create_(contract|external)/;

/**
 * Says whether the host itself required the deployer's authorization, which it does for a creation
 * and not for a call.
 */
function createsContract({ reports, origin }: Failure): boolean {
  const from = origin === null ? reports.length : reports.indexOf(origin);
  const failed = messageIn(FRAMES, reports[from + 1]?.message)?.facts.function ?? "";
  return CREATES.test(failed);
}

function expired(failure: Failure, address: string): Found {
  const [, now, last = null] = failure.origin?.valuesXdr.map((value) => showValue(value)) ?? [];
  return {
    kind: "authorization-expired",
    facts: {
      address,
      call: failedCallOf(failure),
      case: "expired",
      last,
      now: now ?? String(failure.ledger),
    },
    confidence: "known",
  };
}

/**
 * The owner of an entry. An entry without an address belongs to the source account of the operation
 * (CAP-46-11).
 */
function ownerOf({ address }: AuthorizationFacts, { envelope }: Failure): string {
  return address ?? envelope?.terms.operationSource ?? "";
}

/** The required entry, for a comparison with the supplied ones. Null if the summary has it. */
function requiredBeside(
  failure: Failure,
  address: string,
  supplied: readonly AuthorizationFacts[],
  facts: AuthorizationCauseFacts,
): CauseEvidence[] {
  if (messageIn(AUTHORIZATIONS, failure.origin?.message)?.id !== "missing") return [];
  if (createsContract(failure)) return [];
  const own = supplied.filter((entry) => ownerOf(entry, failure) === address);
  const requirement = requirementOf(failure, address, own);
  if (requirement === null) return [];
  const { path, certain } = requirement;
  const [only, ...others] = path;
  // An argument that differs is in the summary, with its value in the call.
  const saysOwn = facts.case === "mismatch" && facts.difference.in === "argument";
  const isAlone = (own.length === 0 || saysOwn) && others.length === 0 && certain;
  if (isAlone && only !== undefined && isNamed(facts, only)) return [];
  const calls = path.map((call) => oneCall(call, failure));
  return [{ kind: "required-authorization", address, calls, certain }];
}

function suppliedBeside(
  supplied: readonly AuthorizationFacts[],
  failure: Failure,
  facts: AuthorizationCauseFacts,
): CauseEvidence[] {
  // In recording mode the host does not check the entries of the envelope, so they are no evidence.
  const reported = messageIn(AUTHORIZATIONS, failure.origin?.message);
  if (failure.envelope === null || reported?.row.isRecording) return [];
  const [only, ...others] = supplied;
  if (only === undefined) return facts.case === "no-entry" ? [] : [{ kind: "no-authorizations" }];
  const { root, signed, expirationLedger } = only;
  // A difference in one argument is in the summary, with the value of the entry.
  const saysCall =
    isNamed(facts, root) || (facts.case === "mismatch" && facts.difference.in === "argument");
  const saysLast = facts.case === "expired" && facts.last === String(expirationLedger ?? 0);
  if (others.length === 0 && root.calls.length === 0 && saysCall)
    return !signed || saysLast ? [] : [{ kind: "supplied-until", last: expirationLedger }];
  return supplied.slice(0, SHOWN_ENTRIES).map((entry) => ({
    kind: "supplied-authorization",
    address: ownerOf(entry, failure),
    isOfSource: entry.address === null,
    calls: suppliedCalls(entry.root, failure),
    signed: entry.signed,
    last: entry.expirationLedger,
  }));
}

/** The calls of an entry, at most three levels deep, so that the text stays readable. */
function suppliedCalls(authorized: AuthorizedCall, failure: Failure, depth = 0): SuppliedCall {
  const below = depth > 2 ? [] : authorized.calls.slice(0, SHOWN_ENTRIES);
  return {
    call: oneCall(authorized, failure),
    calls: below.map((each) => suppliedCalls(each, failure, depth + 1)),
  };
}

/** Says whether the summary names exactly this call. */
function isNamed({ call: named }: AuthorizationCauseFacts, call: RequiredCall): boolean {
  return named !== null && isSameCall(named, call);
}

function oneCall(call: RequiredCall, failure: Failure): string {
  if (call.contract === null) return "the creation of a contract";
  return `${callText(call, failure)} of ${call.contract}`;
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

/** True if the specification is known and has no `__check_auth`. */
export function lacksCheckAuth(address: string | null, lookup: ContractLookup): boolean {
  const spec = lookup(address)?.spec ?? null;
  return spec !== null && !spec.functions.has(CHECK_AUTH);
}
