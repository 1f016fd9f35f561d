// W3C Trace Context, the header `traceparent`: the trace of whoever asked goes on in ours, and ours in
// that of whom we ask.

import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";

/** Version 00; a later one begins in the same way. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const NOTHING = /^0+$/;

/** The root, for a header that is missing or is none. */
export function callerContext(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (NOTHING.test(traceId) || NOTHING.test(spanId) || traceId === "") return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

export function traceHeaders(context: Context | undefined): Record<string, string> {
  const span = context && trace.getSpanContext(context);
  if (!span) return {};
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}` };
}
