// A cause as data: its kind and its facts. The facts contain names (of calls, entries, arguments)
// as readers know them, and no sentences; cause-words.ts and evidence-words.ts word them. Causes
// are compared here, never by their words.

import type { Wording } from "../../base/phrase.ts";
import type { CauseKind, RefusalKind, STATUS_CAUSES } from "../../model/cause-kinds.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { HostError } from "../../model/execution.ts";
import type { StaleKeys } from "../../model/explanation.ts";
import type { TransactionStatus } from "../../model/node-answer.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import type { AuthorizationFacts } from "../../xdr/envelope/authorizations.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { EnvelopeTerms } from "../../xdr/envelope/envelope-terms.ts";
import type { OfflineFacts } from "../../xdr/envelope/offline-facts.ts";
import type { AccountFacts } from "../../xdr/ledger/account.ts";
import type {
  ACCOUNT_CHECKS,
  BUDGETS,
  DECLARED_LIMITS,
  ENTRY_SIZES,
  LIMITS,
  REFUNDABLE_FEES,
  REFUSALS,
} from "../../xdr/outcome/host-messages.ts";
import type { ResultFacts } from "../../xdr/outcome/result.ts";
import type { HostValue } from "../../xdr/values/host-value.ts";
import type { ErrorFacts } from "../../xdr/values/value-text.ts";
import type { TokenCall } from "../host-messages/token-errors.ts";
import type { CallName, Spoken } from "./call-name.ts";
import type {
  ArchivedEntry,
  CauseEvidence,
  FoundDetail,
  HashOnNetwork,
  OperationFacts,
} from "./found-evidence.ts";
import type { Sentences } from "./sentences.ts";

/** For each way of finding a cause, the kinds that it can have, and its facts. */
interface FactsTable {
  /** A contract ended with an error number of its own. */
  readonly "own-error": { readonly kind: "contract-error"; readonly facts: OwnErrorFacts };
  readonly "asset-error": { readonly kind: CauseKind; readonly facts: AssetErrorFacts };
  readonly trap: { readonly kind: "contract-panic"; readonly facts: TrapFacts };
  readonly "test-panic": { readonly kind: "contract-panic"; readonly facts: TestPanicFacts };
  readonly misfit: { readonly kind: "argument-type"; readonly facts: MisfitFacts };
  readonly "unknown-function": {
    readonly kind: "function-missing";
    readonly facts: UnknownFunctionFacts;
  };
  readonly "argument-count": {
    readonly kind: "argument-count";
    readonly facts: ArgumentCountFacts;
  };
  /** A message of the host that names what it refused. */
  readonly refusal: { readonly kind: CauseKind; readonly facts: RefusalFacts };
  /** An error of the host without such a message. */
  readonly "host-error": { readonly kind: CauseKind; readonly facts: HostErrorFacts };
  readonly footprint: {
    readonly kind: "footprint-miss" | "stale-simulation" | "stale-close-time";
    readonly facts: FootprintFacts;
  };
  readonly authorization: { readonly kind: CauseKind; readonly facts: AuthorizationCauseFacts };
  readonly "absent-entry": {
    readonly kind: "contract-missing" | "missing-entry" | "contract-exists";
    readonly facts: AbsentEntryFacts;
  };
  readonly limit: { readonly kind: CauseKind; readonly facts: LimitFacts };
  readonly "unknown-limit": { readonly kind: "resource-limit-exceeded"; readonly facts: object };
  readonly budget: {
    readonly kind: "stack-exhausted" | "memory-exceeded" | "budget-exceeded";
    readonly facts: BudgetFacts;
  };
  readonly "refundable-fee": {
    readonly kind: "insufficient-refundable-fee";
    readonly facts: RefundableFeeFacts;
  };
  readonly "entry-size": { readonly kind: "entry-size-exceeded"; readonly facts: EntrySizeFacts };
  /** A limit of the network that a simulation shows. */
  readonly "network-limit": {
    readonly kind: "cpu-exceeded" | "memory-exceeded" | "events-size-exceeded";
    readonly facts: Omit<LimitFacts, "isDeclared">;
  };
  readonly "network-limits": {
    readonly kind: "resource-limit-exceeded";
    readonly facts: { readonly over: string };
  };
  readonly "declared-limit": {
    readonly kind: "resource-limit-exceeded";
    readonly facts: DeclaredLimitFacts;
  };
  readonly "empty-code": { readonly kind: "wasm-invalid"; readonly facts: object };
  /** A node or a simulator reported it in words only. */
  readonly reported: { readonly kind: CauseKind; readonly facts: ReportedErrorFacts };
  readonly archived: { readonly kind: "entry-archived"; readonly facts: ArchivedFacts };
  readonly input: { readonly kind: "input-invalid"; readonly facts: InputFacts };
  readonly internal: { readonly kind: "internal-error"; readonly facts: InternalFacts };
  readonly code: { readonly kind: "trapped" | "result-code"; readonly facts: CodeFacts };
  readonly operations: { readonly kind: "result-code"; readonly facts: OperationsFacts };
  /** The network refused the transaction before it ran. */
  readonly refused: {
    readonly kind: RefusalKind | `fee-bump-${RefusalKind}` | "result-code";
    readonly facts: RefusedFacts;
  };
  /** The status of a node's answer contradicts its result. */
  readonly contradiction: {
    readonly kind: "answer-contradicts-itself";
    readonly facts: ContradictionFacts;
  };
  /** A status without a result. */
  readonly status: {
    readonly kind: (typeof STATUS_CAUSES)[number];
    readonly facts: { readonly status: TransactionStatus };
  };
  /** The network refused an envelope with a code that concerns its signatures. */
  readonly signatures: { readonly kind: CauseKind; readonly facts: SignaturesFacts };
  /** An envelope shows by itself that it cannot succeed. */
  readonly "envelope-fault": {
    readonly kind: "refused" | "value-invalid" | "authorization-unsigned";
    readonly facts: EnvelopeFaultFacts;
  };
  /** svc failed to explain it. */
  readonly unexplained: { readonly kind: "unexplained"; readonly facts: object };
}

