// Reads the document of --override: the changes of a what-if run. `npm run docs` generates its JSON
// schema for editors from the schema here. An unknown field is an error, because a misspelled field
// must not be ignored.

import * as v from "valibot";
import {
  type FieldPath,
  type FieldProblem,
  fieldPathName,
  fieldPathOf,
  fieldProblems,
  type NameField,
  problemsByField,
} from "../base/errors/field-problems.ts";
import { type OverriddenEntry, type Overrides, placeOfEntry } from "../model/overrides.ts";
import { writtenEntry } from "./written-entry.ts";
import {
  contract,
  described,
  stroops,
  time,
  writtenText,
  writtenUint32,
} from "./written-values.ts";

const OVERRIDES_FORMAT = 1;
const MAXIMUM_ENTRIES = 1000;

export const overridesSchema = v.strictObject(
  {
    $schema: v.exactOptional(v.string()),
    format: v.literal(OVERRIDES_FORMAT, `must be ${OVERRIDES_FORMAT}`),
    ledger: v.exactOptional(
      v.strictObject({
        sequence: v.exactOptional(v.pipe(writtenUint32, v.minValue(1, "must not be 0"))),
        protocolVersion: v.exactOptional(writtenUint32),
        closeTime: described(
          time,
          "A time with its zone, such as 2026-11-21T10:00:00Z, or Unix seconds as a number or as " +
            "digits.",
        ),
        baseReserveStroops: v.exactOptional(writtenUint32),
      }),
    ),
    limits: v.exactOptional(
      v.strictObject({
        instructions: described(writtenUint32, "CPU instructions that the transaction declares."),
        diskReadBytes: described(writtenUint32, "Disk read bytes that the transaction declares."),
        writeBytes: described(writtenUint32, "Write bytes that the transaction declares."),
        resourceFeeStroops: described(
          stroops,
          "Resource fee that the transaction declares. The fee bid rises with it.",
        ),
        memoryBytes: described(writtenUint32, "The network's memory limit for a transaction."),
        eventsBytes: described(writtenUint32, "The network's size limit for events and result."),
      }),
    ),
    arguments: described(
      v.record(writtenText, v.unknown()),
      "Arguments of the call, by name or position (from 0): JSON of the type in the contract's " +
        'specification, {"scval": JSON of SEP-51} or {"xdr": base64}.',
    ),
    wasm: described(
      v.record(contract, writtenText),
      "Contract → file with its code, relative to this file.",
    ),
    entries: v.exactOptional(
      v.pipe(
        v.array(writtenEntry, "must be a list"),
        v.maxLength(MAXIMUM_ENTRIES, `must be at most ${MAXIMUM_ENTRIES}`),
      ),
    ),
  },
  "must be an object",
);

/** The overrides, with the file names of the wasm instead of its bytes. */
export type WrittenOverrides = Omit<Overrides, "wasm"> & {
  readonly wasmFiles: ReadonlyMap<string, string>;
};

export interface InvalidOverrides {
  /** One clause for each invalid field, `limits.writeBytes: …`. */
  readonly problems: readonly string[];
  /** The field of each problem. */
  readonly paths: readonly FieldPath[];
  readonly fields: readonly FieldProblem[];
}

/**
 * Reads the overrides. `nameField` is how problems and entries name a field (default: by its path
 * in the document).
 */
export function readOverrides(
  document: unknown,
  nameField: NameField = fieldPathName,
): WrittenOverrides | InvalidOverrides {
  const parsed = v.safeParse(overridesSchema, document);
  if (!parsed.success) {
    const { issues } = parsed;
    const fields = problemsByField(overridesSchema, issues);
    const problems = fieldProblems(overridesSchema, issues, nameField);
    return { problems, paths: issues.map(fieldPathOf), fields };
  }
  const { ledger = {}, limits = {} } = parsed.output;
  // valibot leaves out names that every object has, such as "constructor".
  const written = document as { arguments?: object; wasm?: Record<string, string> };
  const entries = (parsed.output.entries ?? []).map((entry, i) => ({
    field: nameField(pathOfEntry(i)),
    ...entry,
  }));
  const repeated = givenTwice(entries);
  if (repeated.length > 0) {
    const problems = repeated.map(({ problem }) => problem);
    return { problems, paths: repeated.map(({ place }) => pathOfEntry(place)), fields: [] };
  }
  const { closeTime: closeTimeUnixSeconds, ...facts } = ledger;
  return {
    ledger: { ...facts, ...(closeTimeUnixSeconds !== undefined && { closeTimeUnixSeconds }) },
    limits,
    arguments: new Map(Object.entries(written.arguments ?? {})),
    wasmFiles: new Map(Object.entries(written.wasm ?? {})),
    entries,
  };
}

function pathOfEntry(place: number): FieldPath {
  return ["entries", String(place)];
}

function givenTwice(entries: readonly OverriddenEntry[]) {
  const first = new Map<string, string>();
  return entries.flatMap(({ field, ...entry }, place) => {
    const replaced = placeOfEntry(entry);
    const other = first.get(replaced);
    first.set(replaced, other ?? field);
    if (other === undefined) return [];
    return [{ place, problem: `${field} has the same ledger key as ${other}` }];
  });
}
