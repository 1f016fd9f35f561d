// The document of --override: the changes of a what-if run. schema/overrides.schema.json describes
// it for editors; a test compares the two. An unknown field is an error: a misspelled field must
// not be ignored.

import * as v from "valibot";
import { fieldProblems } from "../base/errors/field-problems.ts";
import type { OverriddenEntry, Overrides } from "../model/overrides.ts";
import { writtenEntry } from "./written-entry.ts";
import { contract, stroops, text, time, uint32 } from "./written-values.ts";

const OVERRIDES_FORMAT = 1;
const MAXIMUM_ENTRIES = 1000;

const documentSchema = v.strictObject(
  {
    $schema: v.exactOptional(v.string()),
    format: v.literal(OVERRIDES_FORMAT, `must be ${OVERRIDES_FORMAT}`),
    ledger: v.exactOptional(
      v.strictObject({
        sequence: v.exactOptional(v.pipe(uint32, v.minValue(1, "must not be 0"))),
        protocolVersion: v.exactOptional(uint32),
        closeTime: v.exactOptional(time),
        baseReserveStroops: v.exactOptional(uint32),
      }),
    ),
    limits: v.exactOptional(
      v.strictObject({
        instructions: v.exactOptional(uint32),
        memoryBytes: v.exactOptional(uint32),
        diskReadBytes: v.exactOptional(uint32),
        writeBytes: v.exactOptional(uint32),
        eventsBytes: v.exactOptional(uint32),
        resourceFeeStroops: v.exactOptional(stroops),
      }),
    ),
    arguments: v.exactOptional(v.record(text, v.unknown())),
    wasm: v.exactOptional(v.record(contract, text)),
    entries: v.exactOptional(
      v.pipe(
        v.array(writtenEntry, "must be a list"),
        v.maxLength(MAXIMUM_ENTRIES, `must be at most ${MAXIMUM_ENTRIES}`),
      ),
    ),
  },
  "must be an object",
);

/** Overrides with the file names of the wasm instead of its bytes. */
export type WrittenOverrides = Omit<Overrides, "wasm"> & {
  readonly wasmFiles: ReadonlyMap<string, string>;
};

/** `problems`: one clause for each invalid field, `limits.writeBytes: …`. */
export function readOverrides(
  document: unknown,
): WrittenOverrides | { readonly problems: readonly string[] } {
  const parsed = v.safeParse(documentSchema, document);
  if (!parsed.success) return { problems: fieldProblems(documentSchema, parsed.issues) };
  const { ledger = {}, limits = {} } = parsed.output;
  // valibot leaves names out that every object has, such as "constructor".
  const written = document as { arguments?: object; wasm?: Record<string, string> };
  const entries = (parsed.output.entries ?? []).map((entry, i) => ({
    field: `entries.${i}`,
    ...entry,
  }));
  const problems = givenTwice(entries);
  if (problems.length > 0) return { problems };
  const { closeTime: closeTimeUnixSeconds, ...facts } = ledger;
  return {
    ledger: { ...facts, ...(closeTimeUnixSeconds !== undefined && { closeTimeUnixSeconds }) },
    limits,
    arguments: new Map(Object.entries(written.arguments ?? {})),
    wasmFiles: new Map(Object.entries(written.wasm ?? {})),
    entries,
  };
}

function givenTwice(entries: readonly OverriddenEntry[]): string[] {
  const first = new Map<string, string>();
  return entries.flatMap(({ keyXdr, field }) => {
    const other = first.get(keyXdr);
    first.set(keyXdr, other ?? field);
    return other === undefined ? [] : [`${field} has the same ledger key as ${other}`];
  });
}