/** A cause as it is found. */
export type FoundCause = {
  [By in keyof FactsTable]: {
    readonly by: By;
    readonly kind: FactsTable[By]["kind"];
    readonly facts: FactsTable[By]["facts"];
    /** `known`: stated by the result or by the host's messages. `likely`: concluded from them. */
    readonly confidence: "known" | "likely";
  };
}[keyof FactsTable];

export type FoundBy<By extends keyof FactsTable> = Extract<FoundCause, { readonly by: By }>;

/** A cause with its evidence and its details. */
export type CauseFinding = FoundCause & {
  readonly evidence: readonly CauseEvidence[];
  readonly details?: readonly FoundDetail[];
  /** True if it may depend on an entry that the node left out. */
  readonly byNode?: true;
  /**
   * True if it stays likely whatever decided, because the state on which it depends is only likely.
   */
  readonly restsOnLikelyState?: true;
  /** The contract account in whose `__check_auth` it happened. */
  readonly inCheckAuth?: string;
};

/** Says whether both have one kind and the same facts. The remedies may differ. */
export function isSameCause(
  { by, kind, facts }: FoundCause,
  other: Pick<FoundCause, "by" | "kind" | "facts">,
): boolean {
  return (
    by === other.by &&
    kind === other.kind &&
    JSON.stringify(facts, decimal) === JSON.stringify(other.facts, decimal)
  );
}

/** For `stale-simulation` and `stale-close-time`. */
export function staleKeysOf(cause: FoundCause): StaleKeys | undefined {
  const isStale = cause.by === "footprint" && cause.kind !== "footprint-miss";
  return isStale ? cause.facts.neighbor?.keys : undefined;
}

function decimal(name: string, value: unknown): unknown {
  if (name === "miss") return undefined;
  return typeof value === "bigint" ? String(value) : value;
}

/** A cause with words for its calls. */
export type SaidBy<By extends keyof FactsTable> = Omit<FoundBy<By>, "facts"> & {
  readonly facts: Spoken<FoundBy<By>["facts"]>;
};

