// `--tracing`: the walk as spans, sent by OTLP over HTTP (JSON) to an OpenTelemetry collector. Each
// transaction has its own trace: its steps, below them each remote call, and below the replay each
// contract call.
// Invariants: tracing changes no result. svc waits at most two seconds for a collector at exit.
// Only the public part of a node's URL is shown. Text from the chain is neutralised. All times of a
// trace come from one steady clock, so that a span lies within its parent also where the system's
// clock is set meanwhile.

import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, ROOT_CONTEXT, type Span, SpanKind, trace } from "@opentelemetry/api";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { BUILD_INFO } from "../../base/build-info.ts";
import type { HttpAttempt } from "../../base/http/http.ts";
import type { Environment } from "../../base/settings/setting.ts";
import type { StepRunner } from "../../base/step.ts";
import type { Investigation } from "../../model/investigation.ts";
import { type CallSpan, callSpans } from "./call-spans.ts";
import { openCollectorConnection } from "./collector-connection.ts";
import { readExporterSettings } from "./exporter-settings.ts";
import { forwardDiagnostics } from "./forward-diagnostics.ts";
import { endFailed, investigationAttributes } from "./span-facts.ts";
import { callerContext, traceHeaders } from "./trace-context.ts";
import { WatchedExporter } from "./watched-exporter.ts";

export interface Tracing {
  /** Runs the steps of a walk in spans. */
  readonly step: StepRunner;
  readonly observe: (attempt: HttpAttempt) => void;
  /**
   * Traces one transaction, and returns or throws what the action returns or throws. `caller` is
   * the caller's `traceparent` (W3C Trace Context). Without a valid one, a new trace begins.
   */
  transaction(
    subject: string,
    action: () => Promise<Investigation>,
    caller?: string,
  ): Promise<Investigation>;
  /** The `traceparent` of the current step, for requests to nodes. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Sends the remaining spans. Returns a sentence if spans were lost, or null. It never throws. */
  close(): Promise<string | null>;
}

interface TracingOptions {
  readonly environment: Environment;
  /** Receives OpenTelemetry's own messages if OTEL_LOG_LEVEL is set. */
  readonly diagnose: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** The limit for all of `close`. The exporter's own limits are shorter. */
const LONGEST_CLOSE_MILLISECONDS = 1800;
/** Enough for several large call trees. Further spans are lost and counted. */
const MOST_QUEUED_SPANS = 65_536;

/** Milliseconds since 1970, with fractions. It never goes back. */
type TraceClock = () => number;

/** The current step of the walk, in its own chain of asynchronous calls. */
interface StepPlace {
  readonly clock: TraceClock;
  readonly context: Context;
  readonly simulation: { span: Span; beginMilliseconds: number; endMilliseconds: number }[];
}

/** Returns null if OTEL_SDK_DISABLED is true. Throws CONFIG_INVALID. */
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
      const { offered, accepted, reason } = exporter.losses;
      if (inTime && accepted === offered) return null;
      const why = reason ?? "no response in time";
      return (
        `${offered - accepted} of ${offered} spans did not reach ${settings.collector} (${why}). ` +
        "Is a collector listening there? Set another one with OTEL_EXPORTER_OTLP_ENDPOINT. " +
        "OTEL_LOG_LEVEL=debug shows more."
      );
    },
  };
}

function openSpans(provider: TracerProvider): Omit<Tracing, "close"> {
  const tracer = provider.getTracer("svc", BUILD_INFO.version);
  const places = new AsyncLocalStorage<StepPlace>();

  const within = async <Result>(
    name: string,
    place: Pick<StepPlace, "simulation"> | undefined,
    action: (span: Span) => Result | Promise<Result>,
    caller: Context = ROOT_CONTEXT,
  ): Promise<Result> => {
    const parent = places.getStore();
    const context = parent?.context ?? caller;
    const clock = parent?.clock ?? steadyClock();
    const span = tracer.startSpan(name, { startTime: clock() }, context);
    const here: StepPlace = {
      clock,
      simulation: place?.simulation ?? parent?.simulation ?? [],
      context: trace.setSpan(context, span),
    };
    try {
      const result = await places.run(here, async () => action(span));
      span.end(clock());
      return result;
    } catch (error) {
      endFailed(span, error, clock());
      throw error;
    }
  };

  return {
    step: (name, action) =>
      within(name, undefined, async (span) => {
        const place = places.getStore();
        if (name !== "replay" || place === undefined) return action();
        const beginMilliseconds = place.clock();
        const result = await action();
        place.simulation.push({ span, beginMilliseconds, endMilliseconds: place.clock() });
        return result;
      }),
    observe({ node, method, status, durationSeconds }) {
      const place = places.getStore();
      const context = place?.context ?? ROOT_CONTEXT;
      const endTime = place?.clock() ?? Date.now();
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
      const simulation: StepPlace["simulation"] = [];
      const run = async (span: Span) => {
        span.setAttribute("svc.subject", subject);
        const investigation = await action();
        span.setAttributes(investigationAttributes(investigation));
        // A second replay, if there is one, only tests an assumption of the first.
        const [first] = simulation;
        const { calls } = investigation.explanation;
        if (first !== undefined && calls !== null) {
          const { spans, omitted } = callSpans(calls, first);
          if (omitted > 0) span.setAttribute("svc.calls.omitted", omitted);
          const context = trace.setSpan(ROOT_CONTEXT, first.span);
          for (const call of spans) addCall(call, context);
        }
        return investigation;
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

/** A clock that is set once, by the system's clock. */
function steadyClock(): TraceClock {
  const begin = Date.now() - performance.now();
  return () => begin + performance.now();
}

function passed(milliseconds: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), milliseconds).unref();
  });
}
