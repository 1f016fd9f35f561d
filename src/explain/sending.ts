// Checks a transaction as no simulation does: stellar-core checks an envelope before the contract
// host runs.

import { phrase } from "../base/phrase.ts";
import { BASE_FEE_STROOPS } from "../model/networks.ts";
import type { SendingRefusal, Simulation } from "../model/simulation.ts";
import { type AuthorizationFacts, readAuthorization } from "../xdr/envelope/authorizations.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { AccountFacts } from "../xdr/ledger/account.ts";
import { earliestNextSecond } from "../xdr/ledger/close-time.ts";
import type { SdkLedger } from "../xdr/ledger/sdk-snapshot.ts";
import { decode } from "../xdr/reader/value.ts";
import { type BrokenRule, checkValidity } from "./validity/check-validity.ts";
import type { ValidityFacts } from "./validity/rule.ts";

/** The state that a transaction meets if it is sent now: that of the latest ledger. */
export interface SendingState extends Omit<SdkLedger, "networkPassphrase"> {
  /** Accounts by address; null if no node has it. */
  readonly accounts: ReadonlyMap<string, AccountFacts | null>;
  /** The accounts whose transactions a fork accepts without signatures; absent: none. */
  readonly impersonated?: "all" | readonly string[];
}

/**
 * A ledger closes about every 5 s. A transaction that becomes valid within this time is not too
 * early.
 */
export const NEXT_LEDGERS_SECONDS = 60n;

/**
 * The refusals; empty if the network would accept it. An unsigned authorization fails in the
 * contract host.
 */
export function refusalsOnSending(
  envelope: Envelope,
  state: SendingState,
  simulation: Authorized,
): (SendingRefusal & { readonly isOfForm: boolean })[] {
  const broken = checkValidity(validityFacts(envelope, state)).map((each) => {
    const { code, detail, confidence } = sendingRefusalOf(each);
    const { subject, remedy } = each.rule;
    const isOfForm = subject === "form" || subject === "declared";
    const advised = remedy === undefined ? detail : phrase`${detail} ${remedy}`;
    return { code, detail: advised, confidence, isOfForm };
  });
  return [...broken, ...ofAuthorizations(unsignedOf(simulation, envelope))];
}

/** The refusal without a remedy. */
export function sendingRefusalOf({ rule: { code, isLikely }, words }: BrokenRule): SendingRefusal {
  return { code, detail: words, confidence: isLikely ? "likely" : "known" };
}

export function validityFacts(envelope: Envelope, state: SendingState): ValidityFacts {
  const { sequence, closeTimeUnixSeconds, settingsXdr, accounts } = state;
  const { protocolVersion, baseReserveStroops } = state;
  const ledger = {
    protocolVersion,
    baseReserveStroops,
    baseFeeStroops: BASE_FEE_STROOPS,
    sequence: sequence + 1,
    closesFrom: earliestNextSecond({ protocolVersion, closeTimeUnixSeconds }),
    closesUntil: BigInt(closeTimeUnixSeconds) + NEXT_LEDGERS_SECONDS,
  };
  const isWaived = (address: string) => isImpersonated(state, address);
  return { envelope, ledger, settingsXdr, accounts, isWaived };
}

function isImpersonated({ impersonated = [] }: SendingState, address: string): boolean {
  return impersonated === "all" || impersonated.includes(address);
}

/** The accounts whose missing signatures only a fork does not ask for; empty on a network. */
export function signersNotAsked(envelope: Envelope, state: SendingState): string[] {
  const waived = envelope.terms.signers.filter((address) => isImpersonated(state, address));
  if (waived.length === 0) return [];
  const { impersonated: _, ...network } = state;
  const lacksSignature = checkValidity(validityFacts(envelope, network)).some(
    ({ rule }) => rule.code === "txBadAuth" || rule.code === "opBadAuth",
  );
  return lacksSignature ? waived : [];
}

type Authorized = Pick<Simulation, "authorizationsXdr" | "error">;

/**
 * Authorizations that need a signature and have none. An entry of the envelope was enforced if the
 * simulation returns it: a contract can accept an entry without a signature.
 */
export function unsignedOf(
  { authorizationsXdr, error }: Authorized,
  envelope: Envelope,
): AuthorizationFacts[] {
  const accepted = new Set(error === null ? envelope.authorizationsXdr : []);
  return authorizationsXdr
    .filter((entryXdr) => !accepted.has(entryXdr))
    .map((entryXdr) => readAuthorization(decode("SorobanAuthorizationEntry", entryXdr)))
    .filter(({ address, signed }) => address !== null && !signed);
}

/**
 * The reason why the resources of a simulation do not suffice if it recorded authorizations of
 * contract accounts: `__check_auth` runs only with their signatures. Null if there are none.
 */
export function withoutCheckAuth(unsigned: readonly AuthorizationFacts[]): SendingRefusal | null {
  const contracts = unsigned.flatMap(({ address }) => (address?.startsWith("C") ? [address] : []));
  if (contracts.length === 0) return null;
  const accounts = [...new Set(contracts)].join(" and of ");
  const detail =
    `They do not include \`__check_auth\` of ${accounts}, which runs only with signatures. Sign the ` +
    "authorizations, put them into the envelope, and simulate that envelope.";
  return { code: "Error(Auth, InvalidAction)", detail, confidence: "likely" };
}

function ofAuthorizations(unsigned: readonly AuthorizationFacts[]) {
  if (unsigned.length === 0) return [];
  const detail = `${unsigned[0]?.address} must sign an authorization entry first.`;
  const more = unsigned.length === 1 ? "" : ` ${unsigned.length} entries are not signed.`;
  const code = "Error(Auth, InvalidAction)";
  return [{ code, detail: detail + more, confidence: "known" as const, isOfForm: false }];
}
