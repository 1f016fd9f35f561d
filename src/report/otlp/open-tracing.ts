// --tracing: the walk as spans, sent by OTLP over HTTP (JSON) to an OpenTelemetry collector. Each
// transaction has its own trace: its steps, below them each remote call, and below the replay each
// contract call.
// Invariants: tracing changes no result. svc waits at most two seconds for a collector at exit.
// Only the public part of a node's URL is shown. Text from the chain is neutralised.

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { BUILD_INFO } from "../../base/build-info.ts";
import type { HttpAttempt } from "../../base/http/http.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import type { StepRunner } from "../../base/step.ts";
import type { Investigation } from "../../model/investigation.ts";
import { type CallSpan, callSpans } from "./call-spans.ts";
import { openCollectorConnection, WatchedExporter } from "./collector-connection.ts";
import {
  type DiagnosticLevel,
  type Environment,
  readExporterSettings,
} from "./exporter-settings.ts";
import { endFailed, investigationAttributes } from "./span-facts.ts";

export interface Tracing {
  /** For the walk's dependencies. */
  readonly step: StepRunner;
  readonly observe: (attempt: HttpAttempt) => void;
  /**
   * The trace of one transaction. Returns or throws what the action returns or throws. `caller`:
   * the caller's `traceparent` (W3C Trace Context); without a valid one, a new trace begins.
   */
  transaction(
    subject: string,
    action: () => Promise<Investigation>,
    caller?: string,
  ): Promise<Investigation>;
  /** `traceparent` of the current step, for requests to nodes. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Sends the remaining spans. Returns a sentence if spans were lost, else null; never throws. */
  close(): Promise<string | null>;
}

interface TracingOptions {
  readonly environment: Environment;
  /** Receives OpenTelemetry's own messages if OTEL_LOG_LEVEL is set. */
  readonly diagnose: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Limit for all of `close`; the exporter's own limits are shorter. */
const LONGEST_CLOSE_MILLISECONDS = 1800;
/** Enough for several large call trees. Further spans are lost and counted. */
const MOST_QUEUED_SPANS = 65_536;

/** The current step of the walk, in its own chain of asynchronous calls. */
interface Place {
  readonly context: Context;
  readonly simulation: { span: Span; beginMilliseconds: number; endMilliseconds: number }[];
}

/** Null when OTEL_SDK_DISABLED is true. Throws CONFIG_INVALID. */
export function openTracing({ environment, diagnose, warn }: TracingOptions): Tracing | null {
  const settings = readExporterSettings(environment);
  if (settings.disabled) return null;
  const { otherProtocol } = settings;
  if (otherProtocol !== null)
    warn(`Spans are sent as http/json, not ${otherProtocol}. The collector must accept http/json.`);
  forwardDiagnostics(settings.diagnosticLevel, diagnose);
  const connection = openCollectorConnection(environment);
  const exporter = new WatchedExporter({
    timeoutMillis: settings.timeoutMilliseconds,
    httpAgentOptions: connection.agentFor,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "svc",
      "service.version": BUILD_INFO.version,
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MOST_QUEUED_SPANS,
        exportTimeoutMillis: LONGEST_CLOSE_MILLISECONDS,
      }),
    ],
  });
  const spans = openSpans(provider);
  return {
    ...spans,
    async close() {
      const closed = provider.shutdown().then(
        () => true,
        () => false,
      );
      const inTime = await Promise.race([closed, passed(LONGEST_CLOSE_MILLISECONDS)]);
      connection.giveUp();
      const { given, taken, reason } = exporter.losses;
      if (inTime && taken === given) return null;
      const why = reason ?? "no response in time";
      return (
        `${given - taken} of ${given} spans did not reach ${settings.collector} (${why}). ` +
        "Is a collector listening there? Set another one with OTEL_EXPORTER_OTLP_ENDPOINT. " +
        "OTEL_LOG_LEVEL=debug shows more."
      );
    },
  };
}

