// The JSON schemas of the OpenAPI document that describe the daemon alone. The schemas of requests
// are generated from the ones that check them (scripts/json-schemas.ts).

import { LARGEST_BATCH } from "./routes/route-rpc.ts";
import requests from "./schema/requests.schema.json";

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

/** By name, with references as they are below `components`. */
export const REQUESTS = {
  ...withReferences(requests.$defs, "#/components/schemas/"),
  EnvelopeRequest: closed(
    { transaction: { type: "string", minLength: 1, description: "TransactionEnvelope, base64." } },
    ["transaction"],
  ),
  RpcRequest: {
    anyOf: [
      { $ref: "#/components/schemas/RpcCall" },
      {
        type: "array",
        minItems: 1,
        maxItems: LARGEST_BATCH,
        description: "A batch. An item that is not a call gets an error of its own.",
      },
    ],
  },
};
export const RPC_ANSWER = { anyOf: [rpcAnswer, { type: "array", items: rpcAnswer }] };

/** An object with these fields and no others. */
function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The schema with its own definitions at `target`. */
export function withReferences(schema: object, target: string): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${target}`));
}
