// The closed table of kinds of cause: why a transaction failed, or why a node's answer is a
// failure. A row has the meaning of a kind, the remedy if a report does not have a better one, and
// the kind's traits. Explanations, next steps, fixes, watch lists, `svc explain` and the documents
// read it: no other place decides by the name of a kind.

import { atShell, FIND_FIX, phrase, svc, type Wording } from "../base/phrase.ts";

interface CauseRow {
  /** One sentence. */
  readonly meaning: string;
  /** The advice, unless a report has a better one. */
  readonly remedy?: Wording;
  /** The advice where a unit test of a contract fails so: no network knows what it is about. */
  readonly inTest?: string;
  /**
   * Absent if transactions on the chain have this cause. Otherwise only svc's own runs, or nodes'
   * answers, have it.
   */
  readonly only?: "run" | "answer";
  /**
   * The kind of limit that was exceeded: one that the transaction declares, and can raise, or one
   * of the network.
   */
  readonly limit?: "declared" | "network";
  /** True if the costs of the calls show the reason. */
  readonly isCost?: true;
  /**
   * True if a contract's code decided. With another argument or another build the call may end in
   * another way.
   */
  readonly inCode?: true;
  /**
   * An argument of the call decides the failure, whatever the code does, or is a usual reason for
   * it.
   */
  readonly argument?: "decides" | "is-usual";
  /** True for the contract's own decision, which is often about an argument. */
  readonly isOwnError?: true;
  /** True if the transaction was simulated for another state or another time. */
  readonly isStale?: true;
  /**
   * True if a simulation without signatures does not show the cause when a check of a signature is
   * behind it.
   */
  readonly isLeftOutUnsigned?: true;
  /**
   * True if a conflicting transaction that made the same call has done what this one was to do.
   */
  readonly isDoneByConflict?: true;
  /** True if the values that the host reports are amounts of the token. */
  readonly hasAmounts?: true;
}

const SIMULATE =
  "Simulate the transaction again, and send it with the simulated footprint and resources.";
const SIGN =
  "Simulate again, have each address sign the authorization entry that the simulation returns, and send.";
const ARGUMENTS = "Check the arguments against the contract's specification.";
const AMOUNTS = "Check the amounts and the numbers that were passed.";
const BUILD = "Build the code for the target wasm32v1-none with an SDK of the network's protocol.";
const CRYPTO =
  "Check the key, the message and the signature: exactly the bytes that are verified must be signed.";
const CONTRACT = "Change the contract: the host does not allow what it did.";
const MOCK =
  "In the test, call `env.mock_all_auths()`, or `env.mock_auths` with exactly the calls that are authorized.";
const BUDGET =
  "It is a unit test: `env.cost_estimate().budget().reset_unlimited()` before the call lifts the limit of the test, " +
  "and `env.cost_estimate().budget().print()` after it shows the costs. On a network the limit stays, so make the call " +
  "do less.";
const LESS = "Do less in one transaction: the network sets this limit.";
const SOURCE = phrase`Look at the named function in the contract${atShell("; a debug build as `--wasm FILE` gives the line")}.`;

/** The kinds for which the network refuses a transaction before any of its operations runs. */
const REFUSALS = {
  "account-missing": {
    meaning: "An account does not exist.",
    remedy: "Create the account first, or check the network.",
  },
  "bad-auth": {
    meaning: "The transaction's signatures are too few or not valid, or for another network.",
    remedy: "Sign with keys of that account, for this network's passphrase.",
  },
  "bad-auth-extra": {
    meaning: "The transaction has a signature that is not needed.",
    remedy: "Remove the signatures that no account of it needs.",
  },
  "bad-sequence": {
    meaning: "The sequence number is not the source account's next one.",
    remedy: "Read the account's sequence number again, and sign with the next one.",
  },
  "insufficient-balance": {
    meaning: "The fee would take the source account below its reserve.",
    remedy: "Add XLM to the account, or have another pay with a fee-bump.",
  },
  "insufficient-fee": {
    meaning: "The fee bid is below what the network required.",
    remedy: "Bid a higher fee.",
  },
  refused: {
    meaning: "The network refused the transaction before any of its operations ran.",
    remedy: "Explain the result code that the report shows, such as txBadSeq.",
  },
  "too-early": {
    meaning: "The ledger closed before the transaction's earliest time or ledger.",
    remedy: "Send the transaction again later.",
  },
  "too-late": {
    meaning: "The ledger closed after the transaction's latest time or ledger.",
    remedy: "Build it again with a later time bound, and send it immediately.",
  },
} as const satisfies Readonly<Record<string, CauseRow>>;

