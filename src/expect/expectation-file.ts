// The file of --expect: the expected result of each transaction. `npm run docs` writes its JSON
// schema, which describes it for editors, from the schema here. An unknown field is an error, so
// that a misspelt expectation does not pass.

import * as v from "valibot";
import { fileInvalid, parseJsonText, type SvcError } from "../base/errors/errors.ts";
import { checkDocument } from "../base/errors/field-problems.ts";
import { MEASURE_NAMES, type MeasureName } from "./measure.ts";

const EXPECTATIONS_FORMAT = 1;
const MAXIMUM_FILE_CHARACTERS = 16 * 1024 * 1024;
const MAXIMUM_TRANSACTIONS = 1000;

const text = v.pipe(v.string("must be text"), v.nonEmpty("must not be empty"));
const count = v.pipe(
  v.number("must be a whole number"),
  v.safeInteger("must be a whole number"),
  v.minValue(0, "must not be negative"),
);
/** A JSON number cannot hold 64 bits, so large numbers are text. */
const ceiling = v.pipe(
  v.union(
    [count, v.pipe(v.string(), v.regex(/^\d{1,19}$/))],
    "must be a whole number, or its digits as text",
  ),
  v.transform((value) => BigInt(value)),
);
const BASE64 = /^(?:[0-9A-Za-z+/]{4})+(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$/;
const verdict = v.picklist(
  ["exact", "equivalent", "diverged", "inconclusive"],
  "must be exact, equivalent, diverged or inconclusive",
);

function described<Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text));
}

const expectation = v.strictObject({
  outcome: v.exactOptional(v.picklist(["success", "failed"], "must be success or failed")),
  verdict: v.exactOptional(
    v.pipe(
      v.union(
        [verdict, v.pipe(v.array(verdict), v.minLength(1))],
        "must be a verdict or a list of verdicts",
      ),
      v.transform((value) => [value].flat()),
    ),
  ),
  resultCode: v.exactOptional(
    described(text, "XDR name of the result code of the transaction or of one of its operations."),
  ),
  cause: v.exactOptional(
    described(text, "Kind of the cause: outcome.cause.kind of svc debug --json."),
  ),
  error: v.exactOptional(
    v.pipe(
      text,
      v.regex(/^Error\(\w+, (#\d+|\w+)\)$/, 'must be like "Error(Contract, #5)"'),
      v.description("The contract host's error, such as Error(Contract, #5)."),
    ),
  ),
  returnValue: v.exactOptional(
    described(text, "Return value of the called function, as in the report."),
  ),
  returnValueXdr: v.exactOptional(
    v.pipe(
      text,
      v.regex(BASE64, "must be base64"),
      v.description("The return value as base64 of its ScVal, byte for byte."),
    ),
  ),
  events: v.exactOptional(
    described(count, "Number of contract and system events that the transaction emitted."),
  ),
  atMost: v.exactOptional(
    described(
      v.strictObject(
        Object.fromEntries(MEASURE_NAMES.map((name) => [name, v.exactOptional(ceiling)])),
      ),
      "Upper limits; a 64-bit number may be written as text.",
    ),
  ),
});

const hash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{64}$/, "a transaction's hash must be 64 hexadecimal characters"),
  v.toLowerCase(),
);

export const expectationsSchema = v.strictObject({
  $schema: v.exactOptional(v.string()),
  format: v.literal(EXPECTATIONS_FORMAT, `must be ${EXPECTATIONS_FORMAT}`),
  /** These apply to every transaction whose own expectation has no value for the field. */
  defaults: v.exactOptional(expectation),
  transactions: described(
    v.record(hash, expectation),
    "By transaction hash; for a fee-bump, the outer or the inner hash.",
  ),
});

/** The parts that the JSON schema names. */
export const EXPECTATION_PARTS = { expectation, verdict, count, ceiling };

export type Expectation = Omit<v.InferOutput<typeof expectation>, "atMost"> & {
  readonly atMost?: Readonly<Partial<Record<MeasureName, bigint>>>;
};

export interface Expectations {
  /** The name of the file, for errors and reports. */
  readonly file: string;
  /** The expectations by lower-case hash, completed with the file's defaults. */
  readonly transactions: ReadonlyMap<string, Expectation>;
}

/**
 * Reads the file. `file` is its name for errors. Throws FILE_INVALID with the name of the field.
 */
export function readExpectations(content: string, file: string): Expectations {
  if (content.length > MAXIMUM_FILE_CHARACTERS) throw invalid(file, "it is too large");
  const refuse = (why: string, cause?: unknown) => invalid(file, why, cause);
  const document = parseJsonText(content, refuse);
  const { defaults = {}, transactions } = checkDocument(expectationsSchema, document, refuse);
  const written = Object.entries(transactions);
  if (written.length > MAXIMUM_TRANSACTIONS)
    throw invalid(file, `it has more than ${MAXIMUM_TRANSACTIONS} transactions`);
  if (written.length !== Object.keys((document as { transactions: object }).transactions).length)
    throw invalid(file, "it has a transaction twice, in upper and lower case");
  // JSON keeps the last of several equal keys.
  if ((content.match(/"[0-9a-f]{64}"\s*:/gi) ?? []).length > written.length)
    throw invalid(file, "it has a transaction twice");
  const filled = written.map(([key, own]): [string, Expectation] => [key, merged(defaults, own)]);
  return { file, transactions: new Map(filled) };
}

function merged(defaults: Expectation, own: Expectation): Expectation {
  const atMost = { ...defaults.atMost, ...own.atMost };
  return { ...defaults, ...own, ...(Object.keys(atMost).length > 0 && { atMost }) };
}

function invalid(file: string, why: string, cause?: unknown): SvcError {
  const remedy = "Correct the file; docs/ci.md describes its format.";
  return fileInvalid(file, `${file} is not a valid expectations file: ${why}.`, remedy, cause);
}
