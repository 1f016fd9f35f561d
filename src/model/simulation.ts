// A Simulation is what a transaction would do if it were sent now, and what it has to declare and
// have signed for that: everything that Stellar RPC's `simulateTransaction` answers. A transaction
// that would fail is a value, with the host's own words in `error`.

import type { Cause, NamedAuthorization, NamedChange, NamedEvent } from "./explanation.ts";

export interface SimulatedChange {
  readonly kind: "created" | "updated" | "deleted";
  readonly keyXdr: string;
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
}

/** What a RestoreFootprint transaction that has to go first must declare. */
export interface RestorePreamble {
  readonly transactionDataXdr: string;
  readonly minResourceFeeStroops: string;
}

export interface Simulation {
  readonly host: { readonly protocol: number; readonly crateVersion: string };
  /** Whose state it ran against; 0: it was refused before any ledger was looked at. */
  readonly latestLedger: number;
  /** As Stellar RPC words it; null: it would succeed. */
  readonly error: string | null;
  /** SorobanTransactionData with footprint, resources and fee; null when it would fail. */
  readonly transactionDataXdr: string | null;
  readonly minResourceFeeStroops: string;
  /** ScVal; null for what returns nothing: restoring, extending, failing. */
  readonly returnValueXdr: string | null;
  /** SorobanAuthorizationEntry, recorded and not signed, or as they were given. */
  readonly authorizationsXdr: readonly string[];
  /** DiagnosticEvent. */
  readonly diagnosticsXdr: readonly string[];
  readonly changes: readonly SimulatedChange[];
  readonly restorePreamble: RestorePreamble | null;
  /** As metered, without what `transactionDataXdr` adds for safety. */
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
}

/** What has to be declared, in numbers and in names. */
export interface SimulatedResources {
  readonly instructions: number;
  readonly diskReadBytes: number;
  readonly writeBytes: number;
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
  /** Of `readWrite`: archived, and restored by the transaction itself (protocol 23+). */
  readonly restored: readonly string[];
}

/** A Simulation as a reader is told it; all text has been neutralised. */
export interface SimulationExplanation {
  /** `nothing-to-simulate`: none of its operations runs in the contract host. */
  readonly outcome: "succeeds" | "fails" | "nothing-to-simulate";
  /** One sentence. */
  readonly headline: string;
  /** Null unless it would fail, like all three below. */
  readonly cause: Cause | null;
  readonly evidence: readonly string[];
  readonly remedy: string | null;
  /** Null when it returns nothing. */
  readonly result: string | null;
  readonly authorizations: readonly NamedAuthorization[];
  /** Null when it would fail. */
  readonly resources: SimulatedResources | null;
  /** Entries that a transaction of its own has to restore first. */
  readonly restoreFirst: readonly string[];
  readonly changes: readonly NamedChange[];
  /** Contract and system events. */
  readonly events: readonly NamedEvent[];
}

/** What `svc simulate` reports. */
export interface SimulationReport {
  readonly networkPassphrase: string;
  readonly simulation: Simulation;
  readonly explanation: SimulationExplanation;
}
