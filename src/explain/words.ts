// Every word of svc's reports, for people who see one: kinds of cause, verdicts, caveats, where state
// is known from, what was compared, kinds of fix and their proof. Their types make the tables
// complete.

import type { Cause, CauseDetail, DecidedBy, NextStep } from "../model/explanation.ts";
import type { FixKind, FixProof } from "../model/fix.ts";
import type { FollowEvent } from "../model/follow.ts";
import type { ProvenanceKind } from "../model/snapshot.ts";
import type { Caveat, Comparison, ComparisonSubject, VerdictKind } from "../model/verdict.ts";

/** What it means, and what to do where a report does not say that better. */
type Words = readonly [meaning: string, remedy?: string];
type Table<Word extends string> = Readonly<Record<Word, Words>>;

const VERDICTS: Table<VerdictKind> = {
  exact: [
    "The replay did byte by byte what the chain records, and no input of it was assumed. What the " +
      "report says holds for the chain.",
    "Nothing.",
  ],
  equivalent: [
    "The replay had the same result, events and changes as the chain, but an input was assumed or " +
      "something could not be compared. The caveats list each.",
    "Read the caveats. Another RPC node, or a ledger lake, often has what is missing.",
  ],
  diverged: [
    "The replay differs from the chain. The chain is right: the report shows the first difference " +
      "and, if it is known, why.",
    "Look at the likely cause. If the state was complete, report the transaction as a fault of svc.",
  ],
  inconclusive: [
    "A part of the state that the transaction read is unknown, so the replay proves nothing either " +
      "way. The caveats name the parts.",
    "Ask an RPC node or a ledger lake that still has the ledgers around the transaction.",
  ],
};

const CONFIDENCE: Table<Cause["confidence"]> = {
  known: ["The cause rests on the result code, or on a replay that did what the chain did."],
  likely: [
    "The cause is concluded from the evidence, or only a node reports it; something else is possible.",
  ],
};

const CAVEATS: Table<Caveat["kind"]> = {
  assumed: ["A value that no source had was filled in, so the verdict is not `exact`."],
  unknown: ["No source had this input, so the verdict is `inconclusive`."],
  metering: ["The replay's count of instructions or memory differs from the node's."],
  diagnostics: [
    "The node's diagnostic events differ from those of the replay. No hash covers them.",
  ],
  events: ["Events could not be compared in full."],
  "not-compared": [
    "The chain record lacks a part, so the replay's part has nothing to be compared with.",
  ],
};

const PROVENANCE: Table<ProvenanceKind> = {
  meta: ["The transaction's own meta shows the entry as it was just before."],
  "same-ledger": ["An earlier transaction of the same ledger left the entry like this."],
  "rpc-unchanged": [
    "A node shows the entry today, last modified before the transaction, or a capsule has it. No " +
      "ledger confirms it.",
  ],
  "ledger-scan": ["The changes of other ledgers, before or after this one, show the entry."],
  "history-archive": ["A history archive shows the entry, in a state that validators signed."],
  "archive-replay": [
    "Replays of the transactions since a checkpoint of a history archive left the entry like this.",
  ],
  "code-file": ["Contract code from a file of the user, identified by its hash."],
  archive: ["The entry was restored from the archive."],
  capsule: ["The entry is from a capsule, which somebody captured earlier."],
  assumed: ["No source proves the entry: the verdict is at most `equivalent`."],
};

const SUBJECTS: Table<ComparisonSubject> = {
  "transaction-result": ["Compared: the result of the transaction."],
  "operation-result": ["Compared: the result code of the operation."],
  "success-hash": ["Compared: the hash of return value and events, which is in the result."],
  "return-value": ["Compared: what the contract call returned."],
  events: ["Compared: the events that contracts emitted."],
  "ledger-change": ["Compared: each change of a ledger entry."],
  "fee-charged": ["Compared: the fee that was charged in all."],
  "resource-fee": ["Compared: the part of the fee that pays for resources."],
  refund: ["Compared: the refund of the resource fee."],
  "fee-events": ["Compared: the events with which the network reports fees."],
  "core-metric": ["Compared: a count that the node reports beside the chain, such as cpu_insn."],
  "diagnostic-error": ["Compared: the error in the node's diagnostic events."],
  "diagnostic-events": ["Compared: the node's diagnostic events."],
};

