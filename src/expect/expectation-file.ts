// The file of --expect: the expected result of each transaction. schema/expectations.schema.json
// describes it for editors; a test compares the two. An unknown field is an error, so that a
// misspelt expectation does not pass.

import * as v from "valibot";
import { fileInvalid, parseJson, type SvcError } from "../base/errors/errors.ts";
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
/** A JSON number cannot hold 64 bits, so large numbers are written as text. */
const ceiling = v.pipe(
  v.union(
    [count, v.pipe(v.string(), v.regex(/^\d{1,19}$/))],
    "must be a whole number, or its digits as text",
  ),
  v.transform((value) => BigInt(value)),
);
const verdict = v.picklist(
  ["exact", "equivalent", "diverged", "inconclusive"],
  "must be exact, equivalent, diverged or inconclusive",
);

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
  resultCode: v.exactOptional(text),
  cause: v.exactOptional(text),
  error: v.exactOptional(
    v.pipe(text, v.regex(/^Error\(\w+, (#\d+|\w+)\)$/, 'must be like "Error(Contract, #5)"')),
  ),
  returnValue: v.exactOptional(text),
  returnValueXdr: v.exactOptional(v.pipe(text, v.base64("must be base64"))),
  events: v.exactOptional(count),
  atMost: v.exactOptional(
    v.strictObject(
      Object.fromEntries(MEASURE_NAMES.map((name) => [name, v.exactOptional(ceiling)])),
    ),
  ),
});

const hash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/i, "a transaction's hash must be 64 hexadecimal characters"),
  v.toLowerCase(),
);

const fileSchema = v.strictObject({
  $schema: v.exactOptional(v.string()),
  format: v.literal(EXPECTATIONS_FORMAT, `must be ${EXPECTATIONS_FORMAT}`),
  defaults: v.exactOptional(expectation),
  transactions: v.record(hash, expectation),
});

export type Expectation = Omit<v.InferOutput<typeof expectation>, "atMost"> & {
  readonly atMost?: Readonly<Partial<Record<MeasureName, bigint>>>;
};

export interface Expectations {
  /** For errors and reports. */
  readonly file: string;
  /** By lower-case hash, with the file's defaults filled in. */
  readonly transactions: ReadonlyMap<string, Expectation>;
}

/** `file`: name for errors. Throws FILE_INVALID with the name of the field. */
export function readExpectations(content: string, file: string): Expectations {
  if (content.length > MAXIMUM_FILE_CHARACTERS) throw invalid(file, "it is too large");
  const refuse = (why: string, cause?: unknown) => invalid(file, why, cause);
  const document = parseJson(content, refuse);
  const { defaults = {}, transactions } = checkDocument(fileSchema, document, refuse);
  const written = Object.entries(transactions);
  if (written.length > MAXIMUM_TRANSACTIONS)
    throw invalid(file, `it has more than ${MAXIMUM_TRANSACTIONS} transactions`);
  if (written.length !== Object.keys((document as { transactions: object }).transactions).length)
    throw invalid(file, "it has a transaction twice, in upper and lower case");
  // JSON keeps the last of equal keys.
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
