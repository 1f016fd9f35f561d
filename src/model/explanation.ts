// An Explanation is what a reader sees: the outcome in one sentence, the cause, and every XDR value
// of the investigation as readable text. Renderers draw it and do not read XDR themselves.
// Invariant: all text that came from the chain has been neutralised and can be printed unchanged.

import type { Wording } from "../base/phrase.ts";
import type {
  NamedAuthorization,
  NamedInvocation,
  RequiredAuthorizations,
} from "./authorizations.ts";
import type { CauseKind } from "./cause-kinds.ts";
import type { HostCall } from "./execution.ts";
import type { StatedOverride } from "./overrides.ts";
import type { ProvenanceKind } from "./provenance.ts";
import type {
  FoundWrite,
  NumberRange,
  Origin,
  OtherValue,
  RecordedProof,
  Term,
  Why,
} from "./why.ts";

/** Why the transaction ended as it did. */
export interface Cause {
  /** Stable name for machines: `contract-error`, `budget-exceeded`, `entry-archived`, … */
  readonly kind: CauseKind;
  /** One or two sentences. */
  readonly summary: string;
  /** `known`: stated by the result or by the host's messages. `likely`: concluded from them. */
  readonly confidence: "known" | "likely";
  /** Present for `stale-simulation` and `stale-close-time`. */
  readonly keys?: StaleKeys;
}

/** The summary, or another sentence about the cause, marked where it is only likely. */
export function causeInWords(
  { confidence, summary }: Pick<Cause, "confidence" | "summary">,
  sentence = summary,
): string {
  return confidence === "likely" ? `Likely cause: ${sentence}` : sentence;
}

/** A value that decided: where it came from, and what it was made of. */
export interface DecidingTerm
  extends Pick<
    Term,
    "kind" | "valueXdr" | "number" | "index" | "keyXdr" | "durability" | "operator"
  > {
  /** Such as `order.tokens[0]`, with backticks where it is a name in code; null: it has none. */
  readonly name: string | null;
  /** `argument 1`, `persistent storage`; empty: its name says it. */
  readonly origin: string;
  /** The value as text; null if the term is not a value of its own. */
  readonly value: string | null;
  /** The words for it in the summary; null if no words are for it alone. */
  readonly text: string | null;
  /** Name of the field, of the ledger's fact, or of the function that was called. */
  readonly part?: string;
  /** Key of the entry or in the map. */
  readonly key?: string;
  /** The contract that was called. */
  readonly contract?: string;
  readonly of: readonly DecidingTerm[];
  /** The origin: the same value in the contract call that gave it. */
  readonly givenBy?: Omit<Origin, "term"> & { readonly term: DecidingTerm };
}

export interface DecidingCondition {
  /** A clause, without a full stop. */
  readonly text: string;
  readonly relation: string;
  readonly type?: string;
  readonly values?: readonly string[];
  readonly terms: readonly DecidingTerm[];
}