const COMPARED: Table<Comparison["result"]> = {
  equal: ["The chain and the replay have the same value."],
  different: ["The chain and the replay have different values."],
  unavailable: ["The chain record has nothing to compare with."],
};

const FIXES: Table<FixKind> = {
  restore: ["The fix first restores archived entries, in a transaction of its own."],
  footprint: ["The fix changes which ledger entries the transaction declares."],
  authorization: ["The fix changes authorization entries, which must be signed again."],
  instructions: ["The fix declares more CPU instructions."],
  "read-bytes": ["The fix declares more bytes to read from disk."],
  "write-bytes": ["The fix declares more bytes to write."],
  "resource-fee": ["The fix declares a higher resource fee."],
};

const PROOFS: Table<FixProof["outcome"]> = {
  succeeds: ["The transaction ran with the fix, on the same state, and succeeded."],
  "fails-next": ["With the fix the first cause was gone, and the transaction failed for another."],
  recorded: [
    "The transaction succeeded with authorizations recorded instead of checked: a success with " +
      "signatures is not proven.",
  ],
  unproven: ["No run proves the fix."],
};

type Decided = DecidedBy["end"] | NonNullable<DecidedBy["proof"]>["outcome"];

/** How the call ended whose deciding value is known, and what the run showed that proves it. */
const DECIDED: Table<Exclude<Decided, keyof typeof CAUSES | keyof typeof PROOFS | "error">> = {
  stopped: ["The contract's code stopped: a panic, or an instruction that cannot be carried out."],
  returned: ["The contract's function returned an error."],
  fails: ["With this value alone changed, the transaction fails at another place."],
  "gets-past": [
    "With this value alone changed, the code gets past this place. What comes then is only about the " +
      "change, such as an entry that the footprint lacks.",
  ],
};

const DETAILS: Table<CauseDetail["kind"]> = {
  host: ["A message of the contract host about itself, for readers who check the cause."],
  method: ["How svc found a part of the cause."],
};

const NEXT_STEPS: Table<NextStep["kind"]> = {
  "print-fix": ["The command prints the fixed transaction."],
  "source-line": ["The command shows the line of the contract's source, with a debug build of it."],
  "what-if-argument": ["The command runs the transaction again with another argument."],
  "what-if-state": [
    "The command runs the transaction again with another entry, or in a ledger of another time.",
  ],
  "what-if-code": ["The command runs the transaction again with another build of the contract."],
  profile: ["The command shows where the instructions went."],
  "other-sources": ["The command asks other nodes for what is missing."],
  comparisons: ["The command shows each comparison with the chain."],
  trace: ["The command shows the calls with their storage, events and errors."],
  "error-name": ["The command reads the error's name from the contract as it is today."],
};

const EVENTS: Table<FollowEvent["kind"]> = {
  failure: ["A transaction that is watched failed."],
  "failure-summary": [
    "A group of equal failures, or differences, went on: how often, and since when.",
  ],
  diverged: ["The replay of a followed transaction differs from the chain."],
  inconclusive: ["A followed transaction could not be compared: state that it read is unknown."],
  equivalent: ["The replay of a followed transaction matches the chain, with caveats."],
  "state-mismatch": ["An entry has another value than earlier ledgers recorded."],
  rehearsal: ["Under the protocol that is rehearsed, the transaction would have another outcome."],
  success: ["A transaction that is watched succeeded."],
  "ledgers-skipped": [
    "Ledgers were left out to catch up with the network: nothing of them was verified.",
  ],
};

