// The document of `svc debug --json` for several transactions. Its JSON schema is made from this
// schema, and its type is what the list is written from.

import * as v from "valibot";

const exitCode = (description: string) =>
  v.pipe(v.number(), v.integer(), v.description(description));

const failedExpectation = v.object({
  origin: v.pipe(
    v.picklist(["--fail-on", "--expect"]),
    v.description("Where the user set the expectation."),
  ),
  condition: v.pipe(v.string(), v.description("The condition as the user wrote it.")),
  expected: v.string(),
  actual: v.string(),
  message: v.pipe(v.string(), v.description("One sentence with both values.")),
});

const listed = v.object({
  subject: v.pipe(v.string(), v.description("The requested hash, or the path of the capsule.")),
  exitCode: exitCode("The exit code if this were the only transaction."),
  error: v.pipe(
    v.nullable(v.object({ code: v.string(), message: v.string(), remedy: v.string() })),
    v.description("Why there is no report; null when there is one."),
  ),
  failedExpectations: v.pipe(
    v.nullable(v.array(failedExpectation)),
    v.description("Null without --fail-on and --expect, or without a report."),
  ),
  report: v.pipe(
    v.nullable(v.record(v.string(), v.unknown())),
    v.description("The document of debug-report.schema.json, or null."),
  ),
});

/** New fields can be added to the list at any time. */
export const debugListSchema = v.object({
  format: v.literal(1),
  exitCode: exitCode("The most severe exit code of the transactions."),
  transactions: v.pipe(
    v.array(listed),
    v.description("In the order of the request, each hash once."),
  ),
});

export type DebugList = v.InferOutput<typeof debugListSchema>;
export type ListedTransaction = v.InferOutput<typeof listed>;
