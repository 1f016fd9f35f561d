// GET /openapi.json: the routes for machines, OpenAPI 3.1. The schemas of answers are those of the
// command line and of svc-sim. Clients are generated from this document, and tests send requests by
// it.

import { BUILD_INFO } from "../base/build-info.ts";
import report from "../report/schema/debug-report.schema.json";
import response from "../svc-sim/schema/response.schema.json";
import { ERROR, HEALTH, REQUESTS, RPC_ANSWER, withReferences } from "./openapi-schemas.ts";

interface Content {
  readonly type: string;
  readonly schema: object;
}

const JSON_TYPE = "application/json";
const HTML: Content = { type: "text/html", schema: { type: "string" } };
/** Of one event; a comment has neither field. */
const EVENTS: Content = {
  type: "text/event-stream",
  schema: {
    type: "object",
    properties: {
      event: { enum: ["progress", "report", "error"] },
      data: { type: "string", description: "JSON." },
    },
  },
};
const HASH = { type: "string", pattern: "^[0-9a-fA-F]{64}$" };
/** Every route with a body has these. */
const REFUSALS = ["400", "408", "413", "415", "500", "503"];
/** Every route that runs svc-sim has these. */
const WORK = ["422", "501", "502", "504"];

const READY = {
  type: "object",
  properties: { ready: { const: true }, missing: { type: "array" } },
} as const;

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
  // A token stands in for a check of the Host header.
  const foreign = guarded ? [] : ["421"];
  const wrongToken = guarded ? ["401"] : [];
  const refused = [...foreign, ...wrongToken, ...REFUSALS];
  const look = openLook([...foreign, "500"]);
  const text = { type: "string" };
  return {
    openapi: "3.1.0",
    info: {
      title: "svc daemon",
      version: BUILD_INFO.version,
      description:
        "Replays Stellar smart-contract transactions and explains them. POST /mcp is not described " +
        "here: it speaks the Model Context Protocol, whose tools describe themselves.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths: {
      ...pagePaths(look, { security, refused, wrongToken }),
      "/openapi.json": {
        get: look("This document.", [{ type: JSON_TYPE, schema: { type: "object" } }]),
      },
      "/health": {
        get: look("Liveness: makes no requests to nodes.", [
          { type: JSON_TYPE, schema: ref("Health") },
        ]),
      },
      "/ready": {
        get: look(
          "Readiness: the daemon can simulate now.",
          [
            {
              type: JSON_TYPE,
              schema: READY,
            },
          ],
          ["503"],
        ),
      },
      "/metrics": { get: look("Metrics for Prometheus.", [{ type: "text/plain", schema: text }]) },
      "/v1/debug": {
        post: {
          ...security,
          ...ask("debug", "Replays a transaction of the chain and explains it.", "DebugRequest"),
          responses: answers(
            [{ type: JSON_TYPE, schema: ref("Report") }, EVENTS],
            [...refused, ...WORK, "404"],
          ),
        },
      },
      "/v1/simulate": {
        post: {
          ...security,
          ...ask(
            "simulate",
            "Runs an envelope on the given entries, or on the latest ledger without entries.",
            "SimulateRequest",
          ),
          responses: answers(
            [{ type: JSON_TYPE, schema: ref("SimulationResponse") }],
            [...refused, ...WORK],
          ),
        },
      },
      "/rpc": {
        post: {
          ...security,
          ...ask("rpc", "JSON-RPC 2.0, one call or a batch.", "RpcRequest"),
          responses: {
            ...answers([{ type: JSON_TYPE, schema: ref("RpcAnswer") }], refused),
            "204": { description: "The request had only notifications." },
            // These two may be refusals in the form of JSON-RPC.
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

/** What browsers ask for. */
function pagePaths(
  look: ReturnType<typeof openLook>,
  {
    security,
    refused,
    wrongToken,
  }: {
    readonly security: object;
    readonly refused: readonly string[];
    readonly wrongToken: readonly string[];
  },
) {
  return {
    "/": { get: look("A page for people.", [HTML], wrongToken) },
    "/transactions/{hash}": {
      get: {
        ...look(
          "The page of a transaction, or one that offers to debug it.",
          [HTML],
          ["400", ...wrongToken],
        ),
        parameters: [{ name: "hash", in: "path", required: true, schema: HASH }],
      },
    },
    "/transactions": {
      post: {
        ...security,
        ...ask("debugPage", "Makes the page of a transaction, and sends progress.", "DebugRequest"),
        responses: answers([EVENTS], [...refused, ...WORK, "404"]),
      },
    },
    "/simulations": {
      post: {
        ...security,
        ...ask("simulatePage", "A part of a page: what an envelope would do.", "EnvelopeRequest"),
        responses: answers([HTML], [...refused, ...WORK]),
      },
    },
  };
}

function openLook(always: readonly string[]) {
  return (summary: string, contents: readonly Content[], failures: readonly string[] = []) => ({
    summary,
    responses: answers(contents, [...failures, ...always]),
  });
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

/** A schema document of its own, as a component with the right references. */
function asComponent(name: string, schema: object): object {
  const component = { ...schema, $schema: undefined, $id: undefined };
  return withReferences(component, `#/components/schemas/${name}/$defs/`);
}
