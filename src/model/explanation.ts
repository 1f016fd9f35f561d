// An Explanation is what a reader is told: the outcome in one sentence, why, and every XDR value of
// the investigation as readable text. Renderers draw it and need no XDR of their own.
// Invariant: all text that came from the chain has been neutralised; it may be printed as it is.

/** Why the transaction ended as it did. */
export interface Cause {
  /** Stable name for machines: `contract-error`, `budget-exceeded`, `entry-archived`, … */
  readonly kind: string;
  /** One sentence. */
  readonly summary: string;
  /** `known`: the result or the host's own words say so. `likely`: concluded from them. */
  readonly confidence: "known" | "likely";
}

export interface TransactionFacts {
  readonly sourceAccount: string;
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
  /** One for each argument, as the contract's specification names them; null when it does not. */
  readonly argumentNames: readonly string[] | null;
  /** Null when it did not return. */
  readonly result: string | null;
  readonly failed: boolean;
  /** With all calls below it. */
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
  /** Without the calls below it, with what it asked of the host. */
  readonly selfCpuInstructions: string;
  readonly selfMemoryBytes: string;
  readonly calls: readonly NamedCall[];
  /** In order; absent unless they were recorded. */
  readonly hostCalls?: readonly NamedHostCall[];
  /** Further host calls of this call: too many to record. */
  readonly hostCallsLeftOut?: number;
}

/** What a contract asked of the host, with values as text. */
export interface NamedHostCall {
  readonly function: string;
  /** Null: the value could not be had, or was too large. */
  readonly arguments: readonly (string | null)[];
  readonly result: string | null;
  readonly failed: boolean;
  /** Null when it is no access to a contract's storage. */
  readonly storage: StorageAccess | null;
  /** As of a HostCall. */
  readonly depth: number;
  readonly afterCalls: number;
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
}

/** One access of a contract to a key of its storage. */
export interface StorageAccess {
  readonly action: "read" | "look for" | "write" | "delete" | "extend";
  /** `persistent`, `temporary` or `instance`. */
  readonly durability: string;
  readonly key: string;
  /** What was read or written; null for the others. */
  readonly value: string | null;
}

/** A call as a node's diagnostic events tell it: what it cost they do not. */
export interface DiagnosticCall {
  readonly contract: string | null;
  readonly function: string;
  readonly arguments: readonly string[];
  /** As of a NamedCall. */
  readonly argumentNames: readonly string[] | null;
  readonly result: string | null;
  readonly failed: boolean;
  readonly calls: readonly DiagnosticCall[];
}

/** A call that is allowed, and those that are allowed below it. */
export interface NamedInvocation {
  /** Null, like the function, for the creation of a contract. */
  readonly contract: string | null;
  readonly function: string | null;
  readonly arguments: readonly string[];
  /** As of a NamedCall. */
  readonly argumentNames: readonly string[] | null;
  readonly calls: readonly NamedInvocation[];
}

/** An authorization that the transaction carries; whether it was needed is another matter. */
export interface NamedAuthorization {
  /** Who gives it; null: the source account, by signing the transaction. */
  readonly signer: string | null;
  /** False: the entry stands there without a signature. */
  readonly signed: boolean;
  /** The last ledger in which it may be used; null with the source account. */
  readonly validUntilLedger: number | null;
  readonly invocation: NamedInvocation;
}

export interface NamedField {
  readonly name: string;
  readonly value: string;
}