interface OwnErrorFacts {
  readonly call: CallName | null;
  readonly contract: string | null;
  /** True if the function returned the error, and false if it failed with it. */
  readonly returned: boolean;
  readonly number: number;
  /**
   * The names in the contract's specification. If there are several, it is unknown which one
   * applies.
   */
  readonly names: readonly string[];
  /** The comment at the name, if there is only one. */
  readonly doc: string;
  /** The source of the number, if it has no name. */
  readonly numberOf: "specification" | "contract" | "unknown";
  readonly last: LastCall | null;
  readonly miss: MissAdvice | null;
}

/** The last call that the failed one made, with its return value. */
interface LastCall {
  readonly call: CallName;
  readonly returned: string;
}

/** The advice for an absent entry that was looked up. */
export interface MissAdvice {
  readonly durability: string | undefined;
  readonly byNode: boolean;
  /** The names of the arguments that make the key, in backticks if they are words. */
  readonly names: readonly string[];
  /**
   * What is known of the key: a constant of the code, one made of other values than arguments, or
   * the right one, because a transaction removed the entry. Absent if nothing is known.
   */
  readonly key?: "constant" | "made" | "right";
}

interface AssetErrorFacts {
  readonly call: CallName | null;
  readonly contract: string | null;
  readonly message: string;
  readonly values: readonly HostValue[];
  readonly token: TokenMetadata | null;
  readonly isAbsentByNode: boolean;
  readonly failedCall: TokenCall;
  readonly name: string;
  readonly doc: string;
  readonly number: number;
  /** True if the contract is unknown, and only the message shows that it is the asset contract. */
  readonly isConcluded: boolean;
}

/** A trap in a contract's code. */
interface TrapPlace {
  readonly call: CallName;
  readonly trap: string;
  /** The function and line of the source. */
  readonly place: string | null;
}

interface TrapFacts extends TrapPlace {
  /** The look-up, if it was the last thing that the call did. */
  readonly after: string | null;
  /** True if the evidence has absent entries. */
  readonly hasAbsent: boolean;
  /** False only if the call is known, and has none. */
  readonly hasArguments: boolean;
  readonly miss: MissAdvice | null;
}

/** A panic in a unit test. */
interface TestPanicFacts {
  readonly call: CallName | null;
  readonly contract: string | null;
  /** The text of the panic. Not neutralised. */
  readonly panic: string;
}

/** An argument whose value does not fit its type. */
export interface Misfit {
  readonly argument: string;
  /** The type with its article. */
  readonly expectedType: string;
  /** The address that a muxed one stands for. */
  readonly holder: string | null;
}

interface MisfitFacts extends Misfit {
  readonly call: CallName;
  /** Null if the asset contract refused it. */
  readonly trapped: TrapPlace | null;
}

interface UnknownFunctionFacts {
  readonly call: CallName | null;
  readonly contract: string;
  readonly function: string;
  readonly functions: readonly string[];
  /** False if a part of the specification was not read: the contract can have more functions. */
  readonly isAll: boolean;
  readonly near: string | null;
}

interface ArgumentCountFacts {
  readonly call: CallName | null;
  readonly taken: number;
  readonly passed: number;
  /** The signature, such as `add(a: u32, b: u32)`. */
  readonly signature: string;
}

/** The place at which the host refused something. */
interface HostPlace {
  readonly call: CallName | null;
  readonly hostFunction: string | null;
}

interface RefusalFacts extends HostPlace {
  readonly id: keyof typeof REFUSALS;
  readonly message: string;
  /** The named groups of the message's pattern. */
  readonly named: Readonly<Record<string, string | undefined>>;
  readonly values: readonly string[];
}

interface HostErrorFacts extends HostPlace {
  readonly error: ErrorFacts;
  /** True if the transaction uploads code; null if nothing shows whether it does. */
  readonly upload: boolean | null;
  /** The host's message with its values; null if it has none that explains anything. */
  readonly reported: { readonly message: string; readonly values: readonly string[] } | null;
}

