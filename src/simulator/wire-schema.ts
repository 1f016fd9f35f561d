// The requests and the responses of svc-sim (src/svc-sim/README.md) as valibot schemas, in
// snake_case as on the wire. `npm run docs` generates the JSON schemas of requests, in the protocol
// and in the daemon's OpenAPI document, from these.
// Invariant: a response that passes `responseSchema` becomes an Execution by renaming alone.
// The schemas are shallow because `svc verify` parses thousands of responses: strings are not
// decoded here, since the judge compares bytes and need not know that they are XDR.

import * as v from "valibot";
import { isBase64 } from "../base/text/base64.ts";

const BASE64_PATTERN = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

/** The check costs a fifth of what the pattern costs; the pattern is for the JSON schemas. */
const base64 = v.pipe(
  v.string(),
  v.check(isBase64, "must be standard base64"),
  v.metadata({ pattern: BASE64_PATTERN }),
);
export const filledBase64 = v.pipe(base64, v.nonEmpty("must not be empty"));
const decimal = v.pipe(
  v.string(),
  v.regex(/^-?[0-9]{1,20}$/, "must be a decimal integer in a string"),
);
export const uint32 = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffff_ffff));
export const hash = v.pipe(
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
type EntryFields = v.InferOutput<ReturnType<typeof entryFields>>;

/** `entry`: how a LedgerEntry is written. */
function requestFields(entry: EntryText) {
  const given = entryFields(entry);
  const alternatives = v.union([v.null(), entry, given]);
  return {
    envelope_xdr: v.pipe(filledBase64, v.description("TransactionEnvelope.")),
    result_meta_xdr: v.pipe(base64, v.description("TransactionMeta; empty if there is none.")),
    ledger_entries: v.pipe(
      v.record(
        filledBase64,
        // A union would report that no alternative fits; this names the field inside the entry. The
        // generator of the JSON schemas has no input, and gets every alternative.
        v.lazy((input): v.GenericSchema<string | EntryFields | null> => {
          if (input === undefined || input === null) return alternatives;
          return typeof input === "object" ? given : entry;
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
        base_prng_seed: v.optional(hash),
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

/** A replay, as svc builds it. Checked only with `--strict-validation`. */
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
/**
 * A request as svc-sim reads it. `digest` and `record` are svc's own: no client of the daemon asks for
 * them.
 */
export const lineSchema = v.strictObject({
  ...requestFields(entryOrName),
  ...lineFields,
  options: v.optional(
    v.strictObject({
      ...optionFields,
      digest: v.optional(v.boolean()),
      record: v.optional(v.strictObject({ wasm: v.optional(v.array(filledBase64)) })),
    }),
  ),
});

const text = v.string();
const textOrNull = v.nullable(v.string());
const texts = v.array(v.string());

export interface WireCallNode {
  kind: string;
  contract: string | null;
  function: string | null;
  arguments_xdr: string[];
  result_xdr: string | null;
  failed: boolean;
  cpu_instructions: string;
  memory_bytes: string;
  calls: WireCallNode[];
  host_calls?: WireHostCall[] | null | undefined;
  host_calls_left_out?: number | null | undefined;
}

const hostCallSchema = v.object({
  function: text,
  arguments_xdr: v.array(textOrNull),
  result_xdr: textOrNull,
  failed: v.boolean(),
  depth: uint32,
  after_calls: uint32,
  cpu_instructions: decimal,
  memory_bytes: decimal,
});

export type WireHostCall = v.InferOutput<typeof hostCallSchema>;

const callNodeSchema: v.GenericSchema<WireCallNode> = v.object({
  kind: text,
  contract: textOrNull,
  function: textOrNull,
  arguments_xdr: texts,
  result_xdr: textOrNull,
  failed: v.boolean(),
  cpu_instructions: text,
  memory_bytes: text,
  calls: v.array(v.lazy(() => callNodeSchema)),
  host_calls: v.nullish(v.array(hostCallSchema)),
  host_calls_left_out: v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});

/** Limits are 32 bits wide, so what was metered is a safe integer: at most 15 digits. */
const metered = v.pipe(v.string(), v.regex(/^\d{1,15}$/, "must be a metered amount"));

const profileSchema = v.object({
  stacks: v.array(v.object({ frames: v.pipe(texts, v.nonEmpty()), cpu: metered, memory: metered })),
  functions: v.optional(v.object({ available: v.boolean(), reason: textOrNull })),
});

const numberOrNull = v.nullable(uint32);

const locationSchema = v.union([
  v.object({ reason: text }),
  v.object({
    contract: text,
    code_hash: text,
    lines_from: v.nullable(v.picklist(["contract", "given_wasm"])),
    frames: v.array(
      v.object({
        function_index: uint32,
        function: textOrNull,
        address: numberOrNull,
        sources: v.array(
          v.object({
            function: textOrNull,
            file: textOrNull,
            line: numberOrNull,
            column: numberOrNull,
          }),
        ),
      }),
    ),
    frames_left_out: uint32,
  }),
]);

const outcomeSchema = v.variant("kind", [
  v.object({ kind: v.literal("success") }),
  v.object({ kind: v.literal("failed"), code: text }),
  v.object({ kind: v.literal("internal_error"), message: text }),
]);

export const feesSchema = v.object({
  resource_fee_stroops: text,
  non_refundable_stroops: text,
  rent_stroops: text,
  refundable_consumed_stroops: text,
  refund_stroops: text,
});

/** A response without `error`. Unknown fields are ignored: svc-sim may be newer than svc. */
export const responseSchema = v.object({
  format: v.literal(1),
  host: v.object({ protocol: v.number(), crate_version: text }),
  transaction_hash: text,
  operation: v.picklist(["invoke_host_function", "extend_footprint_ttl", "restore_footprint"]),
  outcome: outcomeSchema,
  operation_result_xdr: textOrNull,
  result_xdr: textOrNull,
  success_hash: textOrNull,
  return_value_xdr: textOrNull,
  changes: v.array(
    v.object({
      kind: v.picklist(["created", "updated", "removed", "restored"]),
      key_xdr: text,
      before_xdr: textOrNull,
      after_xdr: textOrNull,
    }),
  ),
  events_xdr: texts,
  diagnostics_xdr: texts,
  host_error: v.nullable(
    v.object({ type: text, code: text, contract_code: v.nullable(v.number()) }),
  ),
  fees: feesSchema,
  metrics: v.record(text, text),
  cpu_insn_before_22: v.optional(text),
  limits: v.record(text, text),
  costs: v.array(
    v.object({ type: text, iterations: text, inputs: textOrNull, cpu: text, memory: text }),
  ),
  call_tree: v.nullable(callNodeSchema),
  profile: v.nullish(profileSchema, null),
  location: v.nullish(locationSchema),
  assumed: v.array(v.object({ what: text, key_xdr: textOrNull, value: text })),
  host_nanoseconds: v.number(),
});

export type WireResponse = v.InferOutput<typeof responseSchema>;

/** The codes in src/svc-sim/README.md. Others are accepted too: svc-sim may be a later release. */
export const SIMULATOR_ERROR_CODES = [
  "BAD_REQUEST",
  "BAD_XDR",
  "NOT_DEFINED",
  "WRONG_BUILD",
  "UNSUPPORTED_PROTOCOL",
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
    code: text,
    message: text,
    field: v.nullish(text, null),
    key_xdr: v.nullish(text, null),
  }),
});

export type WireError = v.InferOutput<typeof errorResponseSchema>["error"];
