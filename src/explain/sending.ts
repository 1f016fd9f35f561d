// What else keeps a simulated transaction from succeeding: stellar-core checks time, sequence
// number, fee, balance and signatures before the contract host runs (TransactionFrame.cpp,
// `commonValid`; FeeBumpTransactionFrame.cpp), and no simulation does.

import { isSignatureOf } from "../base/ed25519.ts";
import { stroopsInWords } from "../base/text/grouped.ts";
import { timeInWords } from "../base/text/time.ts";
import type { Refusal, Simulation } from "../model/simulation.ts";
import { type AuthorizationFacts, readAuthorization } from "../xdr/envelope/authorizations.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { DecoratedSignature } from "../xdr/envelope/envelope-terms.ts";
import type { AccountFacts } from "../xdr/ledger/account.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { decode } from "../xdr/reader/value.ts";
import { showStroops } from "../xdr/values/value.ts";

/** The state that a transaction meets if it is sent now. */
export interface SendingState {
  /** The latest ledger. */
  readonly sequence: number;
  readonly closeTimeUnixSeconds: string;
  readonly baseReserveStroops: number;
  /** By address; null: no node has it. */
  readonly accounts: ReadonlyMap<string, AccountFacts | null>;
}

/** What every public network asks for at least (the ledger header's `baseFee`). */
const BASE_FEE_STROOPS = 100n;
/** A ledger closes about every 5 s: what begins to be valid before that is not too early. */
const NEXT_LEDGERS_SECONDS = 60n;

/** Empty when the network would take it. An unsigned authorization fails in the contract host. */
export function refusalsOnSending(
  envelope: Envelope,
  state: SendingState,
  { authorizationsXdr }: Pick<Simulation, "authorizationsXdr">,
): Refusal[] {
  const missing = envelope.terms.signers.filter((account) => state.accounts.get(account) === null);
  const certain = [
    ...ofTime(envelope, state),
    ...ofSequence(envelope, state),
    ...ofFee(envelope),
    ...ofBalance(envelope, state),
    ...ofSignatures(envelope, state),
    ...ofAuthorizations(authorizationsXdr),
  ].map((refusal) => ({ ...refusal, confidence: "known" as const }));
  const likely = missing.map((account) => ({
    code: "txNoAccount",
    detail: `The node has no entry for account ${account}. Ask another node, or create the account.`,
    confidence: "likely" as const,
  }));
  return [...likely, ...certain];
}

type Found = Omit<Refusal, "confidence">;

/** Those that need a signature and have none. */
export function unsignedOf(authorizationsXdr: readonly string[]): AuthorizationFacts[] {
  return authorizationsXdr
    .map((entryXdr) => readAuthorization(decode("SorobanAuthorizationEntry", entryXdr)))
    .filter(({ address, signed }) => address !== null && !signed);
}

function ofAuthorizations(authorizationsXdr: readonly string[]): Found[] {
  const unsigned = unsignedOf(authorizationsXdr);
  if (unsigned.length === 0) return [];
  const detail = `An authorization of ${unsigned[0]?.address} has to be signed first.`;
  const more = unsigned.length === 1 ? "" : ` In all, ${unsigned.length} are not signed.`;
  return [{ code: "Error(Auth, InvalidAction)", detail: detail + more }];
}

function ofTime({ terms }: Envelope, { sequence, closeTimeUnixSeconds }: SendingState): Found[] {
  const { latestSeconds, earliestSeconds, endLedger, earliestLedger } = terms;
  const closed = BigInt(closeTimeUnixSeconds);
  const next = sequence + 1;
  const now = `ledger ${sequence} closed at ${timeInWords(closed)}`;
  const refusals: (Found | false)[] = [
    latestSeconds !== null &&
      latestSeconds < closed && {
        code: "txTooLate",
        detail: `It is valid until ${timeInWords(latestSeconds)}, and ${now}.`,
      },
    endLedger !== null &&
      next >= endLedger && {
        code: "txTooLate",
        detail: `It is valid before ledger ${endLedger}, and the next one is ${next}.`,
      },
    earliestSeconds !== null &&
      earliestSeconds > closed + NEXT_LEDGERS_SECONDS && {
        code: "txTooEarly",
        detail: `It is valid from ${timeInWords(earliestSeconds)}, and ${now}.`,
      },
    earliestLedger !== null &&
      next < earliestLedger && {
        code: "txTooEarly",
        detail: `It is valid from ledger ${earliestLedger}, and the next one is ${next}.`,
      },
  ];
  return refusals.filter((refusal) => refusal !== false);
}

