// A Simulation is what a transaction would do if it were sent now, and the resources and
// authorizations that it needs for that: everything that Stellar RPC's `simulateTransaction`
// returns. A transaction that would fail is a value, with the host's error message in `error`.

import * as v from "valibot";
import type { Wording } from "../base/phrase.ts";
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
    /** False if the transaction was refused before any entry was read. */
    used_ledger: v.boolean(),
    /**
     * SorobanTransactionData with footprint, resources and fee; null if the host did not finish.
     */
    transaction_data_xdr: textOrNull,
    min_resource_fee_stroops: text,
    /** An ScVal; null for restore and extend operations and for failures, which return nothing. */
    return_value_xdr: textOrNull,
    /** SorobanAuthorizationEntries: recorded ones, which are unsigned, or the envelope's own. */
    auth_xdr: v.array(text),
    /** DiagnosticEvents. */
    events_xdr: v.array(text),
    state_changes: v.array(changeSchema),
    /** The data of a RestoreFootprint transaction that has to be sent first. */
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
  /**
   * The ledger whose state the simulation ran on; 0 if it was refused before any ledger was read.
   */
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
  /** The archived entries of `readWrite` that the transaction restores itself (protocol 23+). */
  readonly restored: readonly string[];
}

/** A reason why the network would not apply the transaction as it is. */
export interface SendingRefusal {
  /** The result code of the transaction or of its operation, or the host's error. */
  readonly code: string;
  /** The problem and, if it is known, the remedy. */
  readonly detail: Wording;
  /** `likely` if the refusal depends on an entry that no node returned. */
  readonly confidence: Cause["confidence"];
}

/** The checks of the network that no simulation covers, on the state of `ledger`. */
export interface Sending {
  readonly ledger: number;
  /** Empty if the transaction would succeed as it is. */
  readonly refusals: readonly SendingRefusal[];
  /**
   * True if one of the refusals comes from the footprint, the resources or the resource fee that
   * the envelope declares, or from its form. No signature and no other state changes that.
   */
  readonly failsAsDeclared: boolean;
  /**
   * The reason why the transaction would fail with the resources that the simulation reports. A
   * simulation counts no write bytes for an entry that a caught error rolled back, and does not run
   * `__check_auth` of contract accounts that have not signed. Null if the resources suffice, or
   * nothing ran.
   */
  readonly simulatedRefusal: SendingRefusal | null;
  /**
   * The network settings that no node returned, which happens with a fork of a capsule. The rules
   * that need them were not checked.
   */
  readonly unchecked: readonly string[];
  /** The accounts whose missing signatures a fork does not ask for; a network would refuse it. */
  readonly waived: readonly string[];
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
  /** `nothing-to-simulate` means that no operation of the transaction runs in the contract host. */
  readonly outcome: "succeeds" | "fails" | "nothing-to-simulate";
  /** Null if the call returns nothing. */
  readonly result: string | null;
  /** Null if the transaction would fail. */
  readonly resources: SimulatedResources | null;
  /** Entries that a separate transaction has to restore first. */
  readonly restoreFirst: readonly string[];
  /**
   * Entries that the transaction may remove, or leave unchanged. A simulation reports both alike if
   * a contract caught the error of a call that wrote them.
   */
  readonly maybeRemoved: readonly string[];
  /** The calls that the simulation's diagnostic events show. */
  readonly calls: readonly DiagnosticCall[];
  /**
   * The same calls with their host calls, from a run in the next ledger with the resources that the
   * simulation reports. Null if the run was not requested, or if it made other calls.
   */
  readonly trace: NamedCall | null;
}

/** The document that `svc simulate` reports. */
export interface SimulationReport {
  readonly networkPassphrase: string;
  readonly simulation: Simulation;
  readonly explanation: SimulationExplanation;
  /**
   * Null if nothing was checked, because no node returned the accounts, or nothing is to be sent.
   */
  readonly sending: Sending | null;
  /**
   * The envelope without signatures, with what the simulation reports; null if a signature alone
   * would not make it succeed.
   */
  readonly envelopeToSignXdr: string | null;
}
