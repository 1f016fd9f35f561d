// The arguments of `launch`, as an editor's configuration has them.

import * as v from "valibot";

const texts = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((given) => (typeof given === "string" ? [given] : given)),
);

const schema = v.pipe(
  v.object({
    hash: v.optional(v.string()),
    capsule: v.optional(v.string()),
    network: v.optional(v.string()),
    networkPassphrase: v.optional(v.string()),
    horizonUrl: v.optional(v.string()),
    rpcUrl: v.optional(v.string()),
    ledgerLakeUrl: v.optional(v.string()),
    ledgerFile: v.optional(texts),
    timeout: v.optional(v.string()),
    simPath: v.optional(v.string()),
    wasm: v.optional(texts),
    sourceMap: v.optional(v.record(v.string(), v.string())),
    stopAt: v.optional(v.picklist(["entry", "failure"])),
    budgetPercent: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  }),
  v.check(
    ({ hash, capsule }) => (hash === undefined) !== (capsule === undefined),
    "name either `hash` or `capsule`",
  ),
);

export type LaunchArguments = v.InferOutput<typeof schema>;

/** Throws an Error with the field and the reason. */
export function readLaunchArguments(given: unknown): LaunchArguments {
  const read = v.safeParse(schema, given ?? {});
  if (read.success) return read.output;
  const [issue] = read.issues;
  const field = v.getDotPath(issue);
  throw new Error(
    `The launch configuration is not valid${field ? ` at ${field}` : ""}: ${issue.message}.`,
  );
}