export interface FootprintFacts {
  readonly entry:
    | { readonly of: "key"; readonly name: string }
    /** The entry in the host's words, with the values that it reports; null if it reports none. */
    | { readonly of: "report"; readonly entryType: string | null; readonly about: string };
  readonly access:
    | "outside"
    /**
     * The entry is outside the footprint, or was written although it is read-only: without an
     * envelope, it is unknown which.
     */
    | "outside-or-written"
    | "written";
  /** The key that the footprint has instead. */
  readonly neighbor: {
    readonly contract: string;
    readonly accessedKey: string;
    readonly named: string;
    readonly keys: StaleKeys;
  } | null;
  /** The reason why the key differs; null if nothing shows it. */
  readonly moved: Moved | null;
}

/** The change between the simulation and the transaction. */
export type Moved =
  | { readonly by: "state" }
  | { readonly by: "time"; readonly seconds: bigint; readonly succeeds: boolean }
  | { readonly by: "number"; readonly ledgers: number }
  /** No run shows the change. The key is made of this. */
  | {
      readonly by: "key";
      readonly of: "random" | "time" | "sequence" | "state" | "arguments";
    };

export type AuthorizationCauseFacts = {
  readonly address: string;
  readonly call: CallName | null;
} & (
  | { readonly case: "unread-envelope" }
  /** The address has no entry. `unable` is true for a contract that cannot sign one. */
  | { readonly case: "no-entry"; readonly unable: boolean }
  /** The entries of the address do not have the call, or another call used them. */
  | {
      readonly case: "not-covered";
      readonly isCreation: boolean;
      readonly isOfSource: boolean;
    }
  | {
      readonly case: "mismatch";
      readonly difference: AuthorizationDifference;
      readonly isOfSource: boolean;
    }
  /** `canSign` is true if an entry of the contract helps too. */
  | { readonly case: "contract-above"; readonly canSign: boolean }
  | { readonly case: "not-of-root" }
  | { readonly case: "expired"; readonly last: string | null; readonly now: string }
  | { readonly case: "reused"; readonly isTwice: boolean }
  /** `isOver` is true if its expiration ledger has passed too. */
  | { readonly case: "unsigned"; readonly isOver: boolean }
  | { readonly case: "unread-signature" }
  | {
      readonly case: "account-check";
      readonly check: keyof typeof ACCOUNT_CHECKS;
      readonly values: readonly string[];
    }
  | {
      readonly case: "signature-form";
      readonly form: "invalid" | "unreadable";
      readonly data: string | null;
    }
  | {
      readonly case: "own-check";
      readonly error: ErrorFacts | null;
      /** The data in the report of the account's own check. */
      readonly data: string | null;
      readonly message: string | null;
      /** True if the address is that of a contract, which decides by its own code. */
      readonly isContract: boolean;
      /** True if none of its entries for the call has a signature. */
      readonly isUnsigned: boolean;
    }
);

/** How the entries of an address differ from the call that was required. */
export type AuthorizationDifference =
  | { readonly in: "count"; readonly signed: number; readonly required: number }
  | {
      readonly in: "argument";
      readonly argument: string;
      readonly called: string;
      readonly signed: string;
    }
  /** The call is in an entry at the wrong place. It must be below this one; null for the top. */
  | { readonly in: "place"; readonly below: string | null }
  | { readonly in: "calls"; readonly allowed: readonly string[]; readonly required: string };

interface AbsentEntryFacts {
  /** The entry in the host's words. */
  readonly entry: string;
  readonly call: CallName | null;
  /** For an instance, the contract that was called, with the call. */
  readonly instance: { readonly contract: string; readonly called: string } | null;
  readonly values: string;
  readonly byNode: boolean;
}

interface LimitFacts {
  readonly id: keyof typeof LIMITS;
  readonly used: bigint;
  readonly allowed: bigint;
  readonly isDeclared: boolean;
  /** The call in which the instructions ran out. */
  readonly call: CallName | null;
}

interface DeclaredLimitFacts {
  readonly id: keyof typeof DECLARED_LIMITS;
  readonly declared: bigint;
  readonly allowed: bigint;
  /** The code with which a node refused the transaction; null if it is unknown. */
  readonly code: string | null;
}

interface BudgetFacts {
  readonly ranOut: keyof typeof BUDGETS | null;
  readonly call: CallName | null;
  readonly declared: number | null;
  readonly stoppedAt: string | null;
  readonly simulated: boolean;
}