export interface NamedEvent {
  readonly kind: "contract" | "system" | "diagnostic";
  readonly contract: string | null;
  /** As the contract's specification names it; null when it describes no such event. */
  readonly name: string | null;
  /** Topics and data by the specification's names; null when `name` is. */
  readonly fields: readonly NamedField[] | null;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface NamedChange {
  readonly kind: "created" | "updated" | "removed" | "restored";
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
  /** What changed within it; empty where it is new, gone, or has no fields. */
  readonly fields: readonly ChangedField[];
}

export interface ChangedField {
  /** Where in the value, e.g. `total`, `owners[2]`; empty: the whole of it. */
  readonly field: string;
  /** Null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** An amount of one token. */
interface TokenAmount {
  /** The token's contract, `XLM` or `CODE:ISSUER`. */
  readonly token: string;
  /** Of an asset its code; what another contract calls itself stands in quotes; null: not known. */
  readonly symbol: string | null;
  /** `XLM` or `CODE:ISSUER`; null where the token is no asset of the network. */
  readonly asset: string | null;
  /** In whole tokens; null where the token's decimals are not known. */
  readonly amount: string | null;
  /** In the token's smallest units. */
  readonly units: string;
}

export interface TokenMove extends TokenAmount {
  readonly kind: "transfer" | "mint" | "burn" | "clawback";
  /** Null: it was made. */
  readonly from: string | null;
  /** Null: it is no more. */
  readonly to: string | null;
}

/** What an account has more, or less. */
export interface TokenNet extends TokenAmount {
  readonly account: string;
}

export interface TokenFlow {
  /** As contracts told it by their events, in order; empty when none did. */
  readonly moves: readonly TokenMove[];
  readonly net: readonly TokenNet[];
  /** What `net` is summed from. */
  readonly from: "events" | "balances";
}

/** What the chain has and what a replay has instead, as far as the values can be read. */
export interface NamedDifference {
  readonly chain: string;
  readonly replay: string;
}

export interface ResourceRow {
  readonly name: string;
  readonly used: string | null;
  /** What the transaction declared; null where it declares nothing. */
  readonly declared: string | null;
  /** The network's limit for one transaction; null where there is none or it is not known. */
  readonly limit: string | null;
  readonly unit: "instructions" | "bytes" | "entries" | "stroops";
}

/**
 * charged = inclusion + not refundable + consumed of the refundable + refund not deducted, and the
 * declared resource fee = not refundable + consumed of the refundable + what was due back.
 */
export interface FeeFacts {
  readonly bidStroops: string;
  readonly chargedStroops: string;
  /** What was taken beside the resource fee; null for classic transactions and where not known. */
  readonly inclusionFeeStroops: string | null;
  /** All that was charged but that; null where that is. */
  readonly resourceFeeChargedStroops: string | null;
  /** Declared resource fee; null for classic transactions. */
  readonly resourceFeeStroops: string | null;
  readonly nonRefundableStroops: string | null;
  readonly refundableConsumedStroops: string | null;
  readonly rentStroops: string | null;
  readonly refundStroops: string | null;
  /**
   * Due back, and in `chargedStroops` all the same: it could not be paid, or it is a fee-bump before
   * protocol 21, whose result shows what was charged before the refund. Null: there is none.
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
  /** So short that no other address of the report looks the same: `CARM…JDFF`. */
  readonly short: string;
  /** What the user calls it, or which asset's contract it is; null: it has no name. */
  readonly label: string | null;
}

/** How evidence begins that was before the cause, and may be none of it. */
export const EARLIER = "Before that, ";

export interface Explanation {
  /** The outcome in one sentence, e.g. `Failed: the contract call trapped.` */
  readonly headline: string;
  readonly success: boolean;
  /** Null when the transaction succeeded. */
  readonly cause: Cause | null;
  /** Sentences that support the cause, most telling first. */
  readonly evidence: readonly string[];
  /** What would mend it; null when unknown or nothing is wrong. */
  readonly remedy: string | null;
  /** Null unless diverged, and where the values are numbers, hashes or names already. */
  readonly difference: NamedDifference | null;
  /** Codes of the operation where a replay ended otherwise than the chain; null: as the chain. */
  readonly resultCodes: NamedDifference | null;
  /**
   * What nothing on the chain tells, and no more than a replay that is not proven to be what the
   * chain did: diverged or inconclusive. All else the chain recorded, or the replay proved.
   */
  readonly replayOnly: readonly ReplayedFact[];
  readonly transaction: TransactionFacts;
  /** The contract call that the envelope asks for; nothing stands below it. */
  readonly invocation: NamedInvocation | null;
  readonly calls: NamedCall | null;
  /**
   * From the chain's diagnostic events; empty where there are none, or where `calls` is there and the
   * replay ended as the chain did.
   */
  readonly diagnosticCalls: readonly DiagnosticCall[];
  /** In the envelope's order. */
  readonly authorizations: readonly NamedAuthorization[];
  readonly events: readonly NamedEvent[];
  readonly changes: readonly NamedChange[];
  readonly tokens: TokenFlow;
  readonly resources: readonly ResourceRow[];
  readonly fees: FeeFacts;
  /** All that are mentioned in it, in the order of their first mention. */
  readonly addresses: readonly NamedAddress[];
  /** Readable name of each LedgerKey (base64) that snapshot, doubts or comparisons mention. */
  readonly keyNames: Readonly<Record<string, string>>;
}
