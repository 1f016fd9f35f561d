// Recording and Snapshot → what svc-sim is asked. Only renames and gathers: what svc-sim can read
// in the envelope and the meta is not repeated, and nothing is made up here.

import * as v from "valibot";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import { requestInvalid } from "./simulator-error.ts";
import { type ReplayRequest, requestSchema } from "./wire-schema.ts";

export interface RequestOptions {
  /** Record the call tree, and each call's calls to the host; never changes the metering. */
  readonly trace: boolean | "host_calls";
  /** Record what each stack spent; never changes the metering either. */
  readonly profile?: boolean;
  /** Collect diagnostic events; never metered. */
  readonly diagnostics: boolean;
  readonly deadlineMilliseconds?: number;
  /** What the fee phase took from the fee source; null when no source says. */
  readonly feeTakenStroops: string | null;
  /** False: the fee source could not take the refund. */
  readonly refundIsPaid?: boolean;
}

export function buildRequest(
  record: ChainRecord,
  snapshot: Snapshot,
  options: RequestOptions,
): ReplayRequest {
  const { ledger } = record;
  return {
    envelope_xdr: record.envelopeXdr,
    result_meta_xdr: record.resultMetaXdr ?? "",
    ledger_entries: Object.fromEntries(
      snapshot.entries.map((entry) => [entry.keyXdr, wireEntry(entry)]),
    ),
    ledger: {
      protocol_version: ledger.protocolVersion,
      sequence: ledger.sequence,
      close_time_unix_seconds: ledger.closeTimeUnixSeconds,
      network_passphrase: record.networkPassphrase,
      base_reserve_stroops: ledger.baseReserveStroops,
      base_prng_seed: ledger.transactionSetHash,
      application_order: record.applicationOrder,
      settings: snapshot.settings.map((setting) => setting.entryXdr),
      ...restoredEarlier(snapshot),
      ...optional("rent_fee_per_1kb_stroops", snapshot.rentFeePer1KbStroops),
      ...optional("fee_charged_before_refund_stroops", options.feeTakenStroops),
      ...(options.refundIsPaid === false ? { refund_is_paid: false } : {}),
    },
    options: {
      trace: options.trace,
      ...(options.profile === true ? { profile: true } : {}),
      diagnostics: options.diagnostics,
      ...(options.deadlineMilliseconds === undefined
        ? {}
        : { deadline_milliseconds: options.deadlineMilliseconds }),
    },
  };
}

/** `--strict-validation`: throws REQUEST_INVALID naming every field that is not as it should be. */
export function checkRequest(request: unknown): ReplayRequest {
  const parsed = v.safeParse(requestSchema, request);
  if (parsed.success) return parsed.output;
  throw requestInvalid(
    parsed.issues.map((issue) => ({
      field: v.getDotPath(issue) ?? "request",
      problem: issue.message,
    })),
  );
}

function wireEntry(entry: SnapshotEntry): ReplayRequest["ledger_entries"][string] {
  if (entry.entryXdr === null) return null;
  return {
    entry_xdr: entry.entryXdr,
    ...(entry.liveUntilLedger === null ? {} : { live_until_ledger: entry.liveUntilLedger }),
    ...(entry.archived ? { archived: true } : {}),
    ...(entry.codeCached === null ? {} : { code_cached: entry.codeCached }),
  };
}

function restoredEarlier(snapshot: Snapshot): { restored_earlier?: string[] } {
  const entries = snapshot.entries.filter((entry) => entry.restoredEarlier === true);
  return entries.length === 0 ? {} : { restored_earlier: entries.map(({ keyXdr }) => keyXdr) };
}

function optional<Name extends string>(
  name: Name,
  value: string | null,
): { [key in Name]?: string } {
  return (value === null ? {} : { [name]: value }) as { [key in Name]?: string };
}
