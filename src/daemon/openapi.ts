// GET /openapi.json: the routes for machines, OpenAPI 3.1. The schemas of answers are the ones that
// command line and svc-sim publish; clients are made from this, and tests ask by it.

import { BUILD_INFO } from "../base/build-info.ts";
import report from "../report/schema/debug-report.schema.json";
import response from "../svc-sim/schema/response.schema.json";
import { ERROR, HEALTH, REQUESTS, RPC_ANSWER, withReferences } from "./openapi-schemas.ts";

interface Content {
  readonly type: string;
  readonly schema: object;
}

const JSON_TYPE = "application/json";
/** Of every route that takes a body. */
const REFUSALS = ["400", "408", "413", "415", "500", "503"];
/** Of every route that runs a simulation. */
const WORK = ["501", "502", "504"];

/** `guarded`: clients must send a token. */
export function openapiDocument({ guarded }: { readonly guarded: boolean }): object {
  const schemas = {
    Error: ERROR,
    Health: HEALTH,
    Report: asComponent("Report", report),
    SimulationResponse: asComponent("SimulationResponse", response),
    ...REQUESTS,
    RpcAnswer: RPC_ANSWER,
  };
  const security = guarded ? { security: [{ bearer: [] }] } : {};
  const refused = guarded ? ["401", ...REFUSALS] : REFUSALS;
  const text = { type: "string" };
  return {
    openapi: "3.1.0",
    info: {
      title: "svc daemon",
      version: BUILD_INFO.version,
      description: "Runs Stellar smart-contract transactions again and explains them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths: {
      "/": { get: look("A page for people.", [{ type: "text/html", schema: text }]) },
      "/openapi.json": {
        get: look("This document.", [{ type: JSON_TYPE, schema: { type: "object" } }]),
      },
      "/health": { get: look("It lives.", [{ type: JSON_TYPE, schema: ref("Health") }]) },
      "/ready": {
        get: look(
          "It can simulate now.",
          [{ type: JSON_TYPE, schema: { type: "object", properties: { ready: { const: true } } } }],
          ["502", "503", "504"],
        ),
      },
      "/metrics": { get: look("For Prometheus.", [{ type: "text/plain", schema: text }]) },
      "/v1/debug": {
        post: {
          ...security,
          ...ask("debug", "Runs a transaction of the chain again and explains it.", "DebugRequest"),
          responses: answers(
            [
              { type: JSON_TYPE, schema: ref("Report") },
              { type: "text/event-stream", schema: text },
            ],
            [...refused, ...WORK, "404"],
          ),
        },
      },
      "/v1/simulate": {
        post: {
          ...security,
          ...ask("simulate", "Runs an envelope on the entries given.", "SimulateRequest"),
          responses: answers(
            [{ type: JSON_TYPE, schema: ref("SimulationResponse") }],
            [...refused, ...WORK],
          ),
        },
      },
      "/rpc": {
        post: {
          ...security,
          ...ask("rpc", "JSON-RPC 2.0, single or in a batch.", "RpcRequest"),
          responses: {
            ...answers([{ type: JSON_TYPE, schema: ref("RpcAnswer") }], refused),
            "204": { description: "There were notifications only." },
            // These two may be JSON-RPC's own refusal.
            ...answers([], ["400", "503"], { anyOf: [ref("Error"), ref("RpcAnswer")] }),
          },
        },
      },
    },
    components: {
      schemas,
      ...(guarded ? { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } } : {}),
    },
  };
}

function look(summary: string, contents: readonly Content[], failures: readonly string[] = []) {
  return { summary, responses: answers(contents, [...failures, "500"]) };
}

function ask(operationId: string, summary: string, schema: string) {
  const content = { [JSON_TYPE]: { schema: ref(schema) } };
  return { operationId, summary, requestBody: { required: true, content } };
}

function answers(
  contents: readonly Content[],
  failures: readonly string[],
  failure: object = ref("Error"),
) {
  const content = Object.fromEntries(contents.map(({ type, schema }) => [type, { schema }]));
  const refusal = {
    description: "See `error.code`.",
    content: { [JSON_TYPE]: { schema: failure } },
  };
  return {
    ...(contents.length === 0 ? {} : { "200": { description: "The answer.", content } }),
    ...Object.fromEntries(failures.map((status) => [status, refusal])),
  };
}

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema that stood alone, with its references as they are below `components`. */
function asComponent(name: string, schema: object): object {
  const alone = { ...schema, $schema: undefined, $id: undefined };
  return withReferences(alone, `#/components/schemas/${name}/$defs/`);
}
