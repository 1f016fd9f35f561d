// The JSON schemas of what the daemon alone takes and gives. What it takes is said as narrowly as a
// schema can; that a string is the XDR of an envelope, svc-sim finds out.

const uint32 = { type: "integer", minimum: 0, maximum: 0xffff_ffff };
const base64 = {
  type: "string",
  minLength: 4,
  pattern: "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
};
const decimal = {
  anyOf: [
    { type: "string", pattern: "^-?[0-9]{1,20}$" },
    { type: "integer", minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ],
};
const hash = { type: "string", pattern: "^[0-9a-f]{64}$" };

export const DEBUG_REQUEST = closed(
  { hash: { type: "string", pattern: "^[0-9a-fA-F]{64}$", description: "Outer or inner hash." } },
  ["hash"],
);

const entry = closed(
  {
    entry_xdr: { ...base64, description: "LedgerEntry." },
    live_until_ledger: { anyOf: [uint32, { type: "null" }] },
    archived: { type: "boolean" },
    code_cached: { type: ["boolean", "null"] },
  },
  ["entry_xdr"],
);

export const SIMULATION_REQUEST = closed(
  {
    envelope_xdr: { ...base64, description: "TransactionEnvelope." },
    result_meta_xdr: { ...base64, minLength: 0, description: "TransactionMeta, where it ran." },
    ledger_entries: {
      type: "object",
      description: "LedgerKey → LedgerEntry; null: it does not exist.",
      propertyNames: base64,
      additionalProperties: { anyOf: [{ type: "null" }, base64, entry] },
    },
    ledger: closed({
      protocol_version: uint32,
      sequence: uint32,
      close_time_unix_seconds: decimal,
      network_passphrase: { type: "string" },
      base_reserve_stroops: uint32,
      base_prng_seed: hash,
      application_order: uint32,
      settings: { type: "array", items: base64 },
      restored_earlier: { type: "array", items: base64 },
      rent_fee_per_1kb_stroops: decimal,
      fee_charged_before_refund_stroops: decimal,
      refund_is_paid: { type: "boolean" },
    }),
    options: closed({
      trace: { type: "boolean" },
      profile: { type: "boolean" },
      diagnostics: { type: "boolean" },
      deadline_milliseconds: uint32,
      locate: closed({ wasm: { ...base64, description: "A build of the code that has names." } }),
    }),
  },
  ["envelope_xdr"],
);

const problem = closed(
  {
    code: { type: "string", pattern: "^[A-Z_]+$", description: "Stable: see docs/errors.md." },
    message: { type: "string" },
    remedy: { type: "string" },
  },
  ["code", "message", "remedy"],
);

export const ERROR = closed({ error: problem }, ["error"]);

const seconds = { type: "integer", minimum: 0 };
const count = { type: "integer", minimum: 0 };
const node = closed(
  {
    address: { type: "string" },
    state: { enum: ["answers", "fails"] },
    lastStatus: { type: "string" },
    lastAttemptUnixSeconds: seconds,
    lastSuccessUnixSeconds: { anyOf: [seconds, { type: "null" }] },
  },
  ["address", "state", "lastStatus", "lastAttemptUnixSeconds", "lastSuccessUnixSeconds"],
);

export const HEALTH = closed(
  {
    status: { enum: ["alive", "stopping"] },
    version: { type: "string" },
    commit: { type: "string" },
    network: { enum: ["testnet", "mainnet", "futurenet", "custom"] },
    networkPassphrase: { type: "string" },
    uptimeSeconds: seconds,
    simulator: closed(
      {
        version: { type: "string" },
        protocols: { type: "array", items: count },
        workers: count,
        queued: count,
        inFlight: count,
        lost: count,
      },
      ["version", "protocols", "workers", "queued", "inFlight", "lost"],
    ),
    nodes: { type: "array", items: node },
  },
  ["status", "version", "network", "uptimeSeconds", "simulator", "nodes"],
);

const id = { type: ["string", "number", "null"] };
const rpcCall = closed({ jsonrpc: { const: "2.0" }, id, method: { type: "string" }, params: {} }, [
  "jsonrpc",
  "method",
]);
const rpcError = closed({ code: { type: "integer" }, message: { type: "string" }, data: problem }, [
  "code",
  "message",
  "data",
]);
const rpcAnswer = {
  oneOf: [
    closed({ jsonrpc: { const: "2.0" }, id, result: {} }, ["jsonrpc", "id", "result"]),
    closed({ jsonrpc: { const: "2.0" }, id, error: rpcError }, ["jsonrpc", "id", "error"]),
  ],
};

export const RPC_REQUEST = {
  anyOf: [
    rpcCall,
    {
      type: "array",
      minItems: 1,
      maxItems: 20,
      description: "A batch; what in it is no request gets an error of its own.",
    },
  ],
};
export const RPC_ANSWER = { anyOf: [rpcAnswer, { type: "array", items: rpcAnswer }] };

/** An object with these fields and no others. */
function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: "object", properties, required, additionalProperties: false };
}
