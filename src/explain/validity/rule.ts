// A rule of stellar-core's validity check: the facts that it reads, and its finding. No rule
// fetches anything. Unknown facts are absent, and the rules that need them find nothing.

import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { hostFunctionOperations } from "../../xdr/envelope/host-function.ts";
import type { AccountFacts } from "../../xdr/ledger/account.ts";
import type { FrozenKeys, TransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import type { Value } from "../../xdr/reader/value.ts";

/** The ledger that would contain the transaction. */
export interface NextLedger {
  readonly protocolVersion: number;
  readonly sequence: number;
  /** The bounds of its close time in Unix seconds; equal if the time is known. */
  readonly closesFrom: bigint;
  readonly closesUntil: bigint;
  readonly baseReserveStroops: number;
  /** The network's fee for each operation. */
  readonly baseFeeStroops: number;
}

export interface ValidityFacts {
  readonly envelope: Envelope;
  readonly ledger: NextLedger;
  /** CONFIG_SETTING LedgerEntries; all others are ignored. */
  readonly settingsXdr: readonly string[];
  /** Accounts by address; null if no node has it, and absent if it was not asked for. */
  readonly accounts: ReadonlyMap<string, AccountFacts | null>;
  /** The cost of the declared resources, which only svc-sim computes. */
  readonly resourceCostStroops?: bigint;
  /** Leaves out the rules of a node's queue, on which validators do not agree. */
  readonly withoutQueue?: true;
  /** The transaction is in the ledger that is applied, which took its fee already. */
  readonly feeIsTaken?: true;
  /**
   * LedgerKeys that classic operations access besides their sources; absent if they were not
   * determined.
   */
  readonly accessedKeys?: readonly string[];
  /** Says whether an address needs no signature. */
  readonly isWaived?: (address: string) => boolean;
}

/** The findings, each a whole sentence; null or empty if no signature is lacking. */
export interface SignatureFindings {
  readonly payer: string | null;
  readonly source: string | null;
  readonly extra: string | null;
  /** One finding for each operation; null if it lacks none. */
  readonly operations: readonly (string | null)[];
  /** Signatures that are not needed, which is known only after each account has its own. */
  readonly unused: string | null;
  /** A fee-bump's own signatures that were not used. */
  readonly unusedOfPayer: string | null;
}

/** The facts, with values that several rules read from them. */
export interface Checked extends ValidityFacts {
  readonly operations: readonly Value<"Operation">[];
  /** The first operation runs in the contract host, as stellar-core defines it. */
  readonly isSoroban: boolean;
  /** The Soroban data beside any operation; null if there is none. */
  readonly data: Value<"SorobanTransactionData"> | null;
  readonly limits: TransactionLimits;
  readonly frozenKeys: FrozenKeys;
  readonly signatures: SignatureFindings;
}

/**
 * The subject of a rule: `declared` is footprint, resources and resource fee. `form` is everything
 * else that neither a signature nor another state changes.
 */
export type RuleSubject = "form" | "declared" | "fee";

export interface Rule {
  /** The first protocol with the rule; absent for every protocol. */
  readonly from?: number;
  readonly until?: number;
  /** The rule is the transaction queue's, not one of the validity that nodes agree on. */
  readonly ofQueue?: true;
  /** True if the rule is about a fee bump itself, or about the envelope as a whole. */
  readonly ofEnvelope?: true;
  /** The first broken rule about a subject counts. */
  readonly subject?: RuleSubject;
  /** The answer of a node: the name of the transaction's or of its operation's result. */
  readonly code: string;
  /** Whole sentences, one for each time that the rule is broken. */
  readonly finds: (facts: Checked) => RuleFinding | readonly string[];
  readonly remedy?: string;
  /** True if the finding depends on an entry that a node may have left out. */
  readonly isLikely?: true;
}

type RuleFinding = string | false | null | undefined;

/** The host functions of the operations; the network accepts at most one. */
export function functionsOf({ decoded }: Envelope): Value<"HostFunction">[] {
  return hostFunctionOperations(decoded).map(({ hostFunction }) => hostFunction);
}
