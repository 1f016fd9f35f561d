// --tracing of a daemon: the trace of the client continues in its spans, and from there at the
// nodes.

import { expect, test } from "bun:test";
import { openTracing } from "../../src/report/otlp/open-tracing.ts";
import { openDaemon } from "../support/daemon.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { openSpanReceiver } from "../support/span-receiver.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";

async function tracedRequest(traceparent: string) {
  await using receiver = openSpanReceiver();
  await using loopback = openLoopback();
  const asked: (string | null)[] = [];
  await using node = serve((request) => {
    asked.push(request.headers.get("traceparent"));
    return Response.json({ status: 404 }, { status: 404 });
  });
  // OpenTelemetry's own exporter reads the process's environment.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
  const tracing = openTracing({ environment: process.env, diagnose() {}, warn() {} });
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (tracing === null) throw new Error("tracing is disabled");
  const nodes = { ...loopback, network: loopback.network, url: () => node.url };
  await using daemon = await openDaemon(nodes, { tracing });
  await daemon.post("/v1/debug", { hash: "ab".repeat(32) }, { traceparent });
  expect(await tracing.close()).toBeNull();
  expect(receiver.problems).toEqual([]);
  return { spans: [...receiver.spans], asked };
}

function serve(answer: (request: Request) => Response) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("a traceparent is taken up and handed on", async () => {
  const { spans, asked } = await tracedRequest(`00-${TRACE}-${CALLER}-01`);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const root = spans.find(({ name }) => name === "svc debug");
  expect(root?.parentSpanId).toBe(CALLER);
  const fetching = spans.find(({ name }) => name === "fetch");
  expect(asked.length).toBeGreaterThan(0);
  for (const header of asked) expect(header).toBe(`00-${TRACE}-${fetching?.spanId}-01`);
});

test("who does not want to be traced is not, and nonsense is not taken up", async () => {
  expect((await tracedRequest(`00-${TRACE}-${CALLER}-00`)).spans).toEqual([]);
  for (const nonsense of [
    "",
    "00-1-2-3",
    `ff-${TRACE}-${CALLER}-01`,
    `00-${"0".repeat(32)}-${CALLER}-01`,
  ]) {
    const { spans } = await tracedRequest(nonsense);
    const root = spans.find(({ name }) => name === "svc debug");
    expect([root?.parentSpanId, root?.traceId === TRACE]).toEqual([null, false]);
  }
});
