// Rules of an account and of the next ledger: time, fee, sequence number, frozen entries,
// balances and signatures (stellar-core: TransactionFrame::commonValid, OperationFrame::checkValid,
// FeeBumpTransactionFrame.cpp).

import { stroopsInWords } from "../../base/text/grouped.ts";
import { timeInWords } from "../../base/text/time.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import { describeKey, showStroops } from "../../xdr/values/value.ts";
import type { Checked, Rule } from "./rule.ts";

const BID_MORE = "Bid a higher fee.";
const ADD_XLM = "Add XLM to the account, or have another account pay.";

/** The rules that a node's queue checks first. */
export const QUEUE_FEE: readonly Rule[] = [
  {
    code: "txMalformed",
    subject: "fee",
    ofQueue: true,
    remedy: BID_MORE,
    finds: (facts) => inclusionOf(facts) < 0n && bidInWords(facts, resourceFeeOf(facts)),
  },
];

/** Rules about the fee-bump itself; its inner transaction comes after that. */
export const FEE_BUMP: readonly Rule[] = [
  {
    code: "txInsufficientFee",
    subject: "fee",
    remedy: BID_MORE,
    finds: (facts) => {
      const least = leastInclusion(facts, 1);
      return inclusionOf(facts) < least && bidInWords(facts, resourceFeeOf(facts) + least);
    },
  },
  {
    until: 22,
    code: "txFeeBumpInnerFailed",
    subject: "fee",
    finds: (facts) =>
      innerInclusionOf(facts) < 0n &&
      `The inner transaction bids ${stroopsInWords(facts.envelope.terms.feeStroops)}, less than ` +
        `its resource fee of ${stroopsInWords(resourceFeeOf(facts))}.`,
    remedy: "Bid the resource fee in the inner transaction too, and sign both again.",
  },
  {
    code: "txInsufficientFee",
    subject: "fee",
    remedy: BID_MORE,
    finds: (facts) => {
      // For each operation, and for itself, a fee-bump bids at least as much as its inner
      // transaction.
      const inner = innerInclusionOf(facts);
      const count = BigInt(Math.max(1, facts.operations.length));
      const least = (inner * (BigInt(facts.operations.length) + 1n) + count - 1n) / count;
      const isBelow = inner >= 0n && inclusionOf(facts) < least;
      return isBelow && bidInWords(facts, resourceFeeOf(facts) + least);
    },
  },
  noAccount("txNoAccount", ({ envelope }) => [envelope.terms.payer]),
  { code: "txBadAuth", finds: ({ signatures }) => signatures.payer },
  { code: "txInsufficientBalance", remedy: ADD_XLM, finds: cannotPay },
  frozen(({ envelope }) => [accountKeyOf(envelope.terms.payer)]),
  unused(({ signatures }) => signatures.unusedOfPayer),
];

/** Rules about the transaction, or a fee-bump's inner one. */
export const ACCOUNT: readonly Rule[] = [
  {
    code: "txTooEarly",
    finds: ({ envelope: { terms }, ledger }) => [
      ...(terms.earliestSeconds !== null && terms.earliestSeconds > ledger.closesUntil
        ? [
            `The transaction is valid from ${timeInWords(terms.earliestSeconds)}; ${nextInWords(ledger)}.`,
          ]
        : []),
      ...(terms.earliestLedger !== null && ledger.sequence < terms.earliestLedger
        ? [
            `The transaction is valid from ledger ${terms.earliestLedger}; the next one is ${ledger.sequence}.`,
          ]
        : []),
    ],
    remedy: "Send it again later.",
  },
  {
    code: "txTooLate",
    finds: ({ envelope: { terms }, ledger }) => [
      ...(terms.latestSeconds !== null && terms.latestSeconds < ledger.closesFrom
        ? [
            `The transaction is valid until ${timeInWords(terms.latestSeconds)}; ${nextInWords(ledger)}.`,
          ]
        : []),
      ...(terms.endLedger !== null && ledger.sequence >= terms.endLedger
        ? [
            `The transaction is valid before ledger ${terms.endLedger}; the next one is ${ledger.sequence}.`,
          ]
        : []),
    ],
    remedy: "Build the transaction again with later bounds.",
  },
  {
    code: "txInsufficientFee",
    subject: "fee",
    remedy: BID_MORE,
    finds: (facts) => {
      const least = leastInclusion(facts, 0);
      const isBelow = !facts.envelope.isFeeBump && inclusionOf(facts) < least;
      return isBelow && bidInWords(facts, resourceFeeOf(facts) + least);
    },
  },
  noAccount("txNoAccount", ({ envelope: { isFeeBump, terms } }) =>
    isFeeBump && terms.payer === terms.source ? [] : [terms.source],
  ),
  frozen(({ envelope: { terms, soroban, isFeeBump }, accessedKeys = [] }) => {
    const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
    const accounts = terms.signers.filter((each) => each !== terms.payer || !isFeeBump);
    return [...accounts.map(accountKeyOf), ...readOnly, ...readWrite, ...accessedKeys];
  }),
  {
    code: "txBadSeq",
    finds: badSequence,
    remedy: "Read the account's sequence number again, and sign with the next one.",
  },
  { code: "txBadMinSeqAgeOrGap", finds: tooSoon, remedy: "Send it again later." },
  { code: "txBadAuth", finds: ({ signatures }) => signatures.source },
  { code: "txBadAuth", finds: ({ signatures }) => signatures.extra },
  {
    code: "txInsufficientBalance",
    remedy: ADD_XLM,
    finds: (facts) => !facts.envelope.isFeeBump && cannotPay(facts),
  },
  noAccount("opNoAccount", ({ isSoroban, envelope: { terms } }) =>
    isSoroban && terms.operationSource !== terms.source ? [terms.operationSource] : [],
  ),
  {
    code: "opBadAuth",
    finds: ({ signatures }) => [...new Set(signatures.operations)].filter((each) => each !== null),
  },
];