function openSpans(provider: TracerProvider): Omit<Tracing, "close"> {
  const tracer = provider.getTracer("svc", BUILD_INFO.version);
  const places = new AsyncLocalStorage<Place>();

  const within = async <Result>(
    name: string,
    place: Omit<Place, "context"> | undefined,
    action: (span: Span) => Result | Promise<Result>,
    caller: Context = ROOT_CONTEXT,
  ): Promise<Result> => {
    const parent = places.getStore();
    const context = parent?.context ?? caller;
    const span = tracer.startSpan(name, {}, context);
    const here: Place = {
      simulation: place?.simulation ?? parent?.simulation ?? [],
      context: trace.setSpan(context, span),
    };
    try {
      const result = await places.run(here, async () => action(span));
      span.end();
      return result;
    } catch (error) {
      endFailed(span, error);
      throw error;
    }
  };

  return {
    step: (name, action) =>
      within(name, undefined, async (span) => {
        const beginMilliseconds = Date.now();
        const result = await action();
        if (name === "replay")
          places.getStore()?.simulation.push({
            span,
            beginMilliseconds,
            endMilliseconds: Date.now(),
          });
        return result;
      }),
    observe({ node, method, status, durationSeconds }) {
      const context = places.getStore()?.context ?? ROOT_CONTEXT;
      const endTime = Date.now();
      const startTime = endTime - durationSeconds * 1000;
      const attributes = {
        "http.request.method": method,
        "server.address": node,
        ...(/^\d+$/.test(status)
          ? { "http.response.status_code": Number(status) }
          : { "error.type": status }),
      };
      const options = { kind: SpanKind.CLIENT, startTime, attributes };
      const span = tracer.startSpan(method, options, context);
      if (/^[1-3]\d\d$/.test(status)) span.end(endTime);
      else endFailed(span, status, endTime);
    },
    headers: () => traceHeaders(places.getStore()?.context),
    transaction: (subject, action, caller) => {
      const simulation: Place["simulation"] = [];
      const run = async (span: Span) => {
        span.setAttribute("svc.subject", subject);
        const found = await action();
        span.setAttributes(investigationAttributes(found));
        // A second replay, if there is one, only tests an assumption of the first.
        const [first] = simulation;
        const { calls } = found.explanation;
        if (first !== undefined && calls !== null) {
          const { spans, omitted } = callSpans(calls, first);
          if (omitted > 0) span.setAttribute("svc.calls.omitted", omitted);
          const context = trace.setSpan(ROOT_CONTEXT, first.span);
          for (const call of spans) addCall(call, context);
        }
        return found;
      };
      return within("svc debug", { simulation }, run, callerContext(caller));
    },
  };

  function addCall(call: CallSpan, parent: Context): void {
    const { name, attributes, beginMilliseconds, endMilliseconds } = call;
    const options = { startTime: beginMilliseconds, attributes };
    const span = tracer.startSpan(name, options, parent);
    const context = trace.setSpan(parent, span);
    for (const child of call.calls) addCall(child, context);
    if (call.failed) endFailed(span, "failed", endMilliseconds);
    else span.end(endMilliseconds);
  }
}

function passed(milliseconds: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), milliseconds).unref();
  });
}

// W3C Trace Context, the header `traceparent`: continues the caller's trace in svc, and svc's trace
// in the nodes that it sends requests to.

/** Version 00; later versions begin in the same way. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const NOTHING = /^0+$/;

/** The root context if the header is missing or invalid. */
function callerContext(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (NOTHING.test(traceId) || NOTHING.test(spanId) || traceId === "") return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function traceHeaders(context: Context | undefined): Record<string, string> {
  const span = context && trace.getSpanContext(context);
  if (!span) return {};
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}` };
}

// OpenTelemetry's own messages, shown if OTEL_LOG_LEVEL is set. They can contain URLs and large
// objects: only the public part of URLs is shown, and objects are cut.

const LEVELS: Readonly<Record<DiagnosticLevel, DiagLogLevel>> = {
  none: DiagLogLevel.NONE,
  error: DiagLogLevel.ERROR,
  warn: DiagLogLevel.WARN,
  info: DiagLogLevel.INFO,
  debug: DiagLogLevel.DEBUG,
  verbose: DiagLogLevel.VERBOSE,
};
const LONGEST_MESSAGE = 500;

/** `none` turns the messages off again. */
function forwardDiagnostics(level: DiagnosticLevel, write: (text: string) => void): void {
  diag.disable();
  if (level === "none") return;
  const forward =
    (name: string): DiagLogFunction =>
    (...words: readonly unknown[]) =>
      write(`opentelemetry ${name}: ${words.map(shown).join(" ").slice(0, LONGEST_MESSAGE)}`);
  const logger = {
    error: forward("error"),
    warn: forward("warn"),
    info: forward("info"),
    debug: forward("debug"),
    verbose: forward("verbose"),
  };
  diag.setLogger(logger, { logLevel: LEVELS[level], suppressOverrideMessage: true });
}

function shown(word: unknown): string {
  const text =
    typeof word === "string" ? word : word instanceof Error ? word.message : kindOf(word);
  return text.replace(/https?:\/\/[^\s'"]+/g, nodeAddress);
}

/** Spans and requests contain each other, so a line only has their number. */
function kindOf(word: unknown): string {
  return Array.isArray(word) ? `(${word.length} items)` : `(${typeof word})`;
}
