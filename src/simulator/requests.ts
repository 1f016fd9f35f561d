// The requests to svc-sim and svc-sim-recording. No other code writes the snake_case fields of the
// wire. These functions only rename and collect values: they invent none, and leave out what
// svc-sim reads from the envelope itself. JSON leaves out undefined fields.

import * as v from "valibot";
import { fieldProblem } from "../base/errors/field-problems.ts";
import { type ChainRecord, type LedgerFacts, seedOrder } from "../model/chain-record.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { WrittenParts } from "./client-fault.ts";
import type { RecordingRequest } from "./recording-schema.ts";
import { requestInvalid } from "./simulator-error.ts";
import { type ReplayRequest, requestSchema, simulateRequestSchema } from "./wire-schema.ts";

export interface RequestOptions {
  /** Records the call tree and each call's host calls. It never changes the metering. */
  readonly trace: boolean | "host_calls";
  /** Records the cost of each stack. It never changes the metering either. */
  readonly profile?: boolean;
  /** Collects diagnostic events, which are never metered. */
  readonly diagnostics: boolean;
  readonly deadlineMilliseconds?: number;
  /** The fee that the fee phase took from the fee source; null if no source knows it. */
  readonly feeTakenStroops: string | null;
  /** False if the fee source could not receive the refund. */
  readonly refundIsPaid?: boolean;
}

/** The request for a transaction as the chain ran it, on its snapshot. */
export function replayRequest(
  record: Pick<ChainRecord, "envelopeXdr" | "networkPassphrase" | "ledger" | "applicationOrder">,
  snapshot: Snapshot,
  options: RequestOptions,
): ReplayRequest {
  const { transactionSetHash } = record.ledger;
  return {
    envelope_xdr: record.envelopeXdr,
    // The snapshot has everything that svc-sim would look for in the meta.
    result_meta_xdr: "",
    ledger_entries: Object.fromEntries(
      snapshot.entries.map((entry) => [entry.keyXdr, snapshotEntry(entry)]),
    ),
    ledger: {
      ...ledgerFields(record.ledger),
      network_passphrase: record.networkPassphrase,
      base_prng_seed: transactionSetHash,
      application_order: seedOrder(record),
      settings: snapshot.settings.map((setting) => setting.entryXdr),
      restored_earlier: restoredEarlier(snapshot),
      rent_fee_per_1kb_stroops: snapshot.rentFeePer1KbStroops ?? undefined,
      fee_charged_before_refund_stroops: options.feeTakenStroops ?? undefined,
      refund_is_paid: options.refundIsPaid === false ? false : undefined,
    },
    options: {
      trace: options.trace,
      profile: options.profile === true ? true : undefined,
      diagnostics: options.diagnostics,
      deadline_milliseconds: options.deadlineMilliseconds,
    },
  };
}

/** Fields of an entry in a request, for an entry that exists. */
export interface EntryFields {
  /** Null if the network has no TTL for the entry. */
  readonly liveUntilLedger?: number | null;
  readonly archived?: boolean;
  readonly codeCached?: boolean;
}

/** The request with other fields for these entries. Keys without an entry stay without one. */
export function withEntryFields(
  request: ReplayRequest,
  keysXdr: readonly string[],
  fields: EntryFields,
): ReplayRequest {
  const entries = { ...request.ledger_entries };
  for (const keyXdr of keysXdr) {
    const entry = entries[keyXdr];
    if (entry && typeof entry === "object") entries[keyXdr] = { ...entry, ...entryFields(fields) };
  }
  return { ...request, ledger_entries: entries };
}

/** The request with this entry instead of the one that it had for the key. */
export function withEntry(
  request: ReplayRequest,
  keyXdr: string,
  entryXdr: string,
  fields: EntryFields,
): ReplayRequest {
  const entry = { entry_xdr: entryXdr, ...entryFields(fields) };
  return { ...request, ledger_entries: { ...request.ledger_entries, [keyXdr]: entry } };
}