const OTHERS = {
  "account-reserve": {
    meaning: "An account's XLM does not cover the reserve of its entries.",
    remedy: "Add XLM to the account.",
  },
  "account-subentries": {
    meaning: "An account has the maximum number of subentries.",
    remedy: "Remove trustlines, offers, signers or data of it.",
  },
  "address-invalid": {
    meaning: "A text is not a Stellar address.",
    remedy: "Pass the full address: G…, C…, M… or W….",
    inCode: true,
  },
  "address-kind": {
    meaning: "An address is of a kind that is not allowed there.",
    remedy: "Pass an account's (G…) or a contract's (C…) address.",
    inCode: true,
  },
  "argument-count": {
    meaning: "The function was called with the wrong number of arguments.",
    remedy: ARGUMENTS,
    inCode: true,
    argument: "decides",
  },
  "argument-type": {
    meaning: "An argument does not have the type that the function declares.",
    remedy: ARGUMENTS,
    inCode: true,
    argument: "decides",
  },
  "arithmetic-overflow": {
    meaning: "A number did not fit its type, or a division by zero was tried.",
    remedy: AMOUNTS,
    inCode: true,
    argument: "is-usual",
  },
  "asset-invalid": {
    meaning: "The asset of a contract to create is not valid.",
    remedy: "Use an asset code of 1 to 12 letters and digits.",
  },
  "authorization-delegate": {
    meaning: "A delegated signature is missing, duplicated or out of order.",
    remedy: "Have every delegate sign once, in the order of their addresses.",
  },
  "authorization-expiration": {
    meaning: "An authorization is valid for longer than the network allows.",
    remedy: "Sign it with an earlier expiration ledger.",
  },
  "authorization-expired": {
    meaning: "An authorization had expired when it was used.",
    remedy: SIGN,
  },
  "authorization-failed": {
    meaning: "Authorization failed, for a reason that the host did not report.",
    remedy: SIGN,
  },
  "authorization-invalid": {
    meaning:
      "An authorization entry is not valid, for example because it expired or its signature is wrong.",
    remedy: SIGN,
  },
  "authorization-mismatch": {
    meaning: "The address signed a different call than the one that was made.",
    remedy: SIGN,
  },
  "authorization-missing": {
    meaning: "A call requires the authorization of an address that gave none for it.",
    remedy: SIGN,
    inTest: MOCK,
  },
  "authorization-not-of-root": {
    meaning:
      "Only a deeper call requires the authorization, which a simulation records on request alone.",
    remedy: "Simulate with authMode record_allow_nonroot.",
    inTest:
      "In the test, call `env.mock_all_auths_allowing_non_root_auth()`: the authorization is not that " +
      "of the first call.",
  },
  "authorization-refused": {
    meaning: "An account contract refused an authorization in its `__check_auth`.",
    remedy: "Ask the account contract's author what it requires.",
  },
  "authorization-reused": {
    meaning: "The nonce of an authorization was already used.",
    remedy: "Only if the call is to be made once more: simulate again, and sign the new entry.",
    isDoneByConflict: true,
  },
  "authorization-signature-invalid": {
    meaning: "The signature of an authorization is not valid for the key.",
    remedy: SIGN,
  },
  "authorization-signatures": {
    meaning: "The signatures of an authorization are missing, duplicated or out of order.",
    remedy: SIGN,
  },
  "authorization-unsigned": { meaning: "An authorization entry is not signed.", remedy: SIGN },
  "authorization-weight": {
    meaning: "The signatures of an authorization do not reach the account's threshold.",
    remedy: "Have more signers of the account sign.",
  },
  "authorization-wrong-signer": {
    meaning: "A key that is not a signer of the account signed an authorization.",
    remedy: "Have a signer of the account sign.",
  },
  "budget-exceeded": {
    inTest: BUDGET,
    meaning: "The transaction exhausted its instructions, memory or stack.",
    remedy:
      "Simulate again and declare what the simulation reports; if it fails too, make the call do less.",
    limit: "declared",
    isCost: true,
    inCode: true,
    isLeftOutUnsigned: true,
  },
  "bytes-length": {
    meaning: "Bytes or a string have the wrong length.",
    remedy: ARGUMENTS,
    inCode: true,
  },
  "code-missing": {
    meaning: "The contract's code is not on the ledger.",
    remedy: "Upload the code first, and add it to the footprint.",
  },
  "constructor-missing": {
    meaning: "The contract to create has no constructor that takes arguments.",
    remedy: "Create it without arguments.",
    inCode: true,
  },
  "constructor-result": {
    meaning: "A constructor returned a value.",
    remedy: "Make the constructor return nothing.",
    inCode: true,
  },
  "contract-action": {
    meaning: "A contract did something that the host does not allow there.",
    remedy: CONTRACT,
    inCode: true,
  },
  "contract-error": {
    inTest:
      "It is a unit test: the number's name is in the `#[contracterror]` enum of the contract that is " +
      "tested.",
    meaning: "A contract refused the call with an error of its own.",
    remedy: "Read the error's name and doc in the report, or in the contract's specification.",
    inCode: true,
    isOwnError: true,
  },
  "contract-exists": {
    meaning: "The contract to create already exists.",
    remedy: "Use the existing contract, or another salt.",
    isDoneByConflict: true,
  },
  "contract-missing": {
    meaning: "The called contract does not exist on this network.",
    remedy: "Check the address and the network, or deploy the contract.",
  },
  "contract-panic": {
    meaning:
      "The contract's code trapped: a panic, an overflow, a failed unwrap or an unreachable instruction.",
    remedy: SOURCE,
    inCode: true,
    argument: "is-usual",
    isOwnError: true,
  },
  "contract-re-entry": {
    meaning: "A contract called a contract that was already running.",
    remedy: "Do not call a contract that is still running. A contract cannot call itself either.",
    inCode: true,
  },
  "cpu-exceeded": {
    meaning: "The transaction used more CPU instructions than it declared.",
    remedy: phrase`Declare more instructions: ${FIND_FIX} finds how many.`,
    limit: "declared",
    isCost: true,
    inCode: true,
    isLeftOutUnsigned: true,
  },
  "crypto-error": {
    meaning: "A cryptographic check or input failed.",
    remedy: CRYPTO,
    inCode: true,
  },
  "crypto-input": {
    meaning: "A cryptographic function got an invalid key, signature or point.",
    remedy: "Check the encoding, length and order of the values.",
    inCode: true,
  },
  "deployment-invalid": { meaning: "A contract of that kind cannot be created in this way." },
  "entry-archived": {
    meaning: "An entry of the footprint is archived.",
    remedy: phrase`Restore it first: ${FIND_FIX} prints that transaction.`,
  },
  "entry-exists": {
    meaning: "The transaction created a ledger entry that already exists.",
    inCode: true,
  },
  "entry-size-exceeded": {
    meaning: "A ledger entry or contract code is larger than the network allows.",
    remedy: "Store less in one entry.",
    limit: "network",
  },
  "enum-case-unknown": {
    meaning: "A value is not a case of the enum that the contract expects.",
    remedy: ARGUMENTS,
    inCode: true,
  },
  "events-error": { meaning: "An event could not be emitted.", remedy: CONTRACT, inCode: true },
  "events-size-exceeded": {
    meaning: "Events and result are larger than the network allows.",
    remedy: "Emit fewer or smaller events, or return less.",
    limit: "network",
  },
  "executable-reference": {
    meaning: "A reference to a contract's code is used in a way that is not allowed.",
    inCode: true,
  },
  "footprint-miss": {
    meaning: "The transaction accessed a ledger entry that is not in its footprint.",
    remedy: SIMULATE,
    isLeftOutUnsigned: true,
  },
  "function-missing": {
    meaning: "The contract has no function of that name.",
    remedy: "Check the function's name and the contract's version.",
  },
  "host-context": { meaning: "The host could not continue in this context.", inCode: true },
  "host-error": {
    meaning: "The contract host reported an error that fits no other kind.",
    inCode: true,
  },
  "host-internal": {
    meaning: "The host reached a state that should be impossible.",
    remedy: "Report it to the maintainers of the network's software.",
  },
  "index-out-of-bounds": {
    meaning: "A contract accessed a position beyond the end of a vector, map or bytes.",
    remedy: "Check that lists and bytes are not empty or too short.",
    inCode: true,
  },
  "input-invalid": {
    meaning: "A value in the transaction is not valid for the host.",
    remedy: ARGUMENTS,
  },
  "insufficient-refundable-fee": {
    meaning: "The refundable fee does not cover rent and events.",
    remedy: "Declare the resource fee that a new simulation reports.",
  },
  "map-key-missing": {
    meaning: "A contract looked up a key that a map does not have.",
    remedy: "Check the arguments or the stored map.",
    inCode: true,
  },
  "memory-exceeded": {
    meaning: "The transaction used more memory than the network allows.",
    remedy: LESS,
    limit: "network",
    isCost: true,
    inCode: true,
  },
  "memory-out-of-bounds": {
    meaning: "A contract's code accessed something outside its memory.",
    remedy: SOURCE,
    inCode: true,
  },
  "missing-entry": {
    meaning: "The transaction read a ledger entry that does not exist or has expired.",
    remedy: "Check that the contract is initialized and that the entry has not expired.",
    inCode: true,
  },
  "not-a-contract": {
    meaning: "The called address belongs to an account, not to a contract.",
    remedy: "Use the address (C…) of the contract.",
    inCode: true,
  },
  "object-error": { meaning: "A contract misused a host object.", remedy: CONTRACT, inCode: true },
  "protocol-too-new": {
    meaning: "The code needs a host function that this protocol no longer has.",
    remedy: BUILD,
  },
  "protocol-too-old": {
    meaning: "The code needs a host function of a later protocol.",
    remedy: BUILD,
  },
  "read-bytes-exceeded": {
    meaning: "The transaction read more bytes from disk than it declared.",
    remedy: phrase`Declare more: ${FIND_FIX} finds how many.`,
    limit: "declared",
  },
  "reserved-function": {
    meaning: "A function was called that only the host may call.",
    remedy: "Call a function of the contract's interface.",
    inCode: true,
  },
  "resource-limit-exceeded": {
    meaning:
      "The transaction needed more of a resource than it declared, or than the network allows.",
    remedy: SIMULATE,
    limit: "declared",
  },
  "result-code": {
    meaning: "The result code of a failed operation is the cause: it has no diagnostics.",
    remedy: "Explain the code, such as op_underfunded.",
  },
  "signature-input": {
    meaning: "A public key or signature is malformed.",
    remedy: CRYPTO,
    inCode: true,
  },
  "signature-invalid": {
    meaning: "A signature is not valid for the public key and the message.",
    remedy: CRYPTO,
    inCode: true,
  },
  "stack-exhausted": {
    meaning: "Calls or values were nested until the stack was exhausted.",
    remedy: "Nest calls and recursion less deeply.",
    limit: "network",
    isCost: true,
    inCode: true,
  },
  "stale-close-time": {
    meaning:
      "The transaction was simulated for another close time, on which its footprint depends.",
    remedy: SIMULATE,
    isStale: true,
  },
  "stale-simulation": {
    meaning:
      "The footprint has another key than the one that was needed: what the key depends on, such as the state, changed after the simulation.",
    remedy: SIMULATE,
    isStale: true,
  },
  "storage-action": {
    meaning: "Storage was used in a way that is not allowed, such as a write to a read-only entry.",
    remedy: SIMULATE,
    inCode: true,
  },
  "storage-error": {
    meaning: "An access to a ledger entry failed.",
    remedy: SIMULATE,
    inCode: true,
  },
  "storage-input": {
    meaning: "An access to storage had an invalid input.",
    remedy: CONTRACT,
    inCode: true,
  },
  "symbol-invalid": {
    meaning: "A text is not a symbol: at most 32 letters, digits and underscores.",
    remedy: "Use a shorter text, or a string.",
    inCode: true,
  },
  "token-allowance": {
    meaning: "The allowance is too small, or has expired.",
    remedy: "Have the owner approve a larger allowance, or spend less.",
    hasAmounts: true,
  },
  "token-allowance-expiration": {
    meaning: "An allowance cannot be valid until that ledger.",
    remedy: "Approve with another expiration ledger.",
  },
  "token-amount": {
    meaning: "The amount is negative.",
    remedy: "Use an amount that is not negative.",
    hasAmounts: true,
  },
  "token-balance": {
    meaning: "The balance does not allow the amount.",
    remedy: "Add more of the asset to the account, or send less.",
    hasAmounts: true,
  },
  "token-clawback": {
    meaning: "The balance cannot be clawed back.",
    remedy: "The issuer must enable clawback before it issues the asset.",
  },
  "token-error": {
    meaning: "The Stellar asset contract refused the call.",
    remedy: "Read the error's name in the report.",
  },
  "token-frozen": {
    meaning: "The balance is frozen: its holder is not authorized.",
    remedy: "Ask the asset's issuer to authorize it.",
  },
  "token-overflow": {
    meaning: "An amount or balance would not fit its type.",
    remedy: "Use a smaller amount.",
  },
  "token-unsupported": {
    meaning: "The asset does not support this operation, or not for this account.",
  },
  trapped: { meaning: "The contract call failed, and the node reported no diagnostics." },
  "trustline-missing": {
    meaning: "An account has no trustline for the asset.",
    remedy: "Have the account open a trustline first.",
  },
  "ttl-extension": {
    meaning: "A contract extended a TTL with values that are not allowed.",
    remedy: CONTRACT,
    inCode: true,
  },
  unexplained: { meaning: "The node could not be asked why, or its answer shows no cause." },
  "value-error": {
    meaning: "A value is not what the host expects.",
    remedy: ARGUMENTS,
    inCode: true,
  },
  "value-invalid": {
    meaning: "A value cannot be turned into a host object.",
    remedy: ARGUMENTS,
    inCode: true,
  },
  "value-shape": {
    meaning: "A map or vector does not have the fields that the contract expects.",
    remedy: ARGUMENTS,
    inCode: true,
  },
  "value-too-deep": {
    meaning: "A value or the calls are nested too deeply, or a value is too large.",
    remedy: "Make values flatter or smaller.",
    inCode: true,
  },
  "value-too-large": {
    meaning: "A vector is longer than the host allows.",
    remedy: "Pass fewer elements.",
    inCode: true,
  },
  "value-type": { meaning: "A value has the wrong type.", remedy: ARGUMENTS, inCode: true },
  "wasm-error": { meaning: "A contract's code failed in the VM.", remedy: SOURCE, inCode: true },
  "wasm-invalid": { meaning: "The code is not wasm that the host accepts.", remedy: BUILD },
  "wasm-protocol": {
    meaning: "The code was built for another protocol, or does not declare its protocol.",
    remedy: BUILD,
  },
  "write-bytes-exceeded": {
    meaning: "The transaction wrote more bytes than it declared.",
    remedy: phrase`Declare more: ${FIND_FIX} finds how many.`,
    limit: "declared",
  },
  "internal-error": {
    meaning: "The contract host ended with an internal error, so nothing shows how the run ends.",
    remedy: "Report it to the maintainers of svc, with this transaction.",
    only: "run",
  },
  "answer-contradicts-itself": {
    meaning: "The node's answer has a status and a result that contradict each other.",
    remedy: "Ask another node.",
    only: "answer",
  },
  "request-refused": {
    meaning: "The node refused the request, with the words that are shown.",
    remedy: "Correct the request.",
    only: "answer",
  },
  "simulation-refused": {
    meaning: "The node did not simulate the transaction, for the reason that is shown.",
    remedy: "Correct the transaction.",
    only: "answer",
  },
  duplicate: {
    meaning: "The node already has this transaction in its queue.",
    remedy: "Do not send it again. Ask getTransaction with its hash until it is in a ledger.",
    only: "answer",
  },
  error: {
    meaning: "The node refused the transaction. Its errorResultXdr contains the result code.",
    remedy: phrase`Pass the node's whole answer, or its errorResultXdr, to ${svc("explain")}.`,
    only: "answer",
  },
  "not-found": {
    meaning:
      "The node does not have the transaction: no ledger has it yet, it was never included, or it is older than the ledgers that the node keeps.",
    remedy: phrase`If it was just sent, ask again until its time bounds have passed. Otherwise ${svc("debug", "run")} with its hash, which also asks Horizon and ledger lakes.`,
    only: "answer",
  },
  "try-again-later": {
    meaning:
      "The node did not accept the transaction into its queue: the queue is full, or it has another transaction of the same source account.",
    remedy:
      "Wait for the next ledger, about five seconds, and send the same envelope again. Send one transaction of an account at a time. If it happens again, bid a higher fee.",
    only: "answer",
  },
} as const satisfies Readonly<Record<string, CauseRow>>;

