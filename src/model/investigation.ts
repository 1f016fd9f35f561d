// An Investigation is everything that svc found out about one transaction: the values of the walk.
// Renderers draw it.

import type { Wording } from "../base/phrase.ts";
import type { ChainRecord } from "./chain-record.ts";
import type { Conflict } from "./conflict.ts";
import type { Execution } from "./execution.ts";
import type { Explanation, NextStep } from "./explanation.ts";
import type { Fix } from "./fix.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Verdict } from "./verdict.ts";
import type { WhatIf } from "./what-if.ts";

export interface Investigation {
  readonly record: ChainRecord;
  /**
   * Null if nothing ran in the contract host, because the transaction is classic or was refused
   * before.
   */
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly verdict: Verdict | null;
  /** True for a transaction without a Soroban operation. */
  readonly classic: boolean;
  readonly explanation: Explanation;
  /** Null if the transaction succeeded. */
  readonly fix: Fix | null;
  /**
   * The remedy, from the explanation and the fix. Null if it is unknown, if nothing is wrong, or if
   * the fix states it.
   */
  readonly remedy: Wording | null;
  /**
   * What leads on, the most useful first. A failure has a fix, a remedy or these. A success has
   * none.
   */
  readonly next: readonly NextStep[];
  /** How the user named the transaction; absent if only by its hash. */
  readonly reference?: OwnReference;
  /** One sentence for each further run that failed, whose result is missing. */
  readonly caveats: readonly string[];
  /** Absent if no other transaction is known to have made this one fail. */
  readonly conflict?: Conflict;
  /** Present if svc made the call itself, on a fork. */
  readonly call?: MadeCall;
  /** Present if something was overridden. The verdict is about the replay without overrides. */
  readonly whatIf?: WhatIf;
}

/** How the user named a transaction and its sources: what a command for it needs again. */
export interface OwnReference {
  /** The path of a capsule, or null if the nodes have the transaction. */
  readonly from: string | null;
  /** The words of the `svc call` that makes the call; absent for a transaction. */
  readonly call?: readonly string[];
  /**
   * The settings for nodes, ledger files, and for a network that is not public, in order; empty if
   * none are needed. A value is null where the user replaces it: a URL may have a key in it.
   */
  readonly settings: readonly GivenSetting[];
  /** True if the user named RPC nodes, whose URLs are shown nowhere. */
  readonly namesRpc: boolean;
}

/** A setting that the user gave. */
export interface GivenSetting {
  readonly name: "network" | "networkPassphrase" | "horizonUrl" | "ledgerLakeUrl" | "ledgerFile";
  readonly value: string | null;
}

/** A call that svc made on a fork of its own, and sent to no network. */
export interface MadeCall {
  /**
   * What the transaction is: the call that was asked for, or a step before it that failed, so that
   * the call itself was not made.
   */
  readonly step: "call" | "code-upload" | "contract-deployment" | "earlier-call";
  /** The state before the call, such as `ledger 5 of testnet`. */
  readonly state: string;
  /** Who shows that state. `fork`: a running fork. `files`: a capsule or a saved fork. */
  readonly shownBy: "nodes" | "fork" | "archive" | "files" | "nobody";
  /** The strkey of the account that calls. */
  readonly source: string;
  /**
   * `given`: the user named the account. `authorizer`: the call needs this account's authorization.
   * `own`: an account of the fork, because no other is needed.
   */
  readonly sourceIs: "given" | "authorizer" | "own";
  /** The addresses that have to authorize the call on the network. */
  readonly authorizations: readonly MadeAuthorization[];
  /**
   * The LedgerKeys of entries that the call read, and that the file with the state does not have.
   * They counted as absent, although the chain may have them.
   */
  readonly countedAbsent: readonly string[];
  /** What the fork changed before the call, so that it can be made without a key. */
  readonly preparations: readonly CallPreparation[];
  /**
   * The TransactionEnvelope as a simulation returns it: complete and not signed. Null if the
   * simulation fails.
   */
  readonly envelopeXdr: string | null;
}

export interface MadeAuthorization {
  readonly address: string;
  /**
   * `source`: the signature of the transaction is enough. `fork`: the fork signed instead of the
   * account. `none`: nobody can sign for a contract, so its own check of the signature decides.
   */
  readonly signed: "source" | "fork" | "none";
}

export interface CallPreparation {
  readonly kind: "account-created" | "balance-raised";
  readonly address: string;
  /** Decimal: the balance that the account has for the call. */
  readonly balanceStroops: string;
}
