// --tracing on the compiled binary: the spans that a strict collector receives, and the cost of a
// run without a collector, or with one that does not answer.

import { afterAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { openLoopback } from "../support/loopback-server.ts";
import { openRawServer } from "../support/raw-server.ts";
import {
  openSpanReceiver,
  type ReceivedSpan,
  type SpanReceiver,
} from "../support/span-receiver.ts";
import { svc } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const { passphrase } = loopback.network;
const TRAP = loopback.network.named("panic -> unreachable trap").hash;
const TRANSFER = loopback.network.named("SAC transfer alice -> bob").hash;
const UNKNOWN = "0".repeat(64);

function debug(words: readonly string[], environment: Readonly<Record<string, string>>) {
  const nodes = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
  const all = ["debug", ...words, ...nodes, "--network-passphrase", passphrase, "--tracing"];
  return svc(all, { environment });
}

function childrenOf(receiver: SpanReceiver, parent: ReceivedSpan | undefined): ReceivedSpan[] {
  return receiver.spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
}

function named(receiver: SpanReceiver, name: string): ReceivedSpan | undefined {
  return receiver.spans.find((span) => span.name === name);
}

describe("a collector", () => {
  test("receives every step, each remote call and each contract call", async () => {
    await using receiver = openSpanReceiver();
    const { exitCode, stderr } = await debug([TRAP], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    expect([exitCode, stderr, receiver.problems]).toEqual([0, "", []]);

    const root = named(receiver, "svc debug");
    expect(root?.parentSpanId).toBeNull();
    expect(root?.attributes).toMatchObject({
      "stellar.transaction.hash": TRAP,
      "svc.outcome": "failed",
      "svc.verdict": "exact",
      "svc.cause": "contract-panic",
    });
    expect(root?.failed).toBe(false);
    const steps = childrenOf(receiver, root).map(({ name }) => name);
    // Beside the replay a run of its own shows why the code failed.
    expect(steps).toContain("why");
    const walk = ["fetch", "snapshot", "replay", "verdict", "cause", "fix", "explanation"];
    expect(steps.filter((name) => name !== "why")).toEqual(walk);

    const remote = receiver.spans.filter(({ kind }) => kind === 3);
    expect(remote.length).toBe(loopback.requests.length);
    const asking = new Set(remote.map(({ parentSpanId }) => parentSpanId));
    const parents = receiver.spans.filter(({ spanId }) => asking.has(spanId));
    // What the snapshot takes in any case is asked for beside the record.
    expect(parents.map(({ name }) => name)).toEqual(["fetch"]);
    for (const { attributes } of remote)
      expect(attributes["server.address"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+(\/…#[0-9a-f]{4})?$/);

    const [call] = childrenOf(receiver, named(receiver, "replay"));
    expect([call?.name, call?.failed]).toEqual(["trap", true]);
    expect(Number(call?.attributes["svc.cpu.instructions"])).toBeGreaterThan(0);
    expect(receiver.resources[0]?.["service.name"]).toBe("svc");
  });

  test("one trace, in which every span lies within its parent", async () => {
    await using receiver = openSpanReceiver();
    await debug([TRANSFER], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
    const byId = new Map(receiver.spans.map((span) => [span.spanId, span]));
    // A time is sent in nanoseconds and computed in milliseconds with fractions.
    const slack = 2_000n;
    for (const span of receiver.spans) {
      if (span.parentSpanId === null) continue;
      const parent = byId.get(span.parentSpanId);
      if (parent === undefined) throw new Error(`${span.name} has a parent that nobody sent`);
      expect(span.beginNanoseconds + slack).toBeGreaterThanOrEqual(parent.beginNanoseconds);
      expect(span.endNanoseconds).toBeLessThanOrEqual(parent.endNanoseconds + slack);
    }
  });

  test("several transactions are as many traces; one without an answer is an error", async () => {
    await using receiver = openSpanReceiver();
    const { exitCode } = await debug([TRAP, UNKNOWN], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });
    expect(exitCode).toBe(4);
    const roots = receiver.spans.filter(({ name }) => name === "svc debug");
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(2);
    const failed = roots.find(({ attributes }) => attributes["svc.subject"] === UNKNOWN);
    expect(failed?.failed).toBe(true);
    expect(failed?.attributes["error.type"]).toBe("TRANSACTION_NOT_FOUND");
    expect(receiver.problems).toEqual([]);
  });

  test("OTEL_EXPORTER_OTLP_* and OTEL_RESOURCE_ATTRIBUTES are honoured", async () => {
    await using receiver = openSpanReceiver();
    const run = (environment: Readonly<Record<string, string>>) =>
      svc(["debug", "--from", EXAMPLE, "--tracing"], { environment });
    await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=seven",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=ci",
    });
    await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/verbatim`,
    });
    const [first, second] = receiver.requests;
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/base/v1/traces", "/verbatim"]);
    expect(first?.headers.get("x-tenant")).toBe("seven");
    expect(first?.headers.get("content-encoding")).toBe("gzip");
    expect(second?.headers.get("content-encoding")).toBeNull();
    expect(receiver.resources[0]?.["deployment.environment.name"]).toBe("ci");
    expect(receiver.problems).toEqual([]);
  });

  test("tracing changes no byte of the report", async () => {
    await using receiver = openSpanReceiver();
    const plain = await svc(["debug", "--from", EXAMPLE]);
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const traced = await svc(["debug", "--from", EXAMPLE, "--tracing"], { environment });
    expect(traced).toEqual(plain);
    expect(receiver.spans.length).toBeGreaterThan(0);
  });
});

describe("no collector, or a bad one", () => {
  const SILENT =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  const DRIPPING = SILENT.replace("100", "99");
  const conditions: readonly { name: string; answer: string | null }[] = [
    { name: "that never answers", answer: "" },
    { name: "that begins to answer and stops", answer: SILENT },
    { name: "that sends a byte now and then", answer: DRIPPING },
    { name: "that asks to come back in an hour", answer: refusal(503, "Retry-After: 3600\r\n") },
    { name: "that refuses", answer: refusal(401, "") },
    { name: "that is not there", answer: null },
  ];
  // svc would be killed if it waited.
  for (const { name, answer } of conditions)
    test(`one ${name} costs one warning, and svc ends`, async () => {
      using server = answer === null ? null : answering(answer);
      const url = server?.url ?? "http://127.0.0.1:1";
      const plain = await svc(["debug", "--from", EXAMPLE]);
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: url.replace("http://", "http://user:hunter2@"),
      };
      const traced = await svc(["debug", "--from", EXAMPLE, "--tracing"], { environment });
      expect([traced.exitCode, traced.stdout]).toEqual([plain.exitCode, plain.stdout]);
      expect(traced.stderr).toMatch(/^warning: \d+ of \d+ spans did not reach http:[^\n]*\n$/);
      expect(traced.stderr).not.toContain("hunter2");
    });

  test("OTEL_SDK_DISABLED: nothing is sent, nothing is printed", async () => {
    await using receiver = openSpanReceiver();
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SDK_DISABLED: "true",
    };
    const { exitCode, stderr } = await svc(["debug", "--from", EXAMPLE, "--tracing"], {
      environment,
    });
    expect([exitCode, stderr, receiver.requests.length]).toEqual([0, "", 0]);
  });

  test("OTEL_LOG_LEVEL shows what the exporter does, without secrets", async () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:hunter2@127.0.0.1:1/s3cret",
      OTEL_LOG_LEVEL: "debug",
    };
    const { stderr } = await svc(["debug", "--from", EXAMPLE, "--tracing"], { environment });
    expect(stderr).toContain("opentelemetry debug: ");
    expect(stderr).not.toMatch(/hunter2|s3cret/);
  });

  test("a variable that means nothing is named: CONFIG_INVALID", async () => {
    const wrong: readonly [string, string][] = [
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
      ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://x"],
      ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"],
      ["OTEL_LOG_LEVEL", "loud"],
    ];
    for (const [name, value] of wrong) {
      const words = ["debug", "--from", EXAMPLE, "--tracing"];
      const { exitCode, stdout, stderr } = await svc(words, { environment: { [name]: value } });
      expect(stderr).toContain(name);
      expect(stderr).toContain("[CONFIG_INVALID]");
      expect([exitCode, stdout]).toEqual([3, ""]);
    }
  });
});

function answering(answer: string) {
  return openRawServer((write) => {
    if (answer !== "") write(answer);
    // One space every tenth of a second, as long as the client is connected.
    if (answer.includes(": 99")) setInterval(() => write(" "), 100).unref();
    return answer.includes("Connection: close") ? "end" : "keep";
  });
}

function refusal(status: number, headers: string): string {
  return `HTTP/1.1 ${status} No\r\n${headers}Content-Length: 0\r\nConnection: close\r\n\r\n`;
}
