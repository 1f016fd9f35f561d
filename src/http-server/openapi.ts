// GET /openapi.json: the routes for programs as OpenAPI 3.1, generated from the rows that the app
// is made of (route-table.ts). The components are generated from the schemas that check requests,
// and from those of the server's own answers (scripts/json-schemas.ts); the others are those of the
// command line and of svc-sim. Clients are generated from this document, and tests send requests
// according to it.

import { BUILD_INFO } from "../base/build-info.ts";
import { strkeyPattern } from "../base/text/strkey.ts";
import report from "../report/schema/debug-report.schema.json";
import response from "../svc-sim/schema/response.schema.json";
import components from "./schema/components.schema.json";

/** The description of a route for clients. */
export interface Description {
  readonly method: "GET" | "POST";
  /** The path, whose parameters are hashes. */
  readonly path: string;
  readonly summary: string;
  /** `html`, `text`, `events`, or components. A route without any is not in the document. */
  readonly answers: readonly string[];
  /** The component of the body, for a route that does work. */
  readonly body?: string;
  /** The name of the operation, if clients call it. */
  readonly name?: string;
  /** Statuses in addition to those of every such route. */
  readonly failures?: readonly string[];
  /** Responses that no other route has, by status. */
  readonly responses?: Readonly<Record<string, object>>;
}

const JSON_TYPE = "application/json";
const HASH = { type: "string", pattern: "^[0-9a-fA-F]{64}$" };
const CONTRACT = {
  type: "string",
  pattern: `^${strkeyPattern(["contract"])}$`,
  description: "The address of a contract (C…).",
};
/** The refusals of every route with a body. */
const REFUSALS = ["400", "408", "413", "415", "500", "503"];
/** Answers that are not JSON, each with its type and its schema. */
const TEXTS: Readonly<Record<string, { readonly type: string; readonly schema: object }>> = {
  html: { type: "text/html", schema: { type: "string" } },
  text: { type: "text/plain", schema: { type: "string" } },
  /** The text of one event. A comment has neither field. */
  events: {
    type: "text/event-stream",
    schema: {
      type: "object",
      properties: {
        event: { enum: ["progress", "report", "error"] },
        data: { type: "string", description: "JSON." },
      },
    },
  },
};

/** Makes the document. `guarded` is true if clients must send a token. */
export function openapiDocument(
  routes: readonly Description[],
  { guarded }: { readonly guarded: boolean },
): object {
  const described = routes.filter(({ answers }) => answers.length > 0);
  const paths = Map.groupBy(described, ({ path }) => path.replace(/:(\w+)/g, "{$1}"));
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
    paths: Object.fromEntries(
      [...paths].map(([path, rows]) => [
        path,
        Object.fromEntries(
          rows.map((row) => [row.method.toLowerCase(), operationOf(row, path, guarded)]),
        ),
      ]),
    ),
    components: {
      schemas: {
        ...withReferences(components.$defs, "#/components/schemas/"),
        Report: asComponent("Report", report),
        SimulationResponse: asComponent("SimulationResponse", response),
      },
      ...(guarded && { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } }),
    },
  };
}

function operationOf(row: Description, path: string, guarded: boolean): object {
  const { summary, answers, failures = [], body, responses } = row;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name === "contract" ? CONTRACT : HASH,
  }));
  const isWork = body !== undefined;
  const asksForToken = guarded && (isWork || answers.includes("html"));
  const statuses = [
    ...failures,
    ...(isWork ? REFUSALS : ["500"]),
    ...(asksForToken ? ["401"] : []),
    // A token replaces the check of the Host header.
    ...(guarded ? [] : ["421"]),
  ];
  const refusals = statuses.map((status) => [status, refusalOf(ref("Error"))]);
  return {
    summary,
    ...(isWork && {
      ...(guarded && { security: [{ bearer: [] }] }),
      operationId: row.name,
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: ref(body) } } },
    }),
    ...(parameters.length > 0 && { parameters }),
    responses: { "200": answerOf(answers), ...Object.fromEntries(refusals), ...responses },
  };
}

function answerOf(answers: readonly string[]): object {
  const content = answers.map((answer) => {
    const { type, schema } = TEXTS[answer] ?? { type: JSON_TYPE, schema: ref(answer) };
    return [type, { schema }];
  });
  return { description: "The answer.", content: Object.fromEntries(content) };
}

export function refusalOf(schema: object): object {
  return { description: "See `error.code`.", content: { [JSON_TYPE]: { schema } } };
}

export function ref(component: string) {
  return { $ref: `#/components/schemas/${component}` };
}

/** Turns a schema document into a component with correct references. */
function asComponent(name: string, schema: object): object {
  const component = { ...schema, $schema: undefined, $id: undefined };
  return withReferences(component, `#/components/schemas/${name}/$defs/`);
}

/** The schema with its own definitions at `target`. */
function withReferences(schema: object, target: string): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${target}`));
}