export type RefusalKind = keyof typeof REFUSALS;
export type CauseKind = RefusalKind | `fee-bump-${RefusalKind}` | keyof typeof OTHERS;

/** A fee-bump consists of two transactions. These are the refusals of the outer one. */
const FEE_BUMP_REFUSALS = Object.fromEntries(
  Object.entries(REFUSALS).map(([kind, row]) => [
    `fee-bump-${kind}`,
    { ...row, meaning: `The fee-bump transaction itself was refused. ${row.meaning}` },
  ]),
) as Readonly<Record<`fee-bump-${RefusalKind}`, CauseRow>>;

export const CAUSES: Readonly<Record<CauseKind, CauseRow>> = {
  ...REFUSALS,
  ...FEE_BUMP_REFUSALS,
  ...OTHERS,
};

/** Every kind of cause that a transaction on the chain can have, in alphabetical order. */
export const CHAIN_CAUSES: readonly CauseKind[] = Object.entries(CAUSES)
  .filter(([, { only }]) => only === undefined)
  .map(([kind]) => kind as CauseKind)
  .sort();

/** The kinds whose only evidence is a node's status. */
export const STATUS_CAUSES = [
  "duplicate",
  "error",
  "not-found",
  "try-again-later",
] as const satisfies readonly CauseKind[];
