// The problems of a document, field by field, in words. The schema consists of strict objects.

import type { BaseIssue } from "valibot";
import { getDotPath } from "valibot";
import { nearestWord } from "./did-you-mean.ts";

/** The part of a schema that is read here; schemas of other kinds have none of these. */
interface Described {
  readonly entries?: Readonly<Record<string, Described>>;
  readonly item?: Described;
  readonly value?: Described;
  readonly wrapped?: Described;
}

/** Clauses such as `limits.write is not a known field; did you mean "writeBytes"?`. */
export function fieldProblems(schema: object, issues: readonly BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => problemOf(schema as Described, issue));
}

function problemOf(schema: Described, issue: BaseIssue<unknown>): string {
  const path = getDotPath(issue) ?? "the document";
  const keys = (issue.path ?? []).map(({ key }) => String(key));
  // For an unknown field, the issue of a strict object has "never" as what it expected.
  if (issue.expected === "never") {
    const near = nearestWord(keys.at(-1) ?? "", fieldsAt(schema, keys.slice(0, -1)));
    return `${path} is not a known field${near === null ? "" : `; did you mean "${near}"?`}`;
  }
  if (issue.kind === "schema" && issue.received === "undefined") return `${path} is missing`;
  return `${path}: ${issue.message}`;
}

/** The names of the fields of the object at that path. */
function fieldsAt(schema: Described, keys: readonly string[]): readonly string[] {
  let at: Described | undefined = schema;
  for (const key of keys) {
    const object: Described | undefined = plain(at);
    at = object?.entries?.[key] ?? object?.item ?? object?.value;
  }
  return Object.keys(plain(at)?.entries ?? {});
}

/** Without the wrappers for optional values. */
function plain(schema: Described | undefined): Described | undefined {
  return schema?.wrapped === undefined ? schema : plain(schema.wrapped);
}
