// Replaces XDR that is written as JSON (SEP-51) in a node's answer by base64. Answers with
// xdrFormat json have it, and the output of stellar-cli. The SDK, which reads it, is loaded only
// for such a text.

import { excessOfJson } from "../base/json-bounds.ts";
import type { WrittenType } from "../xdr/reader/written.ts";

const DEEPEST = 8;
/** For each field name, its type, and the name of the field in base64. */
const FIELDS: Readonly<Record<string, readonly [type: WrittenType, name: string]>> = {
  resultJson: ["TransactionResult", "resultXdr"],
  errorResultJson: ["TransactionResult", "errorResultXdr"],
  envelopeJson: ["TransactionEnvelope", "envelopeXdr"],
  resultMetaJson: ["TransactionMeta", "resultMetaXdr"],
  diagnosticEventsJson: ["DiagnosticEvent", "diagnosticEventsXdr"],
  eventsJson: ["DiagnosticEvent", "events"],
  // The form in which `stellar tx send` prints it.
  result: ["TransactionResult", "resultXdr"],
  envelope: ["TransactionEnvelope", "envelopeXdr"],
  result_meta: ["TransactionMeta", "resultMetaXdr"],
};
const WRITTEN = /"(?:\w+Json|fee_charged|in_successful_contract_call)"\s*:/;
/** An ScVal by itself, such as `{"error": {"contract": 10}}`. */
const ERROR = /^\s*\{\s*"error"\s*:\s*\{\s*"\w+"\s*:\s*(?:"\w+"|\d+)\s*\}\s*\}\s*$/;

/** Returns the text itself if nothing in it is written as JSON. */
export async function withXdrOfJson(text: string): Promise<string> {
  const isError = ERROR.test(text);
  if (!/^\s*[[{]/.test(text) || !(isError || WRITTEN.test(text))) return text;
  if (excessOfJson(text) !== null) return text;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return text;
  }
  const [{ NotWritten }, { readWritten }] = await Promise.all([
    import("../xdr/reader/from-json.ts"),
    import("../xdr/reader/written.ts"),
  ]);
  const read = (type: WrittenType, value: unknown): string | null => {
    try {
      return readWritten(type, value);
    } catch (problem) {
      if (problem instanceof NotWritten) return null;
      throw problem;
    }
  };
  const inXdr = (type: WrittenType, value: unknown): unknown =>
    Array.isArray(value) ? value.map((each) => inXdr(type, each)) : (read(type, value) ?? value);
  const visit = (value: unknown, depth: number): unknown => {
    if (typeof value !== "object" || value === null || depth > DEEPEST) return value;
    if (Array.isArray(value)) return value.map((each) => visit(each, depth + 1));
    if ("in_successful_contract_call" in value) return inXdr("DiagnosticEvent", value);
    if ("fee_charged" in value && "result" in value) return inXdr("TransactionResult", value);
    const fields = Object.entries(value).map(([name, field]) => {
      const [type, written] = FIELDS[name] ?? [];
      const isWritten = typeof field === "object" && field !== null;
      const xdr = type === undefined || !isWritten ? field : inXdr(type, field);
      return xdr === field || written === undefined
        ? [name, visit(field, depth + 1)]
        : [written, xdr];
    });
    return Object.fromEntries(fields);
  };
  return JSON.stringify((isError ? read("ScVal", json) : null) ?? visit(json, 0));
}
