// What a finder finds of a cause: its kind and its facts, as data. The facts have names (of calls,
// entries, arguments) as readers know them, and no sentence; cause-words.ts and evidence-words.ts
// say them. Two causes are compared here, never by what is said of them.

import type { CauseKind, RefusalKind, STATUS_CAUSES } from "../../model/cause-kinds.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { CodeLocation, HostError } from "../../model/execution.ts";
import type { StaleKeys } from "../../model/explanation.ts";
import type { TransactionStatus } from "../../model/node-answer.ts";
import type { TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import type { AuthorizationFacts } from "../../xdr/envelope/authorizations.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { EnvelopeTerms } from "../../xdr/envelope/envelope-terms.ts";
import type { OfflineFacts } from "../../xdr/envelope/offline-facts.ts";
import type { AccountFacts } from "../../xdr/ledger/account.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
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
import type { ErrorFacts } from "../../xdr/values/value-text.ts";
import type { TokenCall } from "../host-messages/token-errors.ts";

/** By the way in which a cause is found: the kinds that it can have, and its facts. */
interface FactsTable {
  /** A contract ended with an error number of its own. */
  readonly "own-error": { readonly kind: "contract-error"; readonly facts: OwnErrorFacts };
  readonly "asset-error": { readonly kind: CauseKind; readonly facts: AssetErrorFacts };
  readonly trap: { readonly kind: "contract-panic"; readonly facts: TrapFacts };
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
  /** The status and the result of a node's answer contradict each other. */
  readonly contradiction: {
    readonly kind: "answer-contradicts-itself";
    readonly facts: ContradictionFacts;
  };
  /** A status without a result. */
  readonly status: {
    readonly kind: (typeof STATUS_CAUSES)[number];
    readonly facts: { readonly status: TransactionStatus };
  };
  /** The signatures of an envelope beside the code with which the network refused them. */
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

/** A cause with its evidence, and what is to be said beside it. */
export type CauseFinding = FoundCause & {
  readonly evidence: readonly CauseEvidence[];
  readonly details?: readonly FoundDetail[];
  /** It may rest on what the node left out. */
  readonly byNode?: true;
  /** What is likely for the state that it rests on stays likely, whatever decided on that state. */
  readonly restsOnLikelyState?: true;
  /** The contract account in whose `__check_auth` it happened. */
  readonly inCheckAuth?: string;
};

/** Both are of one kind with the same facts; what to do about it may differ. */
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
export function staleKeysOf(found: FoundCause): StaleKeys | undefined {
  const isStale = found.by === "footprint" && found.kind !== "footprint-miss";
  return isStale ? found.facts.neighbor?.keys : undefined;
}

function decimal(name: string, value: unknown): unknown {
  if (name === "miss") return undefined;
  return typeof value === "bigint" ? String(value) : value;
}

/** `fail(code: 1) of contract C…`; null: the call is not known. */
type CallName = string | null;

interface OwnErrorFacts {
  readonly call: CallName;
  readonly contract: string | null;
  /** The function returned the error; otherwise it failed with it. */
  readonly returned: boolean;
  readonly number: number;
  /** In the contract's specification; several: it does not show which one. */
  readonly names: readonly string[];
  /** The comment at the one name. */
  readonly doc: string;
  /** Without a name: whose number it is. */
  readonly numberOf: "specification" | "contract" | "unknown";
  readonly last: LastCall | null;
  readonly miss: MissAdvice | null;
}

/** The last call that the failed one made, and what it returned. */
interface LastCall {
  readonly call: string;
  readonly returned: string;
}

/** What to do about an entry that was looked up in vain. */
export interface MissAdvice {
  readonly durability: string | undefined;
  readonly byNode: boolean;
  /** Of the arguments that the key is made of, in backticks if they are names. */
  readonly names: readonly string[];
}

interface AssetErrorFacts {
  readonly call: CallName;
  readonly contract: string | null;
  readonly message: string;
  readonly values: readonly string[];
  readonly token: TokenMetadata | null;
  readonly isAbsentByNode: boolean;
  readonly given: TokenCall;
  readonly name: string;
  readonly doc: string;
  readonly number: number;
  /** The contract is unknown: only the message shows that it is the asset contract. */
  readonly isConcluded: boolean;
}

/** A trap in a contract's code. */
interface TrapPlace {
  readonly call: string;
  readonly trap: string;
  /** Function and line of the source. */
  readonly place: string | null;
}

interface TrapFacts extends TrapPlace {
  /** The look-up that was the last thing that the call did. */
  readonly after: string | null;
  /** Entries that were absent are in the evidence. */
  readonly hasAbsent: boolean;
  readonly miss: MissAdvice | null;
}

/** An argument whose value does not fit its type. */
export interface Misfit {
  readonly argument: string;
  /** The type with its article. */
  readonly wanted: string;
  /** The address that a muxed one stands for. */
  readonly holder: string | null;
}

interface MisfitFacts extends Misfit {
  readonly call: string;
  /** Null: the asset contract refused it. */
  readonly trapped: TrapPlace | null;
}

interface UnknownFunctionFacts {
  readonly call: CallName;
  readonly contract: string;
  readonly function: string;
  readonly functions: readonly string[];
  readonly near: string | null;
}

interface ArgumentCountFacts {
  readonly call: CallName;
  readonly taken: number;
  readonly given: number;
  /** `add(a: u32, b: u32)`. */
  readonly signature: string;
}

/** Where the host refused something. */
interface HostPlace {
  readonly call: CallName;
  readonly hostFunction: string | null;
}

interface RefusalFacts extends HostPlace {
  readonly id: keyof typeof REFUSALS;
  readonly message: string;
  readonly values: readonly string[];
}

interface HostErrorFacts extends HostPlace {
  readonly error: ErrorFacts;
  /** The transaction uploads code; null: nothing shows whether. */
  readonly upload: boolean | null;
  /** The host's message with its values; null: it has none that says anything. */
  readonly reported: { readonly message: string; readonly values: readonly string[] } | null;
}

export interface FootprintFacts {
  readonly entry:
    | { readonly of: "key"; readonly name: string }
    /** In the host's words, with the values that it reports; null: it reports no entry. */
    | { readonly of: "report"; readonly what: string | null; readonly about: string };
  readonly access:
    | "outside"
    /** Without an envelope: outside, or written although it is read-only. */
    | "outside-or-written"
    | "written";
  /** The key that the footprint has instead. */
  readonly neighbor: {
    readonly contract: string;
    readonly asked: string;
    readonly named: string;
    readonly keys: StaleKeys;
  } | null;
  /** Why the key is another one; null: nothing shows it. */
  readonly moved: Moved | null;
}

/** What moved on between the simulation and the transaction. */
export type Moved =
  | { readonly by: "state" }
  | { readonly by: "time"; readonly seconds: bigint; readonly succeeds: boolean }
  | { readonly by: "number"; readonly ledgers: number }
  /** No run shows it; the key is made of this. */
  | {
      readonly by: "key";
      readonly of: "random" | "time" | "sequence" | "state" | "arguments";
    };

export type AuthorizationCauseFacts = {
  readonly address: string;
  readonly call: CallName;
} & (
  | { readonly case: "unread-envelope" }
  /** The address has no entry. `unable`: it is a contract that cannot sign one. */
  | { readonly case: "no-entry"; readonly unable: boolean }
  /** Its entries do not have the call, or another call used them. */
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
  /** `canSign`: an entry of it helps, too. */
  | { readonly case: "contract-above"; readonly canSign: boolean }
  | { readonly case: "not-of-root" }
  | { readonly case: "expired"; readonly last: string | null; readonly now: string }
  | { readonly case: "reused"; readonly isTwice: boolean }
  /** `isOver`: its expiration ledger has passed, too. */
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
      /** What the account's own check reported. */
      readonly data: string | null;
      readonly message: string | null;
      /** None of its entries for the call has a signature. */
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
  /** The call is in an entry, and has to be below this one; null: at its top. */
  | { readonly in: "place"; readonly below: string | null }
  | { readonly in: "calls"; readonly allowed: readonly string[]; readonly required: string };

interface AbsentEntryFacts {
  /** In the host's words. */
  readonly entry: string;
  readonly call: CallName;
  /** The contract that was called, for an instance; with the call on it. */
  readonly instance: { readonly contract: string; readonly called: string } | null;
  readonly values: string;
  readonly byNode: boolean;
}

interface LimitFacts {
  readonly id: keyof typeof LIMITS;
  readonly used: string;
  readonly allowed: string;
  readonly isDeclared: boolean;
  /** Where the instructions ran out. */
  readonly call: CallName;
}

interface DeclaredLimitFacts {
  readonly id: keyof typeof DECLARED_LIMITS;
  readonly declared: string;
  readonly allowed: string;
  /** The code with which a node refused the transaction; null: it is not known. */
  readonly code: string | null;
}

interface BudgetFacts {
  readonly ranOut: keyof typeof BUDGETS | null;
  readonly call: CallName;
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
  /** Null: it is one of several. */
  readonly entry: string | null;
  readonly size: string;
  readonly allowed: string;
}

export interface ArchivedEntry {
  readonly name: string;
  /** The last ledger in which it lived. */
  readonly liveUntil: number | null;
}

interface ArchivedFacts {
  readonly entry: ArchivedEntry | null;
}

interface InputFacts {
  /** Null: nothing shows which value it is. */
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
  /** The first line, neutralised. */
  readonly text: string;
  /** An error of the host that it names. */
  readonly error: HostError | null;
  /** Only limits of the network can have stopped it. */
  readonly ofNetwork: boolean;
}

interface CodeFacts {
  readonly code: string;
}

export interface OperationFacts {
  readonly position: number;
  readonly code: string;
  /** Its kind and its fields as in the envelope; null: not known. */
  readonly described: {
    readonly kind: string;
    readonly fields: readonly (readonly [name: string, value: string])[];
  } | null;
}

interface OperationsFacts {
  /** Those that failed. */
  readonly failed: readonly OperationFacts[];
  /** Of the transaction, if no operation has one. */
  readonly code: string;
}

export interface RefusedFacts {
  readonly code: string;
  /** What the network required and the envelope has; null: not known. */
  readonly refusal: RefusedEnvelope | null;
  /** The fee that a node's answer shows to be needed. */
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
  /** Its state before the ledger's transactions; null when the chain record does not have it. */
  readonly state: AccountFacts | null;
}

/** What the answer is said to be, and what it is. */
interface ContradictionFacts {
  readonly status: TransactionStatus;
  /** The transaction's. */
  readonly code: string;
  readonly hash: string | null;
}

export interface SignaturesFacts {
  readonly code: string;
  readonly envelope: OfflineFacts;
  readonly flaw: /** These must sign it, and have not. */
    | { readonly case: "missing"; readonly accounts: readonly string[] }
    /** A signature in the name of the account is valid for no network that has a name. */
    | { readonly case: "unproven"; readonly account: string }
    /** `networkPassphrase`: of the one network for which it was signed. */
    | {
        readonly case: "unclear";
        readonly networkPassphrase: string | null;
        readonly asksForMore: boolean;
      }
    /** Nothing asks for the signatures of these. */
    | { readonly case: "surplus"; readonly accounts: readonly string[] };
}

export type EnvelopeFault =
  | { readonly id: "no-soroban-data" }
  | { readonly id: "unordered-map"; readonly map: OfflineFacts["unorderedMaps"][number] }
  | { readonly id: "unsigned-authorization"; readonly authorization: AuthorizationFacts };

interface EnvelopeFaultFacts {
  readonly fault: EnvelopeFault;
  /** The result beside it; null: there is none yet. */
  readonly code: string | null;
  /** A replay shows more; null: none is possible. */
  readonly replay: HashOnNetwork | null;
}

/** The hash of a transaction on a network. */
export interface HashOnNetwork {
  readonly hash: string;
  readonly networkPassphrase: string;
}

/** What is said of a cause beside its evidence: how it is known, and the host's own reports. */
export type FoundDetail =
  | { readonly kind: "method"; readonly place: PlaceInCode; readonly trapped: boolean }
  | { readonly kind: "host"; readonly report: ErrorReport; readonly isEarlier: boolean };

/** Where the code stopped, below the called function. */
interface PlaceInCode {
  readonly location: CodeLocation | undefined;
  readonly called: string | null;
}

/** A call that was authorized, with the calls that it was authorized to make. */
export interface SuppliedCall {
  readonly call: string;
  readonly calls: readonly SuppliedCall[];
}

/** What supports a cause. */
export type CauseEvidence =
  | { readonly kind: "failed-call"; readonly call: string }
  | { readonly kind: "callers"; readonly calls: readonly string[] }
  /** Where in the code. */
  | { readonly kind: "location"; readonly place: PlaceInCode }
  /** An error that came before the one that ended it: a contract caught it, or it led to it. */
  | { readonly kind: "reported-line"; readonly text: string }
  | { readonly kind: "earlier-error"; readonly report: ErrorReport }
  /** A supposition: it counts if nothing is known to have decided. */
  | { readonly kind: "looked-up"; readonly entry: string }
  | { readonly kind: "absent-entries"; readonly entries: readonly string[] }
  | { readonly kind: "one-of-entries"; readonly entries: readonly string[] }
  | {
      readonly kind: "counted-as-written";
      readonly entries: readonly {
        readonly name: string;
        /** In bytes; null: it did not exist. Absent: unknown. */
        readonly before?: number | null;
      }[];
      readonly more: number;
    }
  | { readonly kind: "also-archived"; readonly entry: ArchivedEntry }
  | {
      readonly kind: "required-authorization";
      readonly address: string;
      readonly calls: readonly string[];
      readonly certain: boolean;
    }
  | {
      readonly kind: "supplied-authorization";
      readonly address: string;
      readonly isOfSource: boolean;
      readonly calls: SuppliedCall;
      readonly signed: boolean;
      readonly last: number | null;
    }
  | { readonly kind: "no-authorizations" }
  | { readonly kind: "operation"; readonly operation: OperationFacts }
  | { readonly kind: "operation-fields"; readonly operation: OperationFacts }
  | { readonly kind: "more-operations"; readonly count: number }
  | { readonly kind: "node-lacks"; readonly entries: readonly string[]; readonly more: number }
  /** No replay confirms the node's diagnostic events. */
  | { readonly kind: "by-node-alone" }
  /** The replay ended in another way than the node's diagnostic events; null: without an error. */
  | { readonly kind: "replayed-otherwise"; readonly error: ErrorFacts | null }
  /** A run with this argument succeeds. */
  | { readonly kind: "other-argument"; readonly name: string; readonly value: string }
  /** An earlier transaction moved the state from the simulation's. */
  | {
      readonly kind: "state-changed";
      readonly transactionHash: string;
      readonly ledger: number;
      readonly applicationOrder: number;
      readonly entry: string;
      /** Empty: the entry itself. */
      readonly field: string;
      readonly before: string | null;
      readonly after: string | null;
    }
  /** The entry has the number of the key that was asked for. */
  | {
      readonly kind: "last-changed";
      readonly entry: string;
      readonly number: bigint;
      readonly ledger: number;
    }
  /** Names that well-known libraries have for the number of an error. */
  | { readonly kind: "library-errors"; readonly number: number }
  /** Whose the shown names are. */
  | { readonly kind: "names-of"; readonly of: string }
  /** What a known message of a tool means. */
  | { readonly kind: "message-meaning"; readonly meaning: string }
  /** The call that returned last before the error. */
  | {
      readonly kind: "returned-before";
      readonly call: string;
      readonly contract: string | null;
      readonly value: string;
    }
  /** What the envelope has of that which the code is about. */
  | { readonly kind: "envelope-terms"; readonly code: string; readonly terms: EnvelopeTerms }
  /** Hashes of the envelope; `isProven`: its signatures show the network. */
  | {
      readonly kind: "envelope-hashes";
      readonly hashes: readonly HashOnNetwork[];
      readonly isProven: boolean;
    };

/** Evidence for a cause if nothing is known to have decided. */
export function isSupposition({ kind }: CauseEvidence): boolean {
  return kind === "looked-up" || kind === "absent-entries";
}

/** What is said of a cause. */
export interface CauseWords {
  readonly summary: string;
  /** Null: none is known. */
  readonly remedy: string | null;
  /** The summary if the deciding value is known, which says the rest better. */
  readonly beforeDecision?: string;
  /** The remedy is for a failure of which nothing is known to have decided. */
  readonly isLastResort?: true;
}