/** The transaction that last wrote something stored that decided, as its ledger shows it. */
export interface DecidingWrite
  extends Pick<
    FoundWrite,
    "of" | "contract" | "transactionHash" | "ledger" | "applicationOrder" | "call" | "repeats"
  > {
  /** One sentence. */
  readonly text: string;
  /** The key (ScVal) in the contract's storage. */
  readonly keyXdr: string | null;
  /** The value as text. Null: there was none, or it is not a value that changed. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A part of the summary of a deciding value. */
export interface SummaryPart {
  readonly text: string;
  /**
   * The terms whose words this is a part of, those with the most words first. Each is the number of
   * the term among all terms of the conditions, of `because` and of the refused call, where a term
   * is followed by those of `of` and by that of `givenBy`.
   */
  readonly terms: readonly number[];
}

/** The value that decided that a contract's code failed. */
export interface DecidedBy {
  /** One sentence, and a second one if it is proven. */
  readonly summary: string;
  /** The first of these sentences. It is not in the JSON report. */
  readonly firstSentence: string;
  /** The summary again, in parts that know their terms. It is not in the JSON report. */
  readonly parts: readonly SummaryPart[];
  /** `known`: proven, on a state of which ledgers show all that it rests on. */
  readonly confidence: "known" | "likely";
  readonly contract: string | null;
  readonly function: string;
  /** A trap, `fail_with_error`, a returned error, a call that the host refused. */
  readonly end: Why["end"];
  /** True if the code fails there with any arguments: there is no condition. */
  readonly always: boolean;
  /** Conditions that all held. */
  readonly conditions: readonly DecidingCondition[];
  /** The reasons why a number that was compared is a default. */
  readonly because: readonly DecidingCondition[];
  /** The call that the host refused; null: none. */
  readonly refused: {
    /** Name of the host function. */
    readonly function: string;
    /** For a storage function the entry, with the terms of which its key was made. */
    readonly arguments: readonly DecidingTerm[];
    /** `time`, `sequence`, `random`, `state`, `arguments`: of what the arguments were computed. */
    readonly restsOn: readonly string[];
    /** Other sources that may have decided that the call was made, and with these arguments. */
    readonly decidedOn: readonly string[];
    /** True if `restsOn` and `decidedOn` have all sources. */
    readonly complete: boolean;
  } | null;
  /** A run in which this value alone was changed, to the nearest one that leads elsewhere. */
  readonly proof: {
    readonly name: string;
    /** Position of the argument of the transaction's own call; null: another value. */
    readonly argument: number | null;
    readonly kind: "argument" | "storage" | "ledger";
    /** The contract and the function that have the value. */
    readonly contract: string | null;
    readonly function: string;
    readonly was: string;
    /** The ledger that last wrote the entry with the value; null: the value is in no entry. */
    readonly lastWrittenLedger: number | null;
    readonly value: string;
    /** That value, and the number in whose place it was, as data. The JSON report has neither. */
    readonly other: OtherValue;
    /** In decimal digits. */
    readonly wasNumber: string | null;
    /** Values for which the condition is otherwise; only `value` was run. Null: any but `was`. */
    readonly range: NumberRange | null;
    readonly outcome: "succeeds" | "fails" | "gets-past";
    /** The error of that run. */
    readonly error: string | null;
    readonly text: string;
    /** Null: the run had the authorizations and the footprint that were sent. */
    readonly recorded: RecordedProof | null;
    /** The same change, for a run that records nothing. */
    readonly override: StatedOverride;
  } | null;
  /** Who last wrote the stored values; empty if no ledger that svc read shows it. */
  readonly writes: readonly DecidingWrite[];
  /** The deciding branch: number of the contract call, hash of its code, address in it. */
  readonly branch: Pick<Why, "frame" | "code" | "address" | "count" | "taken">;
}

/**
 * A detail for readers who check the cause: `host` is a message of the host, `method` says how svc
 * found it.
 */
export interface CauseDetail {
  readonly kind: "host" | "method";
  /** One sentence. */
  readonly text: string;
}

/** What leads on, as data: each audience has its own phrase for it. */
export type NextStep = NextRun & {
  /** The purpose as an instruction: `Show the source line`. */
  readonly purpose: string;
};

/** What the user does. `kind` is a stable name for machines. */
export type NextRun =
  | {
      readonly kind: "print-fix" | "source-line" | "profile" | "comparisons" | "trace";
    }
  | {
      readonly kind: "what-if-argument" | "what-if-state" | "what-if-code";
      readonly override: StatedOverride;
      /** The user puts in a value, or its name too: the override has words in its place. */
      readonly isOpen?: true;
    }
  /** `second-node`: beside the user's own, which do not have the state. */
  | { readonly kind: "other-sources"; readonly source: "code" | "node" | "second-node" }
  /** The contract has the error's own name. */
  | { readonly kind: "error-name"; readonly text: string; readonly contract: string };

/** LedgerKeys that differ in a number only. */
export interface StaleKeys {
  /** The accessed key. Whether it is temporary is taken from the other one. */
  readonly askedXdr: string;
  /** The key that the footprint has instead. */
  readonly footprintXdr: string;
}

export interface TransactionFacts {
  readonly sourceAccount: string;
  /** Account (G…) of a Soroban operation that has a source of its own; null: the transaction's. */
  readonly operationSource: string | null;
  readonly feeSource: string;
  readonly feeBump: boolean;
  /** XDR names, e.g. `invokeHostFunction`. */
  readonly operations: readonly string[];
  /** XDR name of the outermost result code, e.g. `txFailed`. */
  readonly resultCode: string;
  /** Codes of the (inner) transaction's operations; empty when none ran. */
  readonly operationCodes: readonly string[];
}

/** One invocation with values as text. */
export interface NamedCall {
  readonly kind: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly arguments: readonly string[];
  /** One per argument, from the contract's specification; null when it has no names for them. */
  readonly argumentNames: readonly string[] | null;
  /** Null when it did not return. */
  readonly result: string | null;
  readonly failed: boolean;
  /** Totals: this call and all calls below it. */
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
  /** Self cost: without the calls below it, with its host calls. */
  readonly selfCpuInstructions: string;
  readonly selfMemoryBytes: string;
  /** Why it failed; null when it did not, and when that is unknown. */
  readonly error: FrameError | null;
  readonly calls: readonly NamedCall[];
  /** Host calls in the order they were made; absent if they were not recorded. */
  readonly hostCalls?: readonly NamedHostCall[];
  /** Number of host calls that were not recorded, because there were too many. */
  readonly hostCallsLeftOut?: number;
  /** Everything that the call did, in order. */
  readonly steps: readonly NamedStep[];
}

/** The error that a call ended with. */
export interface FrameError {
  /** `LabError::NotFound (#1)`, `Error(Storage, MissingValue)`. */
  readonly error: string;
  /** The host's words; null when there are none that say more than `error`. */
  readonly message: string | null;
  /** False: a call below it raised the error, and this call passed it on. */
  readonly raised: boolean;
}

/** Each call and each host call is a step once. */
export type NamedStep =
  /** `index` in `calls`. */
  | { readonly kind: "call"; readonly index: number }
  /** `index` in `hostCalls`. */
  | { readonly kind: "host-call"; readonly index: number }
  /** `kept`: the call that emitted it was not rolled back. */
  | { readonly kind: "event"; readonly event: NamedEvent; readonly kept: boolean }
  /** Written by the contract. */
  | { readonly kind: "log"; readonly text: string }
  /** An error as the host reported it. */
  | { readonly kind: "report"; readonly text: string };

/** A contract's log line: a diagnostic event, which no ledger has. */
export interface NamedLog {
  readonly contract: string | null;
  readonly text: string;
}

/** A call of a contract to a host function, with values as text. */
export interface NamedHostCall extends Omit<HostCall, "argumentsXdr" | "resultXdr"> {
  /** Null when the value was not available or too large. */
  readonly arguments: readonly (string | null)[];
  readonly result: string | null;
  /** Null when it does not access a contract's storage. */
  readonly storage: StorageAccess | null;
  /** Null when it requires no authorization. */
  readonly authorization: NamedAuthorizationCheck | null;
}

/** `require_auth` and `require_auth_for_args`; `failed` of the host call: the host refused it. */
export interface NamedAuthorizationCheck {
  readonly signer: string;
  /** Null: those of the call itself. */
  readonly arguments: string | null;
}

/** One access of a contract to a key of its storage. */
export interface StorageAccess {
  readonly action: "read" | "look for" | "write" | "delete" | "extend";
  /** `persistent`, `temporary` or `instance`. */
  readonly durability: string;
  readonly key: string;
  /** The entry that was read or written; null for other host functions, and when there is none. */
  readonly value: string | null;
  /** Before it was written or deleted. Null: there was none. Absent: unknown. */
  readonly before?: string | null;
  /** The fields that a write changed; absent if it changed all of them, or if that is unknown. */
  readonly fields?: readonly ChangedField[];
}

/** A call as a node's diagnostic events show it. They do not contain its cost. */
export interface DiagnosticCall
  extends Pick<
    NamedCall,
    "contract" | "arguments" | "argumentNames" | "result" | "failed" | "error" | "steps"
  > {
  readonly function: string;
  readonly calls: readonly DiagnosticCall[];
}

export interface NamedField {
  readonly name: string;
  readonly value: string;
}

export interface NamedEvent {
  readonly kind: "contract" | "system" | "diagnostic";
  readonly contract: string | null;
  /** Name in the contract's specification; null when it does not describe this event. */
  readonly name: string | null;
  /** Topics and data by the specification's names; null when `name` is null. */
  readonly fields: readonly NamedField[] | null;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface NamedChange {
  readonly kind: "created" | "updated" | "removed" | "restored";
  /** The part of the state that the entry is. The host writes TTLs and nonces beside others. */
  readonly role: "state" | "ttl" | "nonce";
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Empty when the entry is new, was removed, or has no fields. */
  readonly fields: readonly ChangedField[];
  /** The entry was written with the value that it had. */
  readonly isUnchanged?: true;
}

export interface ChangedField {
  /**
   * Path within the value, e.g. `total`, `owners[2]`, `storage.[Count, main]`; empty: everything.
   */
  readonly field: string;
  /** Both values as text; null when the field does not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

/** An amount of one token. */
interface TokenAmount {
  /** The token's contract, `XLM` or `CODE:ISSUER`. */
  readonly token: string;
  /** The code of an asset, or a contract's own symbol in quotes; null when it is unknown. */
  readonly symbol: string | null;
  /** `XLM` or `CODE:ISSUER`; null when the token is not an asset of the network. */
  readonly asset: string | null;
  /** The amount in whole tokens; null if the token's decimals are unknown. */
  readonly amount: string | null;
  /** The amount in the token's smallest units. */
  readonly units: string;
}

export interface TokenMove extends TokenAmount {
  readonly kind: "transfer" | "mint" | "burn" | "clawback";
  /** Null when the amount was minted. */
  readonly from: string | null;
  /** Null when the amount was burned or clawed back. */
  readonly to: string | null;
}

/** How much more or less of a token an account has. */
export interface TokenNet extends TokenAmount {
  readonly account: string;
}

export interface TokenFlow {
  /** Movements from the events of contracts, in order; empty if there are none. */
  readonly moves: readonly TokenMove[];
  readonly net: readonly TokenNet[];
  /** The movements that `net` is summed from. */
  readonly from: "events" | "balances";
}

/** The recorded value and that of the replay, as far as they can be read. */
export interface NamedDifference {
  readonly chain: string;
  readonly replay: string;
}

export interface ResourceRow {
  readonly name: string;
  readonly used: string | null;
  /** The declared amount; null when there is nothing to declare. */
  readonly declared: string | null;
  /** The network's limit for one transaction; null when there is none or it is unknown. */
  readonly limit: string | null;
  /**
   * How the limit is known; null where that is unknown. Nothing that was compared depends on a
   * limit that was not reached: `rpc-unchanged` is a node's word alone.
   */
  readonly limitProvenance: ProvenanceKind | null;
  readonly unit: "instructions" | "bytes" | "entries" | "stroops";
}

/**
 * charged = inclusion + non-refundable + refundable consumed + refund not deducted, and
 * declared resource fee = non-refundable + refundable consumed + refund.
 */
export interface FeeFacts {
  readonly bidStroops: string;
  readonly chargedStroops: string;
  /** Charged in addition to the resource fee; null for classic transactions and when unknown. */
  readonly inclusionFeeStroops: string | null;
  /** The charged fee without the inclusion fee; null when the inclusion fee is null. */
  readonly resourceFeeChargedStroops: string | null;
  /** Declared resource fee; null for classic transactions. */
  readonly resourceFeeStroops: string | null;
  readonly nonRefundableStroops: string | null;
  readonly refundableConsumedStroops: string | null;
  readonly rentStroops: string | null;
  readonly refundStroops: string | null;
  /**
   * A refund that is still part of `chargedStroops`: it could not be paid, or the transaction is a
   * fee-bump before protocol 21, whose result shows the fee before the refund. Null: there is none.
   */
  readonly refundNotDeductedStroops: string | null;
}

/** A part of an Explanation, or one of its fees. */
export type ReplayedFact =
  | "calls"
  | "changes"
  | "events"
  | "resources"
  | "tokens"
  | `fees.${keyof FeeFacts}`;

export interface NamedAddress {
  /** Strkey. */
  readonly address: string;
  /** The shortest form that differs from every other address of the report: `CARM…JDFF`. */
  readonly short: string;
  /** The user's label, or the asset whose contract it is; null when it has no name. */
  readonly label: string | null;
}

export interface Explanation {
  /** The outcome in one sentence, e.g. `Failed: the contract call trapped.` */
  readonly headline: string;
  readonly success: boolean;
  /** Null when the transaction succeeded. */
  readonly cause: Cause | null;
  /**
   * One sentence for a list: the first one of the cause, or of the value that decided a panic. Null
   * when the transaction succeeded.
   */
  readonly causeInBrief: string | null;
  /** Sentences that support the cause, the most important first. */
  readonly evidence: readonly string[];
  /**
   * The number of these, the first ones, that are about the failure itself. The others came before
   * it, and may be unrelated.
   */
  readonly ownEvidence: number;
  /**
   * The cause and its evidence for a report that shows the calls, which are named shortly. Which
   * call failed, and which calls made it, is not said.
   */
  readonly besideCalls: {
    /** The summary of the cause; null when the transaction succeeded. */
    readonly summary: string | null;
    readonly evidence: readonly string[];
  };
  /** True if the cause or its evidence names the call that failed, with its arguments. */
  readonly namesCall: boolean;
  /**
   * Its summary is the first of the evidence, and the sentences of its `writes` follow; null: not
   * known.
   */
  readonly decidedBy: DecidedBy | null;
  readonly details: readonly CauseDetail[];
  /** The remedy for this cause alone; null when unknown or nothing is wrong. */
  readonly remedy: Wording | null;
  /** An earlier transaction has done what the call does: the remedy is not to send it. */
  readonly isDone: boolean;
  /** Null unless diverged, and when the values are already numbers, hashes or names. */
  readonly difference: NamedDifference | null;
  /** Result codes of the operation when they differ from the chain's; null when they are equal. */
  readonly resultCodes: NamedDifference | null;
  /**
   * Parts that come only from a replay whose verdict is diverged or inconclusive. Every other part
   * was recorded by the chain, or proven by the replay.
   */
  readonly replayOnly: readonly ReplayedFact[];
  readonly transaction: TransactionFacts;
  /** The contract call in the envelope, without calls below it. */
  readonly invocation: NamedInvocation | null;
  readonly calls: NamedCall | null;
  /**
   * Calls from the chain's diagnostic events; empty if there are none, or if the replay did what the
   * chain did. Then, and where the replay lacked nothing, `calls` has the replay's.
   */
  readonly diagnosticCalls: readonly DiagnosticCall[];
  /** The log lines of the calls that are shown, in order. */
  readonly logs: readonly NamedLog[];
  /** The authorization entries in the envelope's order. */
  readonly authorizations: readonly NamedAuthorization[];
  /**
   * Authorizations that the calls of the replay required; null if its host calls were not recorded.
   */
  readonly requiredAuthorizations: RequiredAuthorizations | null;
  readonly events: readonly NamedEvent[];
  readonly changes: readonly NamedChange[];
  readonly tokens: TokenFlow;
  readonly resources: readonly ResourceRow[];
  readonly fees: FeeFacts;
  /** Every address that the explanation mentions, in the order of first mention. */
  readonly addresses: readonly NamedAddress[];
  /** Readable name of each LedgerKey (base64) in the snapshot, the caveats and the comparisons. */
  readonly keyNames: Readonly<Record<string, string>>;
}
