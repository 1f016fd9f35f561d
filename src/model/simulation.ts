// A Simulation is what a transaction would do if it were sent now, and the resources and
// authorizations it needs for that: everything that Stellar RPC's `simulateTransaction` returns. A
// transaction that would fail is a value, with the host's error message in `error`.

import * as v from "valibot";
import { type Parsed, wireObject } from "../base/wire.ts";
import type { Cause, DiagnosticCall, Explanation, NamedCall } from "./explanation.ts";

const text = v.string();
const textOrNull = v.nullable(text);

const changeSchema = v.pipe(
  wireObject({ key_xdr: text, before_xdr: textOrNull, after_xdr: textOrNull }),
  v.transform((change) => ({ kind: kindOf(change), ...change })),
);
export type SimulatedChange = Parsed<typeof changeSchema>;

/** The report of svc-sim-recording about one run. */
export const simulationSchema = v.pipe(
  wireObject({
    /** The error in Stellar RPC's words; null if the host ran the call to its end. */
    error: textOrNull,
    /** False: the transaction was refused before any entry was read. */
    used_ledger: v.boolean(),
    /** SorobanTransactionData with footprint, resources and fee; null when the host did not. */
    transaction_data_xdr: textOrNull,
    min_resource_fee_stroops: text,
    /** ScVal; null for restore and extend operations and for failures, which return nothing. */
    return_value_xdr: textOrNull,
    /** SorobanAuthorizationEntry: recorded ones, which are unsigned, or the envelope's own. */
    auth_xdr: v.array(text),
    /** DiagnosticEvent. */
    events_xdr: v.array(text),
    state_changes: v.array(changeSchema),
    /** The data of a RestoreFootprint transaction, which has to be sent first. */
    restore_preamble: v.nullable(
      wireObject({ transaction_data_xdr: text, min_resource_fee_stroops: text }),
    ),
    /** The metered amounts, without the margin that `transactionDataXdr` adds. */
    cpu_instructions: text,
    memory_bytes: text,
  }),
  v.transform(({ authXdr, eventsXdr, stateChanges, ...simulation }) => ({
    ...simulation,
    authorizationsXdr: authXdr,
    diagnosticsXdr: eventsXdr,
    changes: stateChanges,
  })),
);

export interface Simulation extends Omit<Parsed<typeof simulationSchema>, "usedLedger"> {
  readonly host: { readonly protocol: number; readonly crateVersion: string };
  /** The ledger whose state it ran on; 0 when it was refused before any ledger was read. */
  readonly latestLedger: number;
}

function kindOf(change: { readonly beforeXdr: string | null; readonly afterXdr: string | null }) {
  if (change.beforeXdr === null) return "created" as const;
  return change.afterXdr === null ? ("deleted" as const) : ("updated" as const);
}

/** The resources that the transaction has to declare, as numbers and names. */
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
  /** The result code of the transaction or of its operation, or the host's error. */
  readonly code: string;
  /** The problem and, where that is known, the remedy. */
  readonly detail: string;
  /** `likely`: it rests on an entry that no node gave. */
  readonly confidence: Cause["confidence"];
}

/** The checks of the network that no simulation covers, on the state of `ledger`. */
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
export interface SimulationExplanation
  extends Pick<
    Explanation,
    | "headline"
    | "cause"
    | "evidence"
    | "remedy"
    | "authorizations"
    | "changes"
    | "events"
    | "logs"
    | "addresses"
  > {
  /** `nothing-to-simulate`: no operation of the transaction runs in the contract host. */
  readonly outcome: "succeeds" | "fails" | "nothing-to-simulate";
  /** Null when it returns nothing. */
  readonly result: string | null;
  /** Null when it would fail. */
  readonly resources: SimulatedResources | null;
  /** Entries that a separate transaction has to restore first. */
  readonly restoreFirst: readonly string[];
  /**
   * Entries that it may remove, or leave as they were: a simulation gives both the same where a
   * contract caught the error of a call that wrote them.
   */
  readonly maybeRemoved: readonly string[];
  /** The calls that the simulation's diagnostic events show. */
  readonly calls: readonly DiagnosticCall[];
  /**
   * The same calls with their host calls: from a run in the next ledger with the resources that the
   * simulation reports. Null if nobody asked for the run, or if it made other calls.
   */
  readonly trace: NamedCall | null;
}

/** The document that `svc simulate` reports. */
export interface SimulationReport {
  readonly networkPassphrase: string;
  readonly simulation: Simulation;
  readonly explanation: SimulationExplanation;
  /** Null where it was not checked: no node gave the accounts, or nothing is to be sent. */
  readonly sending: Sending | null;
}
