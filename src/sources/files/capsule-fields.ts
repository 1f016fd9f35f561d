// Finds every wrong field of a capsule. Each field is checked by itself, so that a wrong checksum
// or envelope hides no other problem.

import * as v from "valibot";
import { type FieldProblem, problemsByField } from "../../base/errors/field-problems.ts";
import { excessOfJson } from "../../base/json-bounds.ts";
import type { TypeName } from "../../xdr/reader/schema.ts";
import { xdrProblems } from "../../xdr/reader/xdr-problems.ts";

/** Paths of XDR in a capsule. `*` stands for each item of a list. */
const XDR_OF_CAPSULE: Readonly<Record<string, TypeName>> = {
  "record.envelopeXdr": "TransactionEnvelope",
  "record.resultXdr": "TransactionResult",
  "record.resultMetaXdr": "TransactionMeta",
  "record.diagnosticEventsXdr.*": "DiagnosticEvent",
  "snapshot.entries.*.keyXdr": "LedgerKey",
  "snapshot.entries.*.entryXdr": "LedgerEntry",
  "snapshot.settings.*.entryXdr": "LedgerEntry",
};

/**
 * The problems of the fields. `schema` is that of a capsule. Empty if every field has the expected
 * form.
 */
export function capsuleProblems(schema: v.GenericSchema, content: string): FieldProblem[] {
  const document = parsedJson(content);
  if (document === undefined)
    return [{ field: "the file", problem: "is not JSON", expected: "must be one JSON object" }];
  const parsed = v.safeParse(schema, document);
  const ofForm = parsed.success ? [] : problemsByField(schema, parsed.issues);
  const ofXdr = Object.entries(XDR_OF_CAPSULE).flatMap(([path, type]) =>
    fieldsAt(document, path.split(".")).flatMap(({ field, value }) =>
      typeof value === "string" ? xdrProblems(field, type, value) : [],
    ),
  );
  // The type of a field is more precise than the rule that it must be base64 text.
  const named = new Set(ofXdr.map(({ field }) => field));
  return [...ofForm.filter(({ field }) => !named.has(field)), ...ofXdr];
}

function parsedJson(content: string): unknown {
  if (excessOfJson(content) !== null) return undefined;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

interface CapsuleField {
  readonly field: string;
  readonly value: unknown;
}

/** The values at a path in which `*` stands for each item. */
function fieldsAt(value: unknown, [first, ...rest]: readonly string[], field = ""): CapsuleField[] {
  if (first === undefined) return [{ field, value }];
  if (typeof value !== "object" || value === null) return [];
  const list = Array.isArray(value) ? value.entries() : [];
  const items =
    first === "*"
      ? [...list].map(([at, item]) => [String(at), item as unknown] as const)
      : [[first, (value as Readonly<Record<string, unknown>>)[first]] as const];
  return items.flatMap(([name, item]) =>
    fieldsAt(item, rest, field === "" ? name : `${field}.${name}`),
  );
}
