// A Simulation is what a transaction would do if it were sent now, and the resources and
// authorizations it needs for that: everything that Stellar RPC's `simulateTransaction` returns. A
// transaction that would fail is a value, with the host's error message in `error`.

import type { NamedAuthorization } from "./authorizations.ts";
import type { Cause, NamedChange, NamedEvent } from "./explanation.ts";

export interface SimulatedChange {
  readonly kind: "created" | "updated" | "deleted";
  readonly keyXdr: string;
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
}

/** What a RestoreFootprint transaction must declare, which has to be sent first. */
export interface RestorePreamble {
  readonly transactionDataXdr: string;
  readonly minResourceFeeStroops: string;
}

export interface Simulation {
  readonly host: { readonly protocol: number; readonly crateVersion: string };
  /** The ledger whose state it ran on; 0 when it was refused before any ledger was read. */
  readonly latestLedger: number;
  /** In Stellar RPC's words; null when the host ran it to its end. */
  readonly error: string | null;
  /** SorobanTransactionData with footprint, resources and fee; null when the host did not. */
  readonly transactionDataXdr: string | null;
  readonly minResourceFeeStroops: string;
  /** ScVal; null for restore and extend operations and for failures, which return nothing. */
  readonly returnValueXdr: string | null;
  /** SorobanAuthorizationEntry: recorded ones, which are unsigned, or the ones in the envelope. */
  readonly authorizationsXdr: readonly string[];
  /** DiagnosticEvent. */
  readonly diagnosticsXdr: readonly string[];
  readonly changes: readonly SimulatedChange[];
  readonly restorePreamble: RestorePreamble | null;
  /** As metered, without the margin that `transactionDataXdr` adds. */
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
}

/** What the transaction has to declare, as numbers and names. */
export interface SimulatedResources {
  readonly instructions: number;
  readonly diskReadBytes: number;
  readonly writeBytes: number;
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
  /** The archived entries of `readWrite`, which the transaction restores itself (protocol 23+). */
  readonly restored: readonly string[];
}

/** Why the network would not apply the transaction as it stands. */
export interface Refusal {
  /** Of the transaction or of its operation, or the host's error. */
  readonly code: string;
  /** What is wrong and, where that is known, what to do. */
  readonly detail: string;
  /** `likely`: it rests on an entry that no node gave. */
  readonly confidence: Cause["confidence"];
}

/** What no simulation covers, on the state of `ledger`. */
export interface Sending {
  readonly ledger: number;
  /** Empty when it would succeed as it stands. */
  readonly refusals: readonly Refusal[];
  /**
   * One of them is due to the footprint, the resources or the resource fee that the envelope
   * declares, or to its form: no signature and no other state changes that.
   */
  readonly failsAsDeclared: boolean;
  /**
   * Why it would fail with the resources that the simulation reports: a simulation counts no write
   * bytes for an entry that a caught error rolled back, and does not run `__check_auth` of contract
   * accounts that have not signed. Null where they suffice, or nothing ran.
   */
  readonly simulatedRefusal: Refusal | null;
}

/** A Simulation as a reader sees it; all text has been neutralised. */
export interface SimulationExplanation {
  /** `nothing-to-simulate`: no operation of the transaction runs in the contract host. */
  readonly outcome: "succeeds" | "fails" | "nothing-to-simulate";
  /** One sentence. */
  readonly headline: string;
  /** Null unless it would fail. */
  readonly cause: Cause | null;
  readonly evidence: readonly string[];
  readonly remedy: string | null;
  /** Null when it returns nothing. */
  readonly result: string | null;
  readonly authorizations: readonly NamedAuthorization[];
  /** Null when it would fail. */
  readonly resources: SimulatedResources | null;
  /** Entries that a separate transaction has to restore first. */
  readonly restoreFirst: readonly string[];
  readonly changes: readonly NamedChange[];
  /**
   * Entries that it may remove, or leave as they were: a simulation gives both the same where a
   * contract caught the error of a call that wrote them.
   */
  readonly maybeRemoved: readonly string[];
  /** Contract and system events. */
  readonly events: readonly NamedEvent[];
}

/** What `svc simulate` reports. */
export interface SimulationReport {
  readonly networkPassphrase: string;
  readonly simulation: Simulation;
  readonly explanation: SimulationExplanation;
  /** Null where it was not checked: no node gave the accounts, or nothing is to be sent. */
  readonly sending: Sending | null;
}