export const UNUSED_SIGNATURES: readonly Rule[] = [unused(({ signatures }) => signatures.unused)];

function unused(finds: Rule["finds"]): Rule {
  return { code: "txBadAuthExtra", finds, remedy: "Remove them." };
}

function noAccount(code: string, needed: (facts: Checked) => readonly string[]): Rule {
  return {
    code,
    isLikely: true,
    finds: (facts) =>
      needed(facts)
        .filter((address) => facts.accounts.get(address) === null)
        .map((address) => `The node has no entry for account ${address}.`),
    remedy: "Ask another node, or create the account.",
  };
}

/** CAP-77. */
function frozen(accessed: (facts: Checked) => readonly string[]): Rule {
  return {
    from: 26,
    code: "txFrozenKeyAccessed",
    finds: (facts) => {
      const { envelope, frozenKeys } = facts;
      if (frozenKeys.exceptions.has(envelope.hash)) return null;
      const frozenKey = accessed(facts).find((key) => frozenKeys.keys.has(key));
      return frozenKey && `The network has frozen ${describeKey(frozenKey)}.`;
    },
    remedy: "Leave the entry alone: only the network's validators can unfreeze it.",
  };
}

/** Whatever is bid beyond the resource fee is for inclusion. */
function inclusionOf(facts: Checked): bigint {
  return BigInt(facts.envelope.feeBidStroops) - resourceFeeOf(facts);
}

function innerInclusionOf(facts: Checked): bigint {
  return facts.envelope.terms.feeStroops - resourceFeeOf(facts);
}

function resourceFeeOf({ envelope: { soroban } }: Checked): bigint {
  return BigInt(soroban?.resourceFeeStroops ?? 0);
}

/** `more`: a fee-bump counts as one operation more. */
function leastInclusion({ operations, ledger }: Checked, more: number): bigint {
  return BigInt(ledger.baseFeeStroops) * BigInt(Math.max(1, operations.length + more));
}

function bidInWords({ envelope }: Checked, least: bigint): string {
  const bid = stroopsInWords(envelope.feeBidStroops);
  return `The fee bid is ${bid}; the minimum is ${stroopsInWords(least)} with the resource fee.`;
}

function nextInWords({ closesFrom }: Checked["ledger"]): string {
  return `the next ledger closes at ${timeInWords(closesFrom)} or later`;
}

function cannotPay({ envelope, accounts, ledger, feeIsTaken }: Checked): string | null {
  const account = accounts.get(envelope.terms.payer);
  if (!account) return null;
  const reserve = account.reserves * BigInt(ledger.baseReserveStroops);
  const free = account.balanceStroops - reserve - account.sellingLiabilitiesStroops;
  const bid = feeIsTaken ? 0n : BigInt(envelope.feeBidStroops);
  if (free >= bid) return null;
  const has = showStroops(free > 0n ? free : 0n);
  return `${account.address} can spend ${has} XLM, and the bid is ${showStroops(bid)} XLM.`;
}

/** A new account begins with the number of its ledger, which no transaction of that ledger has. */
const LEDGER_BITS = 32n;
const LAST_SEQUENCE = 2n ** 63n - 1n;

function badSequence({ envelope: { terms }, accounts, ledger }: Checked): string | null {
  const { source, sequence, leastSequence } = terms;
  const state = accounts.get(source);
  if (!state) return null;
  if (sequence === BigInt(ledger.sequence) << LEDGER_BITS)
    return `The sequence number is ${sequence}, with which ledger ${ledger.sequence} creates accounts.`;
  if (state.sequence === LAST_SEQUENCE) return "The account has used its last sequence number.";
  if (leastSequence === null)
    return sequence === state.sequence + 1n
      ? null
      : `The sequence number is ${sequence}; the account expects ${state.sequence + 1n}.`;
  return state.sequence >= leastSequence && state.sequence < sequence
    ? null
    : `The transaction expects the account's sequence number from ${leastSequence} to ${sequence - 1n}; ` +
        `it is ${state.sequence}.`;
}

/** Preconditions on how long ago the sequence number was last used (CAP-21). */
function tooSoon({ envelope: { terms }, accounts, ledger }: Checked): string | null {
  const account = accounts.get(terms.source);
  if (!account) return null;
  const isTooSoon =
    account.sequenceSeconds + terms.leastAgeSeconds > ledger.closesUntil ||
    account.sequenceLedger + terms.leastLedgerGap > ledger.sequence;
  return isTooSoon
    ? `The account's sequence number was last used in ledger ${account.sequenceLedger}; the transaction is valid ` +
        `${terms.leastAgeSeconds} s and ${terms.leastLedgerGap} ledgers after that.`
    : null;
}