/** As docs/glossary.md has them. */
// biome-ignore format: a word is a line.
const TERMS: Readonly<Record<string, Words>> = {
  archived: ["A ledger entry whose TTL has ended. A transaction has to restore it before it can use it."],
  authorization: ["Permission of an address for a contract call: the source account gives it by signing the transaction, others by signing an authorization entry."],
  bid: ["The most that a transaction offers to pay as its fee."],
  capsule: ["A file with a transaction and the state that it ran against: a replay without a network."],
  cause: ["Why the transaction failed: `known` if what svc checked proves it, otherwise `likely`."],
  caveat: ["A reason why the verdict is not `exact`."],
  conflict: ["Another transaction that changed an entry just before, without which this one succeeds."],
  "contract host": ["The part of the network's software that runs contracts. svc has the host of each protocol."],
  "diagnostic events": ["What the host recorded while it ran: calls, errors, logs. No ledger has them, so a node can leave them out."],
  envelope: ["A transaction with its signatures, as it is sent; in base64."],
  evidence: ["Sentences that support the cause, the most important first."],
  fix: ["The smallest change with which the transaction succeeds, proven by a run."],
  footprint: ["The ledger entries that a transaction may read, and those that it may write."],
  headroom: ["What a fix declares beyond the least that succeeds, for a state that has changed meanwhile."],
  instructions: ["The network's measure of CPU work. Limits and fees are based on it."],
  ledger: ["A block: the transactions that the network applied together, about every 5 seconds."],
  "ledger entry": ["One thing that the ledger stores: an account, a trustline, a contract's data or code."],
  "ledger lake": ["A public archive of all ledgers. Nodes keep only recent ones."],
  nonce: ["A number that lets an authorization entry be used once. A transaction that fails does not use it up."],
  override: ["A value that you want different in a what-if run."],
  proven: ["Of a fix: exactly the envelope that svc prints ran on the same state, and succeeded. Of state: it is in what validators signed."],
  provenance: ["How svc knows the state of a ledger entry."],
  remedy: ["What you can do about the cause."],
  replay: ["svc runs the transaction again, on the state of that moment, and compares the result with the chain."],
  "resource fee": ["The part of the fee that pays for instructions, reads, writes and rent."],
  restore: ["To make an archived entry usable again, with a RestoreFootprint transaction."],
  RestoreFootprint: ["A transaction that makes the archived entries of its footprint usable again."],
  self: ["What a call cost without the calls below it."],
  simulation: ["A run of a transaction that was not sent, on the latest ledger."],
  snapshot: ["The state just before the transaction, entry by entry."],
  stroop: ["The smallest amount: 0.0000001 XLM."],
  stroops: ["Each is 0.0000001 XLM."],
  TTL: ["Time to live: the last ledger in which an entry is live."],
  unconfirmed: ["State that only a node reported; no ledger that svc read confirms it."],
  verdict: ["How well the replay matches the chain: exact, equivalent, diverged or inconclusive."],
  "what if": ["A run of the transaction with overrides. It has no verdict, because it did not happen on chain."],
  XDR: ["The binary format of everything on Stellar; in base64."],
};

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
const LESS = "Do less in one transaction: the network sets this limit.";
const SOURCE =
  "Look at the named function in the contract; a debug build as `--wasm FILE` gives the line.";