interface RefundableFeeFacts {
  readonly part: keyof typeof REFUNDABLE_FEES;
  readonly amounts: { readonly needed: bigint; readonly available: bigint } | null;
}

interface EntrySizeFacts {
  readonly type: keyof typeof ENTRY_SIZES;
  /** Null if it is one of several. */
  readonly entry: string | null;
  readonly size: bigint;
  readonly allowed: bigint;
}

interface ArchivedFacts {
  readonly entry: ArchivedEntry | null;
}

interface InputFacts {
  /** Null if nothing shows which value it is. */
  readonly flaw: {
    readonly of: FlawedPart;
    readonly why: string;
    readonly isAddress: boolean;
  } | null;
}

export type FlawedPart =
  | { readonly part: "argument"; readonly index: number }
  | {
      readonly part: "signature" | "function-name" | "authorized-argument";
      readonly entry: number;
    };

interface InternalFacts {
  readonly message: string | null;
}

interface ReportedErrorFacts {
  /** The first line, neutralized. */
  readonly text: string;
  /** The host error that it names. */
  readonly error: HostError | null;
  /** True if only limits of the network can have stopped it. */
  readonly ofNetwork: boolean;
}

interface CodeFacts {
  readonly code: string;
}

interface OperationsFacts {
  /** The operations that failed. */
  readonly failed: readonly OperationFacts[];
  /** The code of the transaction, if no operation has one. */
  readonly code: string;
}

export interface RefusedFacts {
  readonly code: string;
  /** The requirement of the network and the values of the envelope; null if they are unknown. */
  readonly refusal: RefusedEnvelope | null;
  /** The fee that a node's answer shows to be required. */
  readonly least: string | null;
  readonly refused: "outer" | "classic" | "soroban" | "answer";
}

/** A transaction that was refused, and the account that it was refused for. */
export interface RefusedEnvelope {
  readonly result: ResultFacts;
  readonly envelope: Envelope;
  readonly terms: EnvelopeTerms;
  readonly ledger: ChainRecord["ledger"];
  /** True when the outer transaction of a fee-bump was refused. */
  readonly outer: boolean;
  /** The account concerned: the fee source of an outer transaction, else the source account. */
  readonly account: string;
  /** Its state before the ledger's transactions; null if the chain record does not have it. */
  readonly state: AccountFacts | null;
}

/** The outcome that the answer claims, and the one that its result shows. */
interface ContradictionFacts {
  readonly status: TransactionStatus;
  /** The code of the transaction. */
  readonly code: string;
  readonly hash: string | null;
}

export interface SignaturesFacts {
  readonly code: string;
  readonly envelope: OfflineFacts;
  readonly flaw: /** These must sign it, and have not. */
    | { readonly case: "missing"; readonly accounts: readonly string[] }
    /** No signature for the account is valid on any network with a name. */
    | { readonly case: "unproven"; readonly account: string }
    /** `networkPassphrase` is that of the only network for which it was signed. */
    | {
        readonly case: "unclear";
        readonly networkPassphrase: string | null;
        readonly asksForMore: boolean;
      }
    /** Nothing requires the signatures of these accounts. */
    | { readonly case: "surplus"; readonly accounts: readonly string[] };
}

export type EnvelopeFault =
  | { readonly id: "no-soroban-data" }
  | { readonly id: "unordered-map"; readonly map: OfflineFacts["unorderedMaps"][number] }
  | { readonly id: "unsigned-authorization"; readonly authorization: AuthorizationFacts };

interface EnvelopeFaultFacts {
  readonly fault: EnvelopeFault;
  /** The result with the status; null if there is none yet. */
  readonly code: string | null;
  /** The hash for a replay, which shows more; null if none is possible. */
  readonly replay: HashOnNetwork | null;
}

/** The words for a cause. */
export interface CauseWords {
  /** One sentence, or several in their order. */
  readonly summary: string | Sentences;
  /** Null if none is known. */
  readonly remedy: Wording | null;
  /** The summary if the deciding value is known, whose sentence explains the rest better. */
  readonly beforeDecision?: string | Sentences;
  /** True if the remedy is for a failure for which no deciding value is known. */
  readonly isLastResort?: true;
}
