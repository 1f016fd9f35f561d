// The user's names for addresses, from the settings file and from flags.

import * as v from "valibot";
import { configInvalid, usageError } from "../base/errors/errors.ts";
import type { ConfigFile } from "../base/settings/setting.ts";
import { isStrkeyForm } from "../base/text/strkey.ts";

export type Labels = ReadonlyMap<string, string>;

/**
 * Comes before a name that another program has saved. No name from the chain begins with it, and
 * such a label does not hide what the chain shows.
 */
export const SAVED_MARK = "@";

const LONGEST_NAME = 40;
const address = v.pipe(
  v.string(),
  v.check((text) => isStrkeyForm(text), "an address must be a strkey (G…, C…, M…, W…)"),
);
const name = v.pipe(
  v.string("a name must be text"),
  v.minLength(1, "a name must not be empty"),
  v.maxLength(LONGEST_NAME, `a name must have at most ${LONGEST_NAME} characters`),
);
const schema = v.record(address, name);

/**
 * Reads the labels of `--label` and of `labels` in the settings file. A flag overrides the file.
 */
export function readLabels(flags: readonly string[], file: ConfigFile | null): Labels {
  const ofFile = file === null ? [] : labelsOfFile(file.settings.labels, file.path);
  return new Map([...ofFile, ...flags.map(labelOfFlag)]);
}

/** Reads the `labels` of the file at `path`. Throws CONFIG_INVALID. */
export function labelsOfFile(labels: unknown, path: string): Labels {
  const parsed = v.safeParse(schema, labels ?? {});
  if (parsed.success && !Array.isArray(labels)) return new Map(Object.entries(parsed.output));
  const problem = parsed.success ? "they must be an object" : parsed.issues[0].message;
  throw configInvalid(
    `The labels in ${path} are not valid: ${problem}.`,
    'Write "labels": { "G…": "treasury" }.',
  );
}

/** Keeps the names that can be shown, of those that another program has saved. */
export function readableLabels(
  saved: readonly (readonly [address: string, name: string])[],
): Labels {
  return new Map(saved.filter((label) => v.is(schema, Object.fromEntries([label]))));
}

/** Reads `ADDRESS=NAME` as it was typed. Throws USAGE. */
export function labelOfFlag(written: string): readonly [address: string, name: string] {
  const equals = Math.max(0, written.indexOf("="));
  const label = [written.slice(0, equals), written.slice(equals + 1)] as const;
  const parsed = v.safeParse(schema, Object.fromEntries([label]));
  if (parsed.success) return label;
  throw usageError(
    `--label "${written}" is not valid: ${parsed.issues[0].message}.`,
    "Write `--label ADDRESS=NAME`.",
  );
}