/** Every kind of cause that a transaction on the chain can have. */
// biome-ignore format: a kind is a line.
export const CAUSES = {
  "account-missing": ["An account does not exist.", "Create the account first, or check the network."],
  "account-reserve": ["An account's XLM does not cover the reserve of its entries.", "Add XLM to the account."],
  "account-subentries": ["An account has the maximum number of subentries.", "Remove trustlines, offers, signers or data of it."],
  "address-invalid": ["A text is not a Stellar address.", "Pass the full address: G…, C… or M…."],
  "address-kind": ["An address is of a kind that is not allowed there.", "Pass an account's (G…) or a contract's (C…) address."],
  "argument-count": ["The function was called with the wrong number of arguments.", ARGUMENTS],
  "argument-type": ["An argument does not have the type that the function declares.", ARGUMENTS],
  "arithmetic-overflow": ["A number did not fit its type, or a division by zero was tried.", AMOUNTS],
  "asset-invalid": ["The asset of a contract to create is not valid.", "Use an asset code of 1 to 12 letters and digits."],
  "authorization-delegate": ["A delegated signature is missing, duplicated or out of order.", "Have every delegate sign once, in the order of their addresses."],
  "authorization-expiration": ["An authorization is valid for longer than the network allows.", "Sign it with an earlier expiration ledger."],
  "authorization-expired": ["An authorization had expired when it was used.", SIGN],
  "authorization-failed": ["Authorization failed, for a reason that the host did not report.", SIGN],
  "authorization-invalid": ["An authorization entry is not valid: it expired, or its signature is wrong.", SIGN],
  "authorization-mismatch": ["The address signed a different call than the one that was made.", SIGN],
  "authorization-missing": ["A call requires the authorization of an address that gave none for it.", SIGN],
  "authorization-not-of-root": ["Only a deeper call requires the authorization, which a simulation records on request alone.", "Simulate with authMode record_allow_nonroot."],
  "authorization-refused": ["An account contract refused an authorization in its `__check_auth`.", "Ask the account contract's author what it requires."],
  "authorization-reused": ["The nonce of an authorization was already used.", "Only if the call is to be made once more: simulate again, and sign the new entry."],
  "authorization-signature-invalid": ["The signature of an authorization is not valid for the key.", SIGN],
  "authorization-signatures": ["The signatures of an authorization are missing, duplicated or out of order.", SIGN],
  "authorization-unsigned": ["An authorization entry is not signed.", SIGN],
  "authorization-weight": ["The signatures of an authorization do not reach the account's threshold.", "Have more signers of the account sign."],
  "authorization-wrong-signer": ["A key that is not a signer of the account signed an authorization.", "Have a signer of the account sign."],
  "bad-auth": ["The transaction's signatures are too few or not valid, or for another network.", "Sign with keys of that account, for this network's passphrase."],
  "bad-auth-extra": ["The transaction has a signature that is not needed.", "Remove the signatures that no account of it needs."],
  "bad-sequence": ["The sequence number is not the source account's next one.", "Read the account's sequence number again, and sign with the next one."],
  "budget-exceeded": ["The transaction exhausted its instructions, memory or stack.", "Simulate again and declare what the simulation reports; if it fails too, make the call do less."],
  "bytes-length": ["Bytes or a string have the wrong length.", ARGUMENTS],
  "code-missing": ["The contract's code is not on the ledger.", "Upload the code first, and add it to the footprint."],
  "constructor-missing": ["The contract to create has no constructor that takes arguments.", "Create it without arguments."],
  "constructor-result": ["A constructor returned a value.", "Make the constructor return nothing."],
  "contract-action": ["A contract did something that the host does not allow there.", CONTRACT],
  "contract-error": ["A contract refused the call with an error of its own.", "Read the error's name and doc in the report, or in the contract's specification."],
  "contract-exists": ["The contract to create already exists.", "Use the existing contract, or another salt."],
  "contract-missing": ["The called contract does not exist on this network.", "Check the address and the network, or deploy the contract."],
  "contract-panic": ["The contract's code trapped: a panic, an overflow, a failed unwrap or an unreachable instruction.", SOURCE],
  "contract-re-entry": ["A contract called a contract that was already running.", "Do not call a contract that is still running. A contract cannot call itself either."],
  "cpu-exceeded": ["The transaction used more CPU instructions than it declared.", "Declare more instructions: `svc debug <hash> --fix` finds how many."],
  "crypto-error": ["A cryptographic check or input failed.", CRYPTO],
  "crypto-input": ["A cryptographic function got an invalid key, signature or point.", "Check the encoding, length and order of the values."],
  "deployment-invalid": ["A contract of that kind cannot be created in this way."],
  "entry-archived": ["An entry of the footprint is archived.", "Restore it first: `svc debug <hash> --fix` prints that transaction."],
  "entry-exists": ["The transaction created a ledger entry that already exists."],
  "entry-size-exceeded": ["A ledger entry or contract code is larger than the network allows.", "Store less in one entry."],
  "enum-case-unknown": ["A value is not a case of the enum that the contract expects.", ARGUMENTS],
  "events-error": ["An event could not be emitted.", CONTRACT],
  "events-size-exceeded": ["Events and result are larger than the network allows.", "Emit fewer or smaller events, or return less."],
  "executable-reference": ["A reference to a contract's code is used in a way that is not allowed.", ],
  "footprint-miss": ["The transaction accessed a ledger entry that is not in its footprint.", SIMULATE],
  "function-missing": ["The contract has no function of that name.", "Check the function's name and the contract's version."],
  "host-context": ["The host could not continue in this context."],
  "host-error": ["The contract host reported an error that fits no other kind."],
  "host-internal": ["The host reached a state that should be impossible.", "Report it to the maintainers of the network's software."],
  "index-out-of-bounds": ["A contract accessed a position beyond the end of a vector, map or bytes.", "Check that lists and bytes are not empty or too short."],
  "input-invalid": ["A value in the transaction is not valid for the host.", ARGUMENTS],
  "insufficient-balance": ["The fee would take the source account below its reserve.", "Add XLM to the account, or have another pay with a fee-bump."],
  "insufficient-fee": ["The fee bid is below what the network required.", "Bid a higher fee."],
  "insufficient-refundable-fee": ["The refundable fee does not cover rent and events.", "Declare the resource fee that a new simulation reports."],
  "map-key-missing": ["A contract looked up a key that a map does not have.", "Check the arguments or the stored map."],
  "memory-exceeded": ["The transaction used more memory than the network allows.", LESS],
  "memory-out-of-bounds": ["A contract's code accessed something outside its memory.", SOURCE],
  "missing-entry": ["The transaction read a ledger entry that does not exist or has expired.", "Check that the contract is initialized and that the entry has not expired."],
  "not-a-contract": ["The called address belongs to an account, not to a contract.", "Use the address (C…) of the contract."],
  "object-error": ["A contract misused a host object.", CONTRACT],
  "protocol-too-new": ["The code needs a host function that this protocol no longer has.", BUILD],
  "protocol-too-old": ["The code needs a host function of a later protocol.", BUILD],
  "read-bytes-exceeded": ["The transaction read more bytes from disk than it declared.", "Declare more: `svc debug <hash> --fix` finds how many."],
  refused: ["The network refused the transaction before any of its operations ran.", "Explain the result code that the report shows, such as txBadSeq."],
  "reserved-function": ["A function was called that only the host may call.", "Call a function of the contract's interface."],
  "resource-limit-exceeded": ["The transaction needed more of a resource than it declared, or than the network allows.", SIMULATE],
  "result-code": ["The result code of a failed operation is the cause: it has no diagnostics.", "Explain the code, such as op_underfunded."],
  "signature-input": ["A public key or signature is malformed.", CRYPTO],
  "signature-invalid": ["A signature is not valid for the public key and the message.", CRYPTO],
  "stack-exhausted": ["Calls or values were nested until the stack was exhausted.", "Nest calls and recursion less deeply."],
  "stale-close-time": ["The transaction was simulated for another close time, on which its footprint depends.", SIMULATE],
  "stale-simulation": ["The footprint has another key than the one that was needed: what the key depends on, such as the state, changed after the simulation.", SIMULATE],
  "storage-action": ["Storage was used in a way that is not allowed, such as a write to a read-only entry.", SIMULATE],
  "storage-error": ["An access to a ledger entry failed.", SIMULATE],
  "storage-input": ["An access to storage had an invalid input.", CONTRACT],
  "symbol-invalid": ["A text is not a symbol: at most 32 letters, digits and underscores.", "Use a shorter text, or a string."],
  "token-allowance": ["The allowance is too small, or has expired.", "Have the owner approve a larger allowance, or spend less."],
  "token-allowance-expiration": ["An allowance cannot be valid until that ledger.", "Approve with another expiration ledger."],
  "token-amount": ["The amount is negative.", "Use an amount that is not negative."],
  "token-balance": ["The balance does not allow the amount.", "Add more of the asset to the account, or send less."],
  "token-clawback": ["The balance cannot be clawed back.", "The issuer must enable clawback before it issues the asset."],
  "token-error": ["The Stellar asset contract refused the call.", "Read the error's name in the report."],
  "token-frozen": ["The balance is frozen: its holder is not authorized.", "Ask the asset's issuer to authorize it."],
  "token-overflow": ["An amount or balance would not fit its type.", "Use a smaller amount."],
  "token-unsupported": ["The asset does not support this operation, or not for this account."],
  "too-early": ["The ledger closed before the transaction's earliest time or ledger.", "Send the transaction again later."],
  "too-late": ["The ledger closed after the transaction's latest time or ledger.", "Build it again with a later time bound, and send it immediately."],
  trapped: ["The contract call failed, and the node reported no diagnostics."],
  "trustline-missing": ["An account has no trustline for the asset.", "Have the account open a trustline first."],
  "ttl-extension": ["A contract extended a TTL with values that are not allowed.", CONTRACT],
  unexplained: ["The node could not be asked why, or its answer shows no cause."],
  "value-error": ["A value is not what the host expects.", ARGUMENTS],
  "value-invalid": ["A value cannot be turned into a host object.", ARGUMENTS],
  "value-shape": ["A map or vector does not have the fields that the contract expects.", ARGUMENTS],
  "value-too-deep": ["A value or the calls are nested too deeply, or a value is too large.", "Make values flatter or smaller."],
  "value-too-large": ["A vector is longer than the host allows.", "Pass fewer elements."],
  "value-type": ["A value has the wrong type.", ARGUMENTS],
  "wasm-error": ["A contract's code failed in the VM.", SOURCE],
  "wasm-invalid": ["The code is not wasm that the host accepts.", BUILD],
  "wasm-protocol": ["The code was built for another protocol, or does not declare its protocol.", BUILD],
  "write-bytes-exceeded": ["The transaction wrote more bytes than it declared.", "Declare more: `svc debug <hash> --fix` finds how many."],
} as const satisfies Readonly<Record<string, Words>>;

