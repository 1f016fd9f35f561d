// A collector on loopback: a real HTTP server that accepts only OTLP/JSON traces. It answers 400 to
// requests that do not follow opentelemetry/proto/collector/trace/v1/trace_service.proto, in the
// JSON of OTLP 1.x (IDs in hex, 64-bit times as text, enumerations as numbers).

import { schemaProblems } from "../report/check-schema.ts";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  readonly beginNanoseconds: bigint;
  readonly endNanoseconds: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly failed: boolean;
}

export interface SpanReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly resources: Record<string, unknown>[];
  readonly requests: { readonly path: string; readonly headers: Headers }[];
  /** The refused requests, with reasons. */
  readonly problems: string[];
}

export function openSpanReceiver(): SpanReceiver {
  const spans: ReceivedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const requests: { path: string; headers: Headers }[] = [];
  const problems: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { headers, method } = request;
      requests.push({ path: new URL(request.url).pathname, headers });
      const found = method === "POST" ? [] : [`method ${method}`];
      if (headers.get("content-type") !== "application/json") found.push("content type");
      const bytes = new Uint8Array(await request.arrayBuffer());
      const packed = headers.get("content-encoding") === "gzip";
      const text = new TextDecoder("utf-8", { fatal: true }).decode(
        packed ? Bun.gunzipSync(bytes) : bytes,
      );
      const document = JSON.parse(text);
      found.push(...schemaProblems(REQUEST, document));
      if (found.length > 0) {
        problems.push(...found);
        return new Response(found.join("\n"), { status: 400 });
      }
      for (const { resource, scopeSpans } of (document as Document).resourceSpans) {
        resources.push(readAttributes(resource.attributes, problems));
        for (const scope of scopeSpans)
          spans.push(...scope.spans.map((span) => readSpan(span, problems)));
      }
      return Response.json({ partialSuccess: {} });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    resources,
    requests,
    problems,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

interface Document {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

function readSpan(span: WireSpan, problems: string[]): ReceivedSpan {
  const beginNanoseconds = BigInt(span.startTimeUnixNano);
  const endNanoseconds = BigInt(span.endTimeUnixNano);
  if (endNanoseconds < beginNanoseconds) problems.push(`${span.name} ends before it begins`);
  const { traceId, spanId, name, kind } = span;
  const parentSpanId = span.parentSpanId ?? null;
  const failed = span.status.code === 2;
  const attributes = readAttributes(span.attributes, problems);
  const times = { beginNanoseconds, endNanoseconds };
  return { traceId, spanId, parentSpanId, name, kind, ...times, attributes, failed };
}

function readAttributes(list: readonly Attribute[], problems: string[]) {
  const found: Record<string, string | number | boolean> = {};
  for (const { key, value } of list) {
    const [only, ...others] = Object.values(value);
    if (key in found) problems.push(`${key} is there twice`);
    if (only === undefined || others.length > 0) problems.push(`${key} has not one value`);
    else found[key] = only;
  }
  return found;
}

const TEXT = { type: "string", minLength: 1 };
const COUNT = { type: "integer", minimum: 0 };
const NANOSECONDS = { type: "string", pattern: "^[1-9]\\d{17,18}$" };
const ATTRIBUTES = {
  type: "array",
  items: closed(
    {
      key: TEXT,
      value: closed(
        {
          stringValue: { type: "string" },
          intValue: { anyOf: [{ type: "integer" }, { type: "string", pattern: "^-?\\d+$" }] },
          doubleValue: { type: "number" },
          boolValue: { type: "boolean" },
        },
        [],
      ),
    },
    ["key", "value"],
  ),
};
const SPAN = closed(
  {
    traceId: { type: "string", pattern: "^(?!0{32})[0-9a-f]{32}$" },
    spanId: { type: "string", pattern: "^(?!0{16})[0-9a-f]{16}$" },
    parentSpanId: { type: "string", pattern: "^(?!0{16})[0-9a-f]{16}$" },
    traceState: { type: "string" },
    flags: COUNT,
    name: TEXT,
    kind: { enum: [1, 2, 3, 4, 5] },
    startTimeUnixNano: NANOSECONDS,
    endTimeUnixNano: NANOSECONDS,
    attributes: ATTRIBUTES,
    droppedAttributesCount: COUNT,
    events: { type: "array" },
    droppedEventsCount: COUNT,
    links: { type: "array" },
    droppedLinksCount: COUNT,
    status: closed({ code: { enum: [0, 1, 2] }, message: { type: "string" } }, ["code"]),
  },
  ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"],
);
const REQUEST = closed(
  {
    resourceSpans: {
      type: "array",
      minItems: 1,
      items: closed(
        {
          resource: closed({ attributes: ATTRIBUTES, droppedAttributesCount: COUNT }, [
            "attributes",
          ]),
          schemaUrl: { type: "string" },
          scopeSpans: {
            type: "array",
            minItems: 1,
            items: closed(
              {
                scope: closed({ name: TEXT, version: TEXT }, ["name"]),
                schemaUrl: { type: "string" },
                spans: { type: "array", minItems: 1, items: SPAN },
              },
              ["scope", "spans"],
            ),
          },
        },
        ["resource", "scopeSpans"],
      ),
    },
  },
  ["resourceSpans"],
);

function closed(properties: Record<string, object>, required: readonly string[]) {
  return { type: "object", required, properties, additionalProperties: false };
}
