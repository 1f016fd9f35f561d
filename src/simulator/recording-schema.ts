// The request and response of svc-sim-recording (src/svc-sim/README.md), snake_case as on the wire.

import * as v from "valibot";

export interface RecordingRequest {
  readonly simulation: {
    readonly auth_mode?: string;
    readonly use_upgraded_auth?: boolean;
    readonly instruction_leeway?: string;
    readonly base_prng_seed: string;
  };
  readonly envelope_xdr: string;
  readonly ledger_entries: Readonly<
    Record<string, null | { readonly entry_xdr: string; readonly live_until_ledger?: number }>
  >;
  readonly ledger: {
    readonly protocol_version: number;
    readonly sequence: number;
    readonly close_time_unix_seconds: string;
    readonly network_passphrase: string;
    readonly base_reserve_stroops: number;
  };
  readonly options?: { readonly deadline_milliseconds?: number };
}

const text = v.string();
const textOrNull = v.nullable(text);

/** A response without `error`. Either keys are missing or there is a simulation. */
export const recordingResponseSchema = v.object({
  format: v.literal(1),
  host: v.object({ protocol: v.number(), crate_version: text }),
  missing_keys: v.array(text),
  simulation: v.nullable(
    v.object({
      error: textOrNull,
      used_ledger: v.boolean(),
      transaction_data_xdr: textOrNull,
      min_resource_fee_stroops: text,
      return_value_xdr: textOrNull,
      auth_xdr: v.array(text),
      events_xdr: v.array(text),
      state_changes: v.array(
        v.object({ key_xdr: text, before_xdr: textOrNull, after_xdr: textOrNull }),
      ),
      restore_preamble: v.nullable(
        v.object({ transaction_data_xdr: text, min_resource_fee_stroops: text }),
      ),
      cpu_instructions: text,
      memory_bytes: text,
    }),
  ),
});

export type WireRecording = v.InferOutput<typeof recordingResponseSchema>;
export type WireSimulation = NonNullable<WireRecording["simulation"]>;