/** In the order of the alphabet. */
export const CAUSE_KINDS: readonly string[] = Object.keys(CAUSES).sort();

/** Kinds of cause of what a node answers, which no transaction on the chain has. */
const ANSWERED: Readonly<Record<string, Words>> = {
  "answer-contradicts-itself": [
    "The node's answer has a status and a result that contradict each other.",
    "Ask another node.",
  ],
  "request-refused": [
    "The node refused the request, with the words that are shown.",
    "Correct the request.",
  ],
  "simulation-refused": [
    "The node did not simulate the transaction, for the reason that is shown.",
    "Correct the transaction.",
  ],
};

export const WORDS: readonly (readonly [kind: string, words: Readonly<Record<string, Words>>])[] = [
  ["verdict of svc", VERDICTS],
  ["confidence of a cause", CONFIDENCE],
  ["caveat of a verdict", CAVEATS],
  ["source of an entry", PROVENANCE],
  ["compared part", SUBJECTS],
  ["result of a comparison", COMPARED],
  ["part of a fix", FIXES],
  ["proof of a fix", PROOFS],
  ["detail of a cause", DETAILS],
  ["word of a deciding value", DECIDED],
  ["next step", NEXT_STEPS],
  ["kind of cause", { ...CAUSES, ...ANSWERED }],
  ["event of following", EVENTS],
  ["word of svc", TERMS],
];