/** The fields that replace those of an entry. */
function entryFields({ liveUntilLedger, archived, codeCached }: EntryFields) {
  const fields = { live_until_ledger: liveUntilLedger, archived, code_cached: codeCached };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** A request that svc-sim can read and then refuses, because it has nothing to run. */
export const EMPTY_REQUEST: ReplayRequest = {
  envelope_xdr: "",
  result_meta_xdr: "",
  ledger_entries: {},
};

type LedgerClose = Pick<
  LedgerFacts,
  "protocolVersion" | "sequence" | "closeTimeUnixSeconds" | "baseReserveStroops"
>;

/** An entry that exists. */
export interface LiveEntry {
  readonly entryXdr: string;
  readonly liveUntilLedger: number | null;
  readonly archived: boolean;
}

type LiveEntries = Iterable<readonly [keyXdr: string, entry: LiveEntry | null]>;

export interface Preflight {
  readonly envelopeXdr: string;
  readonly networkPassphrase: string;
  readonly ledger: LedgerClose;
  /** Null if the entry does not exist. */
  readonly entries: LiveEntries;
  /** The seed of nonces and of the numbers that contracts draw: 32 bytes in hex. */
  readonly seed: string;
  readonly authMode?: string;
  readonly useUpgradedAuth?: boolean;
  readonly instructionLeeway?: string;
}

/** The first protocol whose host records authorizations that only a deeper call requires. */
const DEEPER_AUTHORIZATIONS_PROTOCOL = 23;

/** The mode that records as many authorizations as the host of the protocol can. */
export function recordingModeOf(protocolVersion: number): "record" | "record_allow_nonroot" {
  return protocolVersion < DEEPER_AUTHORIZATIONS_PROTOCOL ? "record" : "record_allow_nonroot";
}

/** The request to simulate a transaction that has not run, for svc-sim-recording. */
export function preflightRequest(preflight: Preflight): RecordingRequest {
  return {
    simulation: {
      base_prng_seed: preflight.seed,
      auth_mode: preflight.authMode,
      use_upgraded_auth: preflight.useUpgradedAuth === true ? true : undefined,
      instruction_leeway: preflight.instructionLeeway,
    },
    envelope_xdr: preflight.envelopeXdr,
    ledger_entries: liveEntries(preflight.entries),
    ledger: {
      ...ledgerFields(preflight.ledger),
      network_passphrase: preflight.networkPassphrase,
    },
  };
}

/** Values for the fields that a client of the daemon leaves out. */
export interface RequestDefaults {
  readonly networkPassphrase: string;
  readonly mostMilliseconds: number;
  /** The shortest time after which svc ends a run by itself. */
  readonly ownMilliseconds: number;
}

export interface SimulateRequest {
  readonly request: ReplayRequest;
  /** A request without entries runs on the latest ledger. */
  readonly written: WrittenParts;
  /** The client's name for the request; absent if there is none. */
  readonly id?: unknown;
}

/** Reads the body of POST /v1/simulate. Throws REQUEST_INVALID with every invalid field. */
export function readSimulateRequest(json: unknown, defaults: RequestDefaults): SimulateRequest {
  const { id, ...body } = checked(simulateRequestSchema, json);
  const { ledger_entries, ledger, options } = body;
  const requestedMilliseconds = options?.deadline_milliseconds ?? defaults.mostMilliseconds;
  return {
    request: {
      ...body,
      result_meta_xdr: body.result_meta_xdr ?? "",
      ledger_entries: ledger_entries ?? {},
      ledger: { network_passphrase: defaults.networkPassphrase, ...ledger },
      options: {
        ...options,
        deadline_milliseconds: Math.min(requestedMilliseconds, defaults.mostMilliseconds),
      },
    },
    written: {
      entries: ledger_entries !== undefined,
      protocol: ledger?.protocol_version !== undefined,
      deadlineMilliseconds:
        requestedMilliseconds < defaults.ownMilliseconds ? requestedMilliseconds : null,
    },
    id,
  };
}

/** The state of a ledger, as a node reports it. */
export interface ReportedState {
  readonly entries: LiveEntries;
  readonly ledger: LedgerClose;
  readonly settingsXdr: readonly string[];
}

/** The request with these entries, and with facts of the ledger if it has none. */
export function withState(request: ReplayRequest, state: ReportedState): ReplayRequest {
  return {
    ...request,
    ledger_entries: liveEntries(state.entries),
    ledger: {
      ...ledgerFields(state.ledger),
      settings: [...state.settingsXdr],
      ...request.ledger,
    },
  };
}

/** The request for a transaction that has not run, as the network would run it in that ledger. */
export function enforcedRequest(
  envelopeXdr: string,
  networkPassphrase: string,
  state: ReportedState,
  hostCalls = false,
): ReplayRequest {
  const trace = hostCalls ? ("host_calls" as const) : true;
  const unsent = {
    ...EMPTY_REQUEST,
    envelope_xdr: envelopeXdr,
    ledger: { network_passphrase: networkPassphrase },
    options: { trace, diagnostics: true },
  };
  return withState(unsent, state);
}

/** Checks a request for `--strict-validation`. Throws REQUEST_INVALID with every invalid field. */
export function checkRequest(request: unknown): ReplayRequest {
  return checked(requestSchema, request);
}

function checked<Output>(schema: v.GenericSchema<unknown, Output>, request: unknown): Output {
  const parsed = v.safeParse(schema, request);
  if (parsed.success) return parsed.output;
  throw requestInvalid(
    parsed.issues.map((issue) => ({
      field: v.getDotPath(issue) ?? "request",
      problem: fieldProblem(schema, issue),
    })),
  );
}

function ledgerFields(ledger: LedgerClose) {
  return {
    protocol_version: ledger.protocolVersion,
    sequence: ledger.sequence,
    close_time_unix_seconds: ledger.closeTimeUnixSeconds,
    base_reserve_stroops: ledger.baseReserveStroops,
  };
}

function snapshotEntry(entry: SnapshotEntry): ReplayRequest["ledger_entries"][string] {
  if (entry.entryXdr === null) return null;
  return {
    entry_xdr: entry.entryXdr,
    live_until_ledger: entry.liveUntilLedger ?? undefined,
    archived: entry.archived ? true : undefined,
    code_cached: entry.codeCached ?? undefined,
  };
}

function liveEntries(entries: LiveEntries) {
  return Object.fromEntries(
    [...entries].map(([keyXdr, entry]) => [
      keyXdr,
      entry && {
        entry_xdr: entry.entryXdr,
        // The host's recording mode takes an archived entry as a node reports it.
        live_until_ledger: entry.archived ? 0 : (entry.liveUntilLedger ?? undefined),
      },
    ]),
  );
}

/** The entries that an earlier transaction restored; undefined if there are none. */
function restoredEarlier({ entries }: Snapshot): string[] | undefined {
  const restored = entries.flatMap((entry) => (entry.restoredEarlier ? entry.keyXdr : []));
  return restored.length === 0 ? undefined : restored;
}
