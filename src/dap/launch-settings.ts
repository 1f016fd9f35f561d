// The settings of `launch` that only a debug session has, in the form of an editor's configuration.
// The descriptions are for editors: `npm run docs` writes them to release/vscode/package.json.

import * as v from "valibot";
import { nearestWord } from "../base/errors/did-you-mean.ts";
import { fieldProblems } from "../base/errors/field-problems.ts";

const described = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.optional(v.pipe(schema, v.description(description)));

const texts = (description: string) =>
  v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.description(description),
      v.transform((value) => (typeof value === "string" ? [value] : value)),
    ),
  );

/** Arguments by name or in order, as JSON with the types of the contract's specification. */
const CALL_ARGUMENTS = v.optional(
  v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())]),
);

const CALL = v.strictObject({
  contract: described(v.string(), "Address of the contract (default: the deployed one)."),
  function: v.pipe(v.string(), v.description("Name of the function.")),
  arguments: described(
    v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())]),
    "Arguments by name or in order. `@0` to `@9` are accounts of the fork; `@contract` is the deployed contract.",
  ),
  account: described(
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9)),
    "Number of the fork's account that calls (default: 0).",
  ),
});

export const LAUNCH_FIELDS = v.looseObject({
  hash: described(v.string(), "Transaction hash, 64 hexadecimal characters."),
  capsule: described(v.string(), "Path of a capsule file, instead of a hash."),
  fork: described(
    v.string(),
    "State in which `invoke` runs: a network, `empty` (default), a capsule or a saved fork.",
  ),
  deploy: described(
    v.union([v.string(), v.strictObject({ wasm: v.string(), arguments: CALL_ARGUMENTS })]),
    "The wasm file of a contract to deploy there, with the arguments of its constructor.",
  ),
  invoke: described(
    v.union([CALL, v.array(CALL)]),
    "Calls to make on a fork in this process. svc debugs the last one.",
  ),
  wasm: texts("Builds of the contracts' code with debug information."),
  builds: described(
    v.string(),
    "Directory to search for builds with debug information if `wasm` is not set (default: target). `none` turns the search off.",
  ),
  ledgerFile: texts("Ledger files to search, in addition to the nodes."),
  sourceMap: described(
    v.record(v.string(), v.string()),
    "Maps the beginning of a path in the build to a path on this machine.",
  ),
  stopAt: described(
    v.picklist(["failure", "entry", "breakpoint"]),
    "First stop: where the transaction failed (default), at its entry, or at the first breakpoint before the failure.",
  ),
  stopOnEntry: described(
    v.boolean(),
    "true means `stopAt` with entry; false means `stopAt` with breakpoint.",
  ),
  justMyCode: described(
    v.boolean(),
    "Step only through the contract's own code, not through soroban-sdk and other libraries (default: true).",
  ),
  budgetPercent: described(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    "Percentage of the declared instructions for the budget breakpoint.",
  ),
});

const schema = v.pipe(
  LAUNCH_FIELDS,
  v.check(
    ({ hash, capsule, invoke }) =>
      [hash, capsule, invoke].filter((field) => field !== undefined).length === 1,
    "name one of `hash`, `capsule` and `invoke`",
  ),
  v.check(
    ({ fork, deploy, invoke }) => invoke !== undefined || (fork ?? deploy) === undefined,
    "`fork` and `deploy` are for `invoke`, which is missing",
  ),
  v.check(
    ({ stopAt, stopOnEntry }) => stopAt === undefined || stopOnEntry === undefined,
    "name one of `stopAt` and `stopOnEntry`",
  ),
);

const EMPTY_FORK = "empty";

/** The settings of a launch. The network's settings are among them, unchecked. */
export type LaunchSettings = v.InferOutput<typeof schema>;

/** The network that is forked; null: the fork is a file's or empty, or there is no fork. */
export function networkToFork({ fork }: LaunchSettings): string | null {
  return fork !== undefined && forkOf(fork).kind === "network" ? fork : null;
}

export type LaunchedCall = v.InferOutput<typeof CALL>;

export type LaunchedFork =
  | { readonly kind: "empty" }
  | { readonly kind: "network" }
  | { readonly kind: "file"; readonly path: string };

/** What `fork` names: a network of its own, a capsule or a saved fork, or a network to ask. */
export function forkOf(fork: string = EMPTY_FORK): LaunchedFork {
  if (fork === EMPTY_FORK) return { kind: "empty" };
  return /[/\\]|\.json$/.test(fork) ? { kind: "file", path: fork } : { kind: "network" };
}

/** Fields that editors add, and their own settings. */
const EDITOR_FIELDS = new Set([
  "type",
  "request",
  "name",
  "noDebug",
  "restart",
  "trace",
  "console",
  "cwd",
  "env",
  "program",
  "preLaunchTask",
  "postDebugTask",
  "presentation",
  "internalConsoleOptions",
  "debugServer",
  "serverReadyAction",
  "suppressMultipleSessionWarning",
  "windows",
  "linux",
  "osx",
  "host",
  "port",
  "hostName",
  "debugPort",
  "adapterID",
  "variables",
]);

/**
 * Returns a sentence for each field that is not a setting of svc. `others` are further known names.
 */
export function unknownSettings(launch: LaunchSettings, others: readonly string[]): string[] {
  const known = [...Object.keys(LAUNCH_FIELDS.entries), ...others];
  const isUnknown = (name: string) =>
    // The names of Emacs have hyphens. Those of Visual Studio Code begin with two underscores.
    !known.includes(name) && !EDITOR_FIELDS.has(name) && !/-|^__/.test(name);
  return Object.keys(launch)
    .filter(isUnknown)
    .map((name) => {
      const near = nearestWord(name, known);
      const meant = near === null ? "" : ` Did you mean \`${near}\`?`;
      return `\`${name}\` is not a setting of svc, and is ignored.${meant}`;
    });
}

/** Throws an Error with the field and the reason. */
export function readLaunchSettings(launch: unknown): LaunchSettings {
  const read = v.safeParse(schema, launch ?? {});
  if (read.success) return read.output;
  const [issue] = read.issues;
  const [problem] = v.getDotPath(issue) === null ? [issue.message] : fieldProblems(schema, [issue]);
  throw new Error(`The launch configuration is not valid: ${problem}.`);
}
