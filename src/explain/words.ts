// Every word of svc's reports, for people who see one: verdicts, caveats, where state
// is known from, what was compared, kinds of fix and their proof. Their types make the tables
// complete.

import type { Wording } from "../base/phrase.ts";
import { CAUSES, type CauseKind, STATUS_CAUSES } from "../model/cause-kinds.ts";
import type { RecordPart } from "../model/chain-record.ts";
import type { Cause, CauseDetail, DecidedBy, NextStep } from "../model/explanation.ts";
import type { FixFinding, FixKind, FixProof } from "../model/fix.ts";
import type { FollowEvent } from "../model/follow.ts";
import { PROVENANCES } from "../model/provenance.ts";
import type { Caveat, Comparison, ComparisonSubject, VerdictKind } from "../model/verdict.ts";

/** The meaning, and the remedy if a report has no better one. */
type Words = readonly [meaning: string, remedy?: Wording];
type WordTable<Word extends string> = Readonly<Record<Word, Words>>;

const READ_ERROR_EVENT =
  "Look for the events whose first topic is `error`: they show the failure. Pass all events of the transaction.";

const VERDICTS: WordTable<VerdictKind> = {
  exact: [
    "The replay did byte by byte what the chain records, and no input was assumed. The report " +
      "holds for the chain. With a capsule, it holds as far as the capsule's claims are true.",
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

const CONFIDENCE: WordTable<Cause["confidence"]> = {
  known: ["The cause rests on the result code, or on a replay that did what the chain did."],
  likely: [
    "The cause is concluded from the evidence, or only a node reports it; something else is possible.",
  ],
};

const CAVEATS: WordTable<Caveat["kind"]> = {
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

const PROVENANCE: Readonly<Record<string, Words>> = Object.fromEntries(
  Object.entries(PROVENANCES).map(([kind, { meaning }]) => [kind, [meaning]]),
);

const RECORD: WordTable<RecordPart> = {
  result: ["The transaction's result: codes, fee charged, hash of return value and events."],
  "ledger-header": ["The header of the transaction's ledger, which validators sign."],
  meta: ["The changes by the transaction, with its events. No signature covers this."],
  "fee-changes": ["The changes by the fee and by its refund. No signature covers this."],
};

const SUBJECTS: WordTable<ComparisonSubject> = {
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

const COMPARED: WordTable<Comparison["result"]> = {
  equal: ["The chain and the replay have the same value."],
  different: ["The chain and the replay have different values."],
  unavailable: ["The chain record has nothing to compare with."],
};

const FIXES: WordTable<FixKind> = {
  restore: ["The fix first restores archived entries, in a transaction of its own."],
  footprint: ["The fix changes which ledger entries the transaction declares."],
  authorization: ["The fix changes authorization entries, which must be signed again."],
  instructions: ["The fix declares more CPU instructions."],
  "read-bytes": ["The fix declares more bytes to read from disk."],
  "write-bytes": ["The fix declares more bytes to write."],
  "resource-fee": ["The fix declares a higher resource fee."],
};

const FINDINGS: WordTable<Exclude<FixFinding, "changes">> = {
  "nothing-helps": [
    "svc tried the changes that it knows, and none of them makes the transaction succeed.",
  ],
  elsewhere: [
    "The cause is in the contract, its arguments or its state: no change of what the transaction declares helps.",
  ],
  done: [
    "There is no fix, because an earlier transaction has already done what the call does: do not send it again.",
  ],
  "not-tried": [
    "svc did not look for a fix: the state was not certain, or the search was turned off.",
  ],
};

const PROOFS: WordTable<FixProof["outcome"]> = {
  succeeds: ["The transaction ran with the fix, on the same state, and succeeded."],
  "fails-next": [
    "With the fix the first cause was gone, and the transaction failed for another cause.",
  ],
  recorded: [
    "The transaction succeeded with authorizations recorded instead of checked: a success with " +
      "signatures is not proven.",
  ],
  unproven: ["No run proves the fix."],
};

/** The kinds of cause; those of a node's statuses are listed with the statuses. */
const CAUSE_WORDS: Readonly<Record<string, Words>> = Object.fromEntries(
  Object.entries(CAUSES)
    .filter(([kind]) => !(STATUS_CAUSES as readonly string[]).includes(kind))
    .map(([kind, { meaning, remedy }]) => [
      kind,
      remedy === undefined ? [meaning] : [meaning, remedy],
    ]),
);

type Decided = DecidedBy["end"] | NonNullable<DecidedBy["proof"]>["outcome"];

/** How the call with the known deciding value ended, and what the proving run showed. */
const DECIDED: WordTable<Exclude<Decided, CauseKind | keyof typeof PROOFS>> = {
  stopped: ["The contract's code stopped: a panic, or an instruction that cannot be carried out."],
  returned: ["The contract's function returned an error."],
  fails: ["With this value alone changed, the transaction fails at another place."],
  "gets-past": [
    "With this value alone changed, the code gets past this place. What follows is only an effect of the " +
      "change, such as an entry that the footprint lacks.",
  ],
};

const DETAILS: WordTable<CauseDetail["kind"]> = {
  host: ["A message of the contract host about itself, for readers who check the cause."],
  method: ["How svc found a part of the cause."],
};

const NEXT_STEPS: WordTable<NextStep["kind"]> = {
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

const EVENTS: WordTable<FollowEvent["kind"]> = {
  failure: ["A transaction that is watched failed."],
  "failure-summary": [
    "A group of equal failures or differences continued. The event says how often and since when.",
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

/** The first topic of an event that the contract host itself reports. */
const TOPICS: Readonly<Record<string, Words>> = {
  fn_call: [
    "A contract's function was called. The next topics are the contract and the function; the data has the arguments.",
    READ_ERROR_EVENT,
  ],
  fn_return: [
    "A contract's function returned. The next topic is the function; the data is what it returned.",
    READ_ERROR_EVENT,
  ],
  "error event": [
    "The contract host, or a contract, reported an error. The text does not contain which one: JavaScript " +
      "prints nested values as `[Object]`.",
    "Print the events with `JSON.stringify`, or with `depth: null`, and pass all of them.",
  ],
  core_metrics: [
    "A count that stellar-core made while it ran the transaction, such as `cpu_insn`.",
  ],
  host_fn_failed: [
    "The operation that runs contracts failed. The event shows the error of the outermost call only.",
    READ_ERROR_EVENT,
  ],
};

/** The terms of docs/glossary.md. */
// biome-ignore format: a word is a line.
const TERMS: Readonly<Record<string, Words>> = {
  archived: ["A ledger entry whose TTL has ended. A transaction has to restore it before it can use it."],
  authorization: ["An address's permission for a contract call. The source account gives it by signing the transaction; other addresses sign an authorization entry."],
  bid: ["The most that a transaction offers to pay as its fee."],
  capsule: ["A file with a transaction and the state that it ran against: a replay without a network."],
  cause: ["Why the transaction failed: `known` if what svc checked proves it, otherwise `likely`."],
  caveat: ["A reason why the verdict is not `exact`."],
  conflict: ["Another transaction that changed an entry just before, without which this one succeeds."],
  "contract host": ["The part of the network's software that runs contracts. svc has the host of each protocol."],
  "diagnostic events": ["The host's record of a run: calls, errors, logs. No ledger has them, so a node can leave them out."],
  envelope: ["A transaction with its signatures, as it is sent; in base64."],
  evidence: ["Sentences that support the cause, the most important first."],
  fix: ["The smallest change with which the transaction succeeds, proven by a run."],
  footprint: ["The ledger entries that a transaction may read, and those that it may write."],
  headroom: ["What a fix declares beyond the least that succeeds, for a state that has changed meanwhile."],
  instructions: ["The network's measure of CPU work. Limits and fees are based on it."],
  state: ["What the ledger stores at one moment: accounts, trustlines, and the data and code of contracts."],
  ledger: ["A block: the transactions that the network applied together, about every 5 seconds."],
  "ledger entry": ["One thing that the ledger stores: an account, a trustline, a contract's data or code."],
  "ledger lake": ["A public archive of all ledgers. Nodes keep only recent ones."],
  node: ["A server that knows the network: Stellar RPC or Horizon."],
  "second-node": ["A further node, besides your own ones, which do not have the missing state."],
  nonce: ["A number that lets an authorization entry be used once. A transaction that fails does not use it up."],
  override: ["A value that you want different in a what-if run."],
  proven: ["A proven fix: exactly the envelope that svc prints ran on the same state, and succeeded. Proven state: validators signed it."],
  provenance: ["How svc knows the state of a ledger entry."],
  remedy: ["What you can do about the cause."],
  replay: ["svc runs the transaction again, on the state of that moment, and compares the result with the chain."],
  "resource fee": ["The part of the fee that pays for instructions, reads, writes and rent."],
  restore: ["To make an archived entry usable again, with a RestoreFootprint transaction."],
  RestoreFootprint: ["A transaction that makes the archived entries of its footprint usable again."],
  self: ["The cost of a call without the calls below it."],
  simulation: ["A run of a transaction that was not sent, on the latest ledger."],
  snapshot: ["The state just before the transaction, entry by entry."],
  stroop: ["The smallest amount: 0.0000001 XLM."],
  stroops: ["Each is 0.0000001 XLM."],
  TTL: ["Time to live: the last ledger in which an entry is live."],
  unconfirmed: ["Only a node or a capsule shows it, and no ledger that svc read confirms it."],
  verdict: ["How well the replay matches the chain: exact, equivalent, diverged or inconclusive."],
  "what if": ["A run of the transaction with overrides. It has no verdict, because it did not happen on chain."],
  XDR: ["The binary format of everything on Stellar; in base64."],
};

const PREPARATIONS: Readonly<Record<string, Words>> = {
  "account-created": [
    "The account that `svc call` calls as was not in the state, so svc created it for the run.",
  ],
  "balance-raised": [
    "The account that `svc call` calls as could not pay the fees, so svc raised its balance for the run.",
  ],
};

const STEPS: Readonly<Record<string, Words>> = {
  "code-upload": ["The upload of the contract's code failed, so svc did not make the call."],
  "contract-deployment": [
    "The deployment of the contract, or its constructor, failed, so svc did not make the call.",
  ],
  "earlier-call": ["A call before the last one failed, so svc did not make the last one."],
};

/** The kind of the words for topics. */
export const TOPIC_KIND = "topic of a diagnostic event";
/** The kind of the words for causes. */
export const OF_CAUSES = "kind of cause";

export const WORDS: readonly (readonly [kind: string, words: Readonly<Record<string, Words>>])[] = [
  ["verdict of svc", VERDICTS],
  [TOPIC_KIND, TOPICS],
  ["confidence of a cause", CONFIDENCE],
  ["caveat of a verdict", CAVEATS],
  ["source of an entry", PROVENANCE],
  ["part of a chain record", RECORD],
  ["compared part", SUBJECTS],
  ["result of a comparison", COMPARED],
  ["part of a fix", FIXES],
  ["finding of a fix", FINDINGS],
  ["proof of a fix", PROOFS],
  ["detail of a cause", DETAILS],
  ["word of a deciding value", DECIDED],
  ["next step", NEXT_STEPS],
  ["step of a made call", STEPS],
  ["preparation of a call", PREPARATIONS],
  [OF_CAUSES, CAUSE_WORDS],
  ["event of following", EVENTS],
  ["word of svc", TERMS],
];
