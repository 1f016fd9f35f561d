// The ends of spans of failed steps, and the attributes of a transaction's span.

import { type Attributes, type Span, SpanStatusCode, type TimeInput } from "@opentelemetry/api";
import { SvcError } from "../../base/errors/errors.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";
import type { Investigation } from "../../model/investigation.ts";

const LONGEST_MESSAGE = 300;

/** Only svc's own code and message of an error are shown, because they contain no secrets. */
export function endFailed(span: Span, error: unknown, endTime?: TimeInput): void {
  if (error instanceof SvcError) {
    span.setAttribute("error.type", error.code);
    const message = cutNeutral(neutralise(error.message), LONGEST_MESSAGE);
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  } else {
    const message = typeof error === "string" ? neutralise(error) : "an internal error in svc";
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }
  span.end(endTime);
}

/** A transaction that failed on chain is not an error of the span: svc investigated it. */
export function investigationAttributes({
  record,
  explanation,
  execution,
  verdict,
}: Investigation): Attributes {
  const { cause, success } = explanation;
  return {
    "stellar.transaction.hash": record.hash,
    "stellar.network.passphrase": neutralise(record.networkPassphrase),
    "stellar.ledger.sequence": record.ledger.sequence,
    "stellar.ledger.protocol": record.ledger.protocolVersion,
    "svc.outcome": success ? "success" : "failed",
    "svc.verdict": verdict?.kind ?? "none",
    ...(cause === null ? {} : { "svc.cause": neutralise(cause.kind) }),
    ...(execution === null ? {} : meteredAttributes(execution.metrics)),
  };
}

function meteredAttributes(metrics: Readonly<Record<string, string>>): Attributes {
  const amount = (text: string | undefined) =>
    text === undefined || !Number.isSafeInteger(Number(text)) ? text : Number(text);
  const { cpu_insn: cpu, mem_byte: memory } = metrics;
  return {
    ...(cpu === undefined ? {} : { "svc.cpu.instructions": amount(cpu) ?? cpu }),
    ...(memory === undefined ? {} : { "svc.memory.bytes": amount(memory) ?? memory }),
  };
}
