// The requests to svc-sim (src/svc-sim/README.md) and its errors as valibot schemas, in snake_case
// as on the wire. `npm run docs` generates the JSON schemas of requests, in the protocol and in the
// daemon's OpenAPI document, from these. The schema of a response is that of an Execution.

import * as v from "valibot";
import { isBase64 } from "../base/text/base64.ts";
import { decimal, uint32 } from "../base/wire.ts";

const BASE64_PATTERN = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

/** The check takes a fifth of the pattern's time. The pattern is for the JSON schemas. */
const base64 = v.pipe(
  v.string(),
  v.check(isBase64, "must be standard base64"),
  v.metadata({ pattern: BASE64_PATTERN }),
);
export const filledBase64 = v.pipe(base64, v.nonEmpty("must not be empty"));
export const wireHash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits"),
);

export const decimalOrInteger = v.union([v.pipe(v.number(), v.safeInteger()), decimal]);
export const byteCount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const namedWasm = v.strictObject({
  wasm: v.optional(v.pipe(filledBase64, v.description("A build of the same code with names."))),
});

const optionFields = {
  trace: v.optional(v.union([v.boolean(), v.picklist(["calls", "host_calls"])])),
  profile: v.optional(v.boolean()),
  locate: v.optional(namedWasm),
  functions: v.optional(namedWasm),
  why: v.optional(v.boolean()),
  branch: v.optional(
    v.strictObject({ frame: uint32, code: wireHash, address: uint32, count: byteCount }),
  ),
  branches: v.optional(v.boolean()),
  diagnostics: v.optional(v.boolean()),
  deadline_milliseconds: v.optional(v.pipe(uint32, v.minValue(1))),
  memory_limit_bytes: v.optional(byteCount),
};

type EntryText = v.GenericSchema<string>;

const entryFields = (entry: EntryText) =>
  v.strictObject({
    entry_xdr: entry,
    live_until_ledger: v.nullish(uint32),
    archived: v.optional(v.boolean()),
    code_cached: v.nullish(v.boolean()),
  });
type WireEntryFields = v.InferOutput<ReturnType<typeof entryFields>>;

/** The fields of a request. `entry` is the form of a LedgerEntry. */
function requestFields(entry: EntryText) {
  const entryWithTtl = entryFields(entry);
  const alternatives = v.union([v.null(), entry, entryWithTtl]);
  return {
    envelope_xdr: v.pipe(filledBase64, v.description("TransactionEnvelope.")),
    result_meta_xdr: v.pipe(base64, v.description("TransactionMeta; empty if there is none.")),
    ledger_entries: v.pipe(
      v.record(
        filledBase64,
        // A union would report that no alternative fits, but this names the field in the entry. The
        // generator of the JSON schemas has no input, and gets every alternative.
        v.lazy((input): v.GenericSchema<string | WireEntryFields | null> => {
          if (input === undefined || input === null) return alternatives;
          return typeof input === "object" ? entryWithTtl : entry;
        }),
      ),
      v.description("LedgerKey → LedgerEntry; null: the entry does not exist."),
    ),
    ledger: v.optional(
      v.strictObject({
        protocol_version: v.optional(uint32),
        sequence: v.optional(uint32),
        close_time_unix_seconds: v.optional(decimalOrInteger),
        network_passphrase: v.optional(v.string()),
        base_reserve_stroops: v.optional(uint32),
        base_prng_seed: v.optional(wireHash),
        application_order: v.optional(uint32),
        settings: v.optional(v.array(entry)),
        restored_earlier: v.optional(v.array(filledBase64)),
        rent_fee_per_1kb_stroops: v.optional(decimalOrInteger),
        fee_charged_before_refund_stroops: v.optional(decimalOrInteger),
        refund_is_paid: v.optional(v.boolean()),
      }),
    ),
    options: v.optional(v.strictObject(optionFields)),
  };
}

/** A replay request as svc builds it. It is checked only with `--strict-validation`. */
export const requestSchema = v.strictObject(requestFields(filledBase64));
export type ReplayRequest = v.InferOutput<typeof requestSchema>;

const { result_meta_xdr, ledger_entries } = requestSchema.entries;
/** The body of POST /v1/simulate. Without entries the transaction runs on the latest ledger. */
export const simulateRequestSchema = v.strictObject({
  id: v.optional(v.pipe(v.unknown(), v.description("Any JSON value; the answer has it too."))),
  ...requestSchema.entries,
  result_meta_xdr: v.optional(result_meta_xdr),
  ledger_entries: v.optional(ledger_entries),
});

/** The fields of a line to svc-sim in addition to its request (sent-entries.ts). */
export const lineFields = {
  id: v.optional(v.unknown()),
  define: v.optional(v.record(v.string(), filledBase64)),
  forget: v.optional(v.array(v.string())),
};
/** An entry, or the name of one that this line or an earlier one defines. */
export const entryOrName = v.union([filledBase64, v.pipe(v.string(), v.regex(/^#./))]);
const fieldsOfLine = requestFields(entryOrName);
/**
 * A request as svc-sim reads it. Only svc itself uses `record`; no client of the daemon asks for
 * it. Without entries, svc-sim takes those that the meta shows; svc always sends them.
 */
export const lineSchema = v.strictObject({
  ...fieldsOfLine,
  ...lineFields,
  ledger_entries: v.optional(fieldsOfLine.ledger_entries),
  options: v.optional(
    v.strictObject({
      ...optionFields,
      record: v.optional(v.strictObject({ wasm: v.optional(v.array(filledBase64)) })),
    }),
  ),
});

/**
 * The codes in src/svc-sim/README.md. svc accepts others too, because svc-sim may be a later
 * release.
 */
export const SIMULATOR_ERROR_CODES = [
  "BAD_REQUEST",
  "BAD_XDR",
  "NOT_DEFINED",
  "WRONG_BUILD",
  "UNSUPPORTED_PROTOCOL",
  "UNKNOWN_PROTOCOL",
  "NOT_SOROBAN",
  "WASM_DIFFERS",
  "DEADLINE",
  "SIM_PANIC",
] as const;
export type SimulatorErrorCode = (typeof SIMULATOR_ERROR_CODES)[number];

/** `{ "id", "format", "error" }`: svc-sim could not carry out the simulation. */
export const errorResponseSchema = v.object({
  format: v.literal(1),
  error: v.object({
    code: v.string(),
    message: v.string(),
    field: v.nullish(v.string(), null),
    key_xdr: v.nullish(v.string(), null),
  }),
});

export type WireError = v.InferOutput<typeof errorResponseSchema>["error"];