function ofSequence({ terms }: Envelope, { accounts }: SendingState): Found[] {
  const { source, sequence, leastSequence } = terms;
  const state = accounts.get(source);
  if (!state) return [];
  const isNext =
    leastSequence === null
      ? sequence === state.sequence + 1n
      : state.sequence >= leastSequence && state.sequence < sequence;
  if (isNext) return [];
  const detail =
    leastSequence === null
      ? `Its sequence number is ${sequence}; the account expects ${state.sequence + 1n}.`
      : `It expects the account's sequence number from ${leastSequence} to ${sequence - 1n}; ` +
        `it is ${state.sequence}.`;
  return [{ code: "txBadSeq", detail }];
}

/**
 * The resource fee counts apart: whatever is bid beyond it is for inclusion. Whether it covers the
 * resources, only a run shows: a simulation's fee has margins.
 */
function ofFee({ soroban, operationKinds, isFeeBump, feeBidStroops }: Envelope): Found[] {
  if (soroban === null)
    return [{ code: "txSorobanInvalid", detail: "It does not declare its resources yet." }];
  const declared = BigInt(soroban.resourceFeeStroops);
  const count = BigInt(operationKinds.length + (isFeeBump ? 1 : 0));
  const least = declared + count * BASE_FEE_STROOPS;
  if (BigInt(feeBidStroops) >= least) return [];
  const bid = stroopsInWords(feeBidStroops);
  const detail = `It bids ${bid}; with its resource fee, ${stroopsInWords(least)} is the minimum.`;
  return [{ code: "txInsufficientFee", detail }];
}

function ofBalance(envelope: Envelope, state: SendingState): Found[] {
  const account = state.accounts.get(envelope.terms.payer);
  if (!account) return [];
  const reserve = account.reserves * BigInt(state.baseReserveStroops);
  const free = account.balanceStroops - reserve - account.sellingLiabilitiesStroops;
  const bid = BigInt(envelope.feeBidStroops);
  if (free >= bid) return [];
  const has = showStroops(free > 0n ? free : 0n);
  const detail = `${account.address} can spend ${has} XLM, and the bid is ${showStroops(bid)} XLM.`;
  return [{ code: "txInsufficientBalance", detail }];
}

function ofSignatures({ terms, hash, innerHash, hostFunction }: Envelope, state: SendingState) {
  const { source, payer, operationSource, signatures, innerSignatures } = terms;
  const needed = (address: string, isOperation: boolean) => {
    const [low = 0, medium = 0] = state.accounts.get(address)?.thresholds ?? [];
    // With a threshold of 0, one signature is still needed.
    return Math.max(1, low, isOperation ? medium : 0);
  };
  const inner =
    innerHash === null ? { hash, signatures } : { hash: innerHash, signatures: innerSignatures };
  const isOperation = (address: string) => address === operationSource && hostFunction !== null;
  const accounts = [...new Set([source, operationSource])];
  return [
    ...accounts.map((address) => ({
      address,
      weight: needed(address, isOperation(address)),
      ...inner,
    })),
    ...(innerHash === null
      ? []
      : [{ address: payer, weight: needed(payer, false), hash, signatures }]),
  ].flatMap(({ address, weight, hash: signed, signatures: given }) => {
    const account = state.accounts.get(address);
    if (!account) return [];
    const has = weightOf(account, Buffer.from(signed, "hex"), given);
    if (has >= weight) return [];
    const by = has === 0 ? "It has no valid signature" : `It has signatures of weight ${has}`;
    return [{ code: "txBadAuth", detail: `${by} for ${address}; weight ${weight} is needed.` }];
  });
}

/** Each signer counts once. */
function weightOf(
  { signers }: AccountFacts,
  hash: Uint8Array,
  signatures: readonly DecoratedSignature[],
): number {
  return signers
    .filter(({ kind, key, signs }) => {
      if (kind === "transaction") return Buffer.compare(key, hash) === 0;
      return signatures.some(({ signature }) =>
        kind === "ed25519"
          ? isSignatureOf(key, signs ?? hash, signature)
          : Buffer.compare(sha256(signature), key) === 0,
      );
    })
    .reduce((sum, { weight }) => sum + weight, 0);
}
