// W3C Trace Context, the header `traceparent`. It continues the caller's trace in svc, and svc's
// trace in the nodes that svc sends requests to.

import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";

/** Version 00. Later versions begin in the same way. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const ONLY_ZEROS = /^0+$/;

/** Returns the root context if the header is missing or invalid. */
export function callerContext(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (ONLY_ZEROS.test(traceId) || ONLY_ZEROS.test(spanId) || traceId === "") return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

export function traceHeaders(context: Context | undefined): Record<string, string> {
  const span = context && trace.getSpanContext(context);
  if (!span) return {};
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}` };
}
