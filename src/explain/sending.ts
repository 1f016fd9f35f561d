// What else keeps a simulated transaction from succeeding: stellar-core checks time, sequence
// number, fee, balance and signatures before the contract host runs (TransactionFrame.cpp,
// `commonValid`; FeeBumpTransactionFrame.cpp), and no simulation does.

import { stroopsInWords } from "../base/text/grouped.ts";
import { timeInWords } from "../base/text/time.ts";
import type { Refusal, Simulation } from "../model/simulation.ts";
import { type AuthorizationFacts, readAuthorization } from "../xdr/envelope/authorizations.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { type SignatureChecker, signatureChecker } from "../xdr/envelope/signature-checker.ts";
import type { AccountFacts } from "../xdr/ledger/account.ts";
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
  simulation: Authorized,
): Refusal[] {
  const missing = envelope.terms.signers.filter((account) => state.accounts.get(account) === null);
  const certain = [
    ...ofForm(envelope),
    ...ofTime(envelope, state),
    ...ofSequence(envelope, state),
    ...ofSequenceAge(envelope, state),
    ...ofFee(envelope),
    ...ofBalance(envelope, state),
    ...ofSignatures(envelope, state),
    ...ofAuthorizations(unsignedOf(simulation, envelope)),
  ].map((refusal) => ({ ...refusal, confidence: "known" as const }));
  const likely = missing.map((account) => ({
    code: "txNoAccount",
    detail: `The node has no entry for account ${account}. Ask another node, or create the account.`,
    confidence: "likely" as const,
  }));
  return [...likely, ...certain];
}

type Found = Omit<Refusal, "confidence">;

type Authorized = Pick<Simulation, "authorizationsXdr" | "error">;

/**
 * Those that need a signature and have none. What the envelope has was enforced if the simulation
 * returns it: a contract can accept an entry without a signature.
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

function ofAuthorizations(unsigned: readonly AuthorizationFacts[]): Found[] {
  if (unsigned.length === 0) return [];
  const detail = `An authorization of ${unsigned[0]?.address} has to be signed first.`;
  const more = unsigned.length === 1 ? "" : ` In all, ${unsigned.length} are not signed.`;
  return [{ code: "Error(Auth, InvalidAction)", detail: detail + more }];
}

/** Whatever the state is. */
function ofForm({ soroban }: Envelope): Found[] {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const keys = [...readOnly, ...readWrite];
  if (new Set(keys).size === keys.length) return [];
  return [{ code: "txSorobanInvalid", detail: "Its footprint has a key twice." }];
}

function ofTime({ terms }: Envelope, { sequence, closeTimeUnixSeconds }: SendingState): Found[] {
  const { latestSeconds, earliestSeconds, endLedger, earliestLedger } = terms;
  const closed = BigInt(closeTimeUnixSeconds);
  const next = sequence + 1;
  const now = `ledger ${sequence} closed at ${timeInWords(closed)}`;
  const refusals: (Found | false)[] = [
    latestSeconds !== null &&
      latestSeconds <= closed && {
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

/** Preconditions on how long ago the sequence number was last used (CAP-21). */
function ofSequenceAge({ terms }: Envelope, state: SendingState): Found[] {
  const { source, leastAgeSeconds, leastLedgerGap } = terms;
  const account = state.accounts.get(source);
  if (!account) return [];
  const soon = BigInt(state.closeTimeUnixSeconds) + NEXT_LEDGERS_SECONDS;
  const isTooEarly =
    account.sequenceSeconds + leastAgeSeconds > soon ||
    account.sequenceLedger + leastLedgerGap > state.sequence + 1;
  if (!isTooEarly) return [];
  const detail =
    `The account's sequence number was last used in ledger ${account.sequenceLedger}; it is valid ` +
    `${leastAgeSeconds} s and ${leastLedgerGap} ledgers after that.`;
  return [{ code: "txBadMinSeqAgeOrGap", detail }];
}

/**
 * The resource fee counts apart: whatever is bid beyond it is for inclusion. Whether it covers the
 * resources, only a run shows: a simulation's fee has margins.
 */
function ofFee({ soroban, operationKinds, isFeeBump, feeBidStroops, terms }: Envelope): Found[] {
  if (soroban === null)
    return [{ code: "txSorobanInvalid", detail: "It does not declare its resources yet." }];
  const declared = BigInt(soroban.resourceFeeStroops);
  const operations = BigInt(Math.max(1, operationKinds.length));
  const count = operations + (isFeeBump ? 1n : 0n);
  // A fee-bump bids for each operation, and itself, at least what its inner transaction does.
  const innerBid = isFeeBump ? ((terms.feeStroops - declared) * count) / operations : 0n;
  const inclusion = innerBid > count * BASE_FEE_STROOPS ? innerBid : count * BASE_FEE_STROOPS;
  const least = declared + inclusion;
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

/** As stellar-core goes: a fee-bump outside first, then source, extra signers and operation. */
function ofSignatures({ terms, hash, innerHash, hostFunction }: Envelope, state: SendingState) {
  const { source, payer, operationSource, signatures, innerSignatures, extraSigners } = terms;
  const outer = signatureChecker(hash, signatures);
  const inner = innerHash === null ? outer : signatureChecker(innerHash, innerSignatures);
  const weighed = (code: string, address: string, { weigh }: SignatureChecker, level: 0 | 1) => {
    const account = state.accounts.get(address);
    if (!account) return [];
    // With a threshold of 0, one signature is still needed.
    const needed = Math.max(1, account.thresholds[level]);
    const has = weigh(account.signers, needed);
    if (has >= needed) return [];
    const by = has === 0 ? "It has no valid signature" : `It has signatures of weight ${has}`;
    const of = code === "opBadAuth" ? "its operation needs weight" : "the transaction needs weight";
    return [{ code, detail: `${by} for ${address}; ${of} ${needed}.` }];
  };
  const ofPayer = innerHash === null ? [] : weighed("txBadAuth", payer, outer, 0);
  const ofSource = weighed("txBadAuth", source, inner, 0);
  const extra = inner.weigh(extraSigners, extraSigners.length);
  const ofExtra =
    extra < extraSigners.length
      ? [{ code: "txBadAuth", detail: extraInWords(extra, extraSigners.length) }]
      : [];
  const level = hostFunction === null ? 0 : 1;
  const ofOperation =
    ofSource.length > 0 && operationSource === source
      ? []
      : weighed("opBadAuth", operationSource, inner, level);
  const missing = [...ofPayer, ...ofSource, ...ofExtra, ...ofOperation];
  // Which signatures are needed shows only once each account has its own.
  const isKnown = terms.signers.every((account) => state.accounts.get(account));
  if (missing.length > 0 || !isKnown) return missing;
  const unused = [...outer.unused(), ...(inner === outer ? [] : inner.unused())];
  if (unused.length === 0) return [];
  const hints = unused.map(({ hint }) => Buffer.from(hint).toString("hex")).join(", ");
  const detail = `It has signatures that are not needed (hints ${hints}). Remove them.`;
  return [{ code: "txBadAuthExtra", detail }];
}

function extraInWords(has: number, needed: number): string {
  const named = needed === 1 ? "an extra signer" : `${needed} extra signers`;
  const count = has === 0 ? "no valid signature" : "a valid signature by only one";
  return `Its preconditions name ${named}, and it has ${count}${has === 0 ? " by them" : ""}.`;
}
