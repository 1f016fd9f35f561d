// The request to svc-sim-recording (src/svc-sim/README.md), in snake_case as on the wire.

import * as v from "valibot";
import { uint32 } from "../base/wire.ts";
import {
  byteCount,
  decimalOrInteger,
  entryOrName,
  filledBase64,
  lineFields,
  wireHash,
} from "./wire-schema.ts";

/** A simulation as svc-sim-recording reads it. */
export const recordingLineSchema = v.strictObject({
  simulation: v.strictObject({
    auth_mode: v.optional(v.string()),
    use_upgraded_auth: v.optional(v.boolean()),
    instruction_leeway: v.optional(decimalOrInteger),
    base_prng_seed: wireHash,
  }),
  envelope_xdr: v.pipe(filledBase64, v.description("TransactionEnvelope.")),
  ledger_entries: v.pipe(
    v.record(
      filledBase64,
      v.nullable(v.strictObject({ entry_xdr: entryOrName, live_until_ledger: v.nullish(uint32) })),
    ),
    v.description("LedgerKey → LedgerEntry; null: the entry does not exist."),
  ),
  ledger: v.strictObject({
    protocol_version: uint32,
    sequence: uint32,
    close_time_unix_seconds: decimalOrInteger,
    network_passphrase: v.string(),
    base_reserve_stroops: uint32,
  }),
  options: v.optional(
    v.strictObject({
      deadline_milliseconds: v.optional(uint32),
      memory_limit_bytes: v.optional(byteCount),
    }),
  ),
  ...lineFields,
});

export type RecordingRequest = Omit<
  v.InferOutput<typeof recordingLineSchema>,
  keyof typeof lineFields
>;
