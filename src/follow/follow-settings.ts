// The `follow` section of the settings file: what `svc daemon --follow` watches, and where it sends
// its events. Secrets are never in the file, which only names the files or variables that hold
// them.

import { resolve } from "node:path";
import * as v from "valibot";
import { configInvalid } from "../base/errors/errors.ts";
import { settingProblem } from "../base/errors/field-problems.ts";
import { bareFlag, flag, phrase } from "../base/phrase.ts";
import { type ConfigFile, duration, text, wholeNumber } from "../base/settings/setting.ts";
import {
  type SinkConfig,
  type SinkSurroundings,
  sinkOf,
  sinksSchema,
} from "./sinks/sink-settings.ts";

export interface FollowConfig extends Omit<v.InferOutput<typeof followSchema>, "sinks" | "state"> {
  /** Absolute path of the directory. */
  readonly state: string;
  readonly sinks: readonly SinkConfig[];
}

export interface FollowConfigInputs extends SinkSurroundings {
  readonly file: ConfigFile | null;
  /** The value of `--state`; null for the one in the file. */
  readonly state: string | null;
}

const SECTION = "follow";
const names = v.pipe(v.array(text), v.maxLength(100, "must have at most 100 entries"));
const label = v.pipe(text, v.maxLength(40, "must have at most 40 characters"));
const followSchema = v.strictObject({
  state: v.optional(text),
  watch: v.optional(
    v.pipe(
      v.array(v.strictObject({ address: text, label: v.optional(label) })),
      // Each name is a label of metrics.
      v.maxLength(200, "must have at most 200 entries"),
    ),
    [],
  ),
  functions: v.optional(names, []),
  causes: v.optional(names, []),
  behindLedgers: v.optional(wholeNumber(0, 1_000_000), 0),
  // People read a summary, and more than six an hour are noise.
  window: v.optional(duration, "10m"),
  fix: v.optional(v.boolean(), false),
  rehearseProtocol: v.optional(v.nullable(wholeNumber(20, 1000)), null),
  memoryMebibytes: v.optional(wholeNumber(16, 65_536), 256),
  jobs: v.optional(v.nullable(wholeNumber(1, 256)), null),
  backlog: v.optional(
    v.strictObject({
      limit: v.optional(v.nullable(wholeNumber(1, 10_000_000)), null),
      policy: v.optional(v.picklist(["catch-up", "skip", "stop"]), "catch-up"),
    }),
    {},
  ),
  // Ten ledgers take about a minute on a public network. A lower limit would only make noise.
  notReadyBehindLedgers: v.optional(wholeNumber(1, 1_000_000), 10),
  // If a receiver is down for longer, missing alerts are not its main problem.
  giveUpAfter: v.optional(duration, "1440m"),
  mostWaiting: v.optional(wholeNumber(100, 10_000_000), 100_000),
  sinks: v.optional(sinksSchema, []),
});

/** Reads the section. Throws CONFIG_INVALID. */
export function resolveFollowConfig(inputs: FollowConfigInputs): FollowConfig {
  const { file, workingDirectory } = inputs;
  const section = file?.settings[SECTION] ?? {};
  const parsed = v.safeParse(followSchema, Array.isArray(section) ? null : section);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const at = v.getDotPath(issue);
    const { problem, meant } = settingProblem(followSchema, issue);
    throw configInvalid(
      `${SECTION}${at === null ? "" : `.${at}`} in ${file?.path ?? "the settings"} ${problem}.`,
      meant === null
        ? "Correct it; docs/follow.md lists every setting."
        : `Did you mean "${meant}"?`,
    );
  }
  const { sinks, state: ofFile, ...settings } = parsed.output;
  const state = inputs.state ?? ofFile;
  if (state === undefined) {
    throw configInvalid(
      phrase`${bareFlag("follow")} needs a directory for its state.`,
      phrase`Set ${flag("state")}, or "state" in the section "${SECTION}" of the settings file.`,
    );
  }
  return Object.freeze({
    ...settings,
    state: resolve(workingDirectory, state),
    sinks: sinks.map((sink) => sinkOf(sink, inputs)),
  });
}
