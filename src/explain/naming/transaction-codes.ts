// Transaction result codes, and the codes of operations that never ran, in plain words.
// Names as in Stellar-transaction.x, in camel case.

const WORDS: Readonly<Record<string, string>> = {
  txSuccess: "the transaction succeeded",
  txFailed: "one of its operations failed, so none took effect",
  txTooEarly: "the ledger closed before the transaction's earliest time or ledger",
  txTooLate: "the ledger closed after the transaction's latest time or ledger",
  txMissingOperation: "the transaction has no operation",
  txBadSeq: "the sequence number is not the source account's next one",
  txBadAuth: "the signatures are too few or not valid, or were made for another network",
  txInsufficientBalance: "the fee would take the source account below its reserve",
  txNoAccount: "the source account does not exist",
  txInsufficientFee: "the fee bid is below what the network required",
  txBadAuthExtra: "the transaction has a signature that is not needed",
  txInternalError: "stellar-core had an internal error while it ran the transaction",
  txNotSupported: "the network does not support this type of transaction",
  txFeeBumpInnerSuccess: "the inner transaction of the fee-bump succeeded",
  txFeeBumpInnerFailed: "the inner transaction of the fee-bump failed",
  txBadSponsorship: "a sponsorship was started and not ended",
  txBadMinSeqAgeOrGap: "the minimum sequence age or ledger gap has not passed",
  txMalformed:
    "the form of the transaction is not valid: its preconditions, its fees, or a Soroban operation " +
    "that is not its only one",
  txSorobanInvalid:
    "the Soroban resources or the resource fee are not valid for this network, or a contract call " +
    "has a memo or a multiplexed source account (from protocol 25; before it, only the " +
    "transaction queue of a node refused that)",
  txFrozenKeyAccessed: "the transaction would access a ledger entry that the network has frozen",
  opInner: "the operation ran, and its own result shows how it ended",
  opBadAuth: "the signatures do not reach the threshold of the operation's source account",
  opNoAccount: "the operation's source account does not exist",
  opNotSupported: "the network does not support this operation",
  opTooManySubentries: "the account has reached the maximum number of subentries",
  opExceededWorkLimit: "the operation would have to do too much work",
  opTooManySponsoring: "the account has reached the maximum number of sponsored entries",
};

export const NOTHING_WRONG = "Nothing is wrong.";

/** For a transaction that was refused before its operations ran, or an operation that was. */
const REMEDIES: Readonly<Record<string, string>> = {
  txSuccess: NOTHING_WRONG,
  txFeeBumpInnerSuccess: NOTHING_WRONG,
  txFailed: "Read the codes of its operations, which show the one that failed.",
  txFeeBumpInnerFailed: "Read the result of the inner transaction, which shows why.",
  opInner: "Read the operation's own result.",
  txBadSeq: "Read the account's sequence number again, and sign with the next one.",
  txTooLate: "Build the transaction again with a later time bound, and send it immediately.",
  txTooEarly: "Send the transaction again later.",
  txInsufficientFee: "Bid a higher fee.",
  txInsufficientBalance:
    "Add XLM to the account, or have another account pay with a fee-bump transaction.",
  txBadAuth: "Sign the transaction with keys of that account, for this network's passphrase.",
  txBadAuthExtra: "Remove the signatures that no account of the transaction needs.",
  txNoAccount: "Create the account first, or check the network.",
  txSorobanInvalid:
    "Simulate the transaction again, and send it with the resources and the fee that the simulation " +
    "returns. The reason is in diagnosticEventsXdr of sendTransaction's answer: if it is a limit of " +
    "the network, do less in one transaction, because a simulation does not check the sizes of keys, " +
    "entries, events and the transaction. Send a contract call without a memo, and from a G… account.",
  txMissingOperation: "Add an operation to the transaction.",
  txMalformed:
    "Build the transaction again with an SDK of the network's protocol. A Soroban operation is the " +
    "only one of its transaction.",
  txInternalError: "Report it to the maintainers of stellar-core, with this transaction.",
  txNotSupported: "Build the transaction again with an SDK of the network's protocol.",
  txBadSponsorship: "End every sponsorship in the transaction that begins it.",
  txBadMinSeqAgeOrGap:
    "Send the transaction again when the age and the ledger gap of its preconditions have passed.",
  txFrozenKeyAccessed: "Leave out what accesses the frozen entry: no transaction can unfreeze it.",
  opBadAuth: "Sign the transaction with enough signers of the operation's source account too.",
  opNoAccount: "Check the operation's source account, or create it first (create account).",
  opNotSupported: "Use an operation of the network's protocol.",
  opTooManySubentries: "Remove trustlines, offers, signers or data of the account first.",
  opExceededWorkLimit: "Use a smaller amount, so that the operation crosses fewer offers.",
  opTooManySponsoring: "Sponsor the entry with another account.",
};

export const TRANSACTION_CODES: readonly string[] = Object.keys(WORDS);

/** A clause without a full stop; null when the code is not a transaction's. */
export function transactionCodeInWords(code: string): string | null {
  return WORDS[code] ?? null;
}

/** One or two sentences; null when nothing general helps. */
export function transactionCodeRemedy(code: string): string | null {
  return REMEDIES[code] ?? null;
}
