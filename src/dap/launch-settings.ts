// The settings of `launch` that only a debug session has, as an editor's configuration has them.
// The descriptions are for editors: `npm run docs` writes them to release/vscode/package.json.

import * as v from "valibot";
import { nearestWord } from "../base/errors/did-you-mean.ts";

const described = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.optional(v.pipe(schema, v.description(description)));

const texts = (description: string) =>
  v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.description(description),
      v.transform((given) => (typeof given === "string" ? [given] : given)),
    ),
  );

export const LAUNCH_FIELDS = v.looseObject({
  hash: described(v.string(), "Transaction hash, 64 hexadecimal characters."),
  capsule: described(v.string(), "Path of a capsule file, instead of a hash."),
  wasm: texts("Builds of the contracts' code with debug information."),
  builds: described(
    v.string(),
    "Directory to search for such builds where `wasm` is not given (default: target); none: no search.",
  ),
  ledgerFile: texts("Ledger files to search, in addition to the nodes."),
  sourceMap: described(
    v.record(v.string(), v.string()),
    "Beginning of a path in the build → the path on this machine.",
  ),
  stopAt: described(
    v.picklist(["failure", "entry"]),
    "Where to stop first (default: where the transaction failed, if it did).",
  ),
  justMyCode: described(
    v.boolean(),
    "Steps stop in the contract's own code only, not in soroban-sdk and other libraries (default: true).",
  ),
  budgetPercent: described(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    "Percentage of the declared instructions for the budget breakpoint.",
  ),
});

const schema = v.pipe(
  LAUNCH_FIELDS,
  v.check(
    ({ hash, capsule }) => (hash === undefined) !== (capsule === undefined),
    "name either `hash` or `capsule`",
  ),
);

/** The settings of the network are in it too, and are not checked here. */
export type LaunchSettings = v.InferOutput<typeof schema>;

/** Fields that editors add, and their own settings. */
const OF_EDITORS = new Set([
  ...["type", "request", "name", "noDebug", "restart", "trace", "console", "cwd", "env", "program"],
  ...["preLaunchTask", "postDebugTask", "presentation", "internalConsoleOptions", "debugServer"],
  ...["serverReadyAction", "suppressMultipleSessionWarning", "windows", "linux", "osx"],
  ...["host", "port", "hostName", "debugPort", "adapterID", "variables"],
]);

/** A sentence for each setting that is not one of svc. `others`: names of further ones. */
export function unknownSettings(launch: LaunchSettings, others: readonly string[]): string[] {
  const known = [...Object.keys(LAUNCH_FIELDS.entries), ...others];
  const isUnknown = (name: string) =>
    // The names of Emacs have hyphens; those of Visual Studio Code begin so.
    !known.includes(name) && !OF_EDITORS.has(name) && !/-|^__/.test(name);
  return Object.keys(launch)
    .filter(isUnknown)
    .map((name) => {
      const near = nearestWord(name, known);
      const meant = near === null ? "" : ` Did you mean \`${near}\`?`;
      return `\`${name}\` is not a setting of svc, and is ignored.${meant}`;
    });
}

/** Throws an Error with the field and the reason. */
export function readLaunchSettings(given: unknown): LaunchSettings {
  const read = v.safeParse(schema, given ?? {});
  if (read.success) return read.output;
  const [issue] = read.issues;
  const field = v.getDotPath(issue);
  throw new Error(
    `The launch configuration is not valid${field ? ` at ${field}` : ""}: ${issue.message}.`,
  );
}
