// The `follow` section of the settings file: what svc daemon --follow watches, and where it sends
// what it finds. Secrets are never in the file: it names files or variables that have them.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { SvcError } from "../errors/errors.ts";
import { settingProblem } from "../errors/field-problems.ts";
import { whyUnreadable } from "../files/read-file.ts";
import type { ConfigFile } from "./config-file.ts";
import { configInvalid, duration, nonEmpty } from "./setting-layers.ts";

export interface FollowConfig extends Omit<v.InferOutput<typeof followSchema>, "sinks" | "state"> {
  /** Absolute path of the directory. */
  readonly state: string;
  readonly sinks: readonly SinkConfig[];
}

export type SinkConfig =
  | (Common & {
      readonly kind: "webhook";
      readonly url: string;
      readonly secret: string | null;
      readonly template: "json" | "slack";
      readonly wantsAll: boolean;
      readonly timeoutMilliseconds: number;
    })
  | (Common & {
      readonly kind: "alertmanager";
      readonly url: string;
      readonly timeoutMilliseconds: number;
      readonly activeMilliseconds: number;
    })
  /** Null: stdout. */
  | (Common & {
      readonly kind: "ndjson";
      readonly file: string | null;
      readonly maximumBytes: number;
      readonly keptFiles: number;
    });

interface Common {
  /** Label of metrics, and part of file names. */
  readonly name: string;
}

export interface FollowConfigInputs {
  readonly file: ConfigFile | null;
  /** `--state`; undefined: the file's. */
  readonly state: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

const SECTION = "follow";
const MEBIBYTE = 1024 * 1024;

const count = (least: number, most: number) => {
  const problem = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.number(problem),
    v.integer(problem),
    v.minValue(least, problem),
    v.maxValue(most, problem),
  );
};
const names = v.pipe(v.array(nonEmpty), v.maxLength(100, "must have at most 100 entries"));
const label = v.pipe(nonEmpty, v.maxLength(40, "must have at most 40 characters"));
const sinkName = v.pipe(
  v.string("must be text"),
  v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must have only a-z, 0-9 and -"),
);
const url = v.pipe(
  nonEmpty,
  v.check(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
    "must be an http:// or https:// URL",
  ),
);

const webhookSchema = v.strictObject({
  kind: v.literal("webhook"),
  name: sinkName,
  url: v.optional(url),
  /** The URL of some webhooks is a secret. */
  urlFile: v.optional(nonEmpty),
  urlVariable: v.optional(nonEmpty),
  secretFile: v.optional(nonEmpty),
  secretVariable: v.optional(nonEmpty),
  template: v.optional(v.picklist(["json", "slack"]), "json"),
  events: v.optional(v.picklist(["alerts", "all"]), "alerts"),
  // Longer, and a receiver is as good as down.
  timeout: v.optional(duration, "10s"),
});
const alertmanagerSchema = v.strictObject({
  kind: v.literal("alertmanager"),
  name: sinkName,
  url,
  timeout: v.optional(duration, "10s"),
  activeFor: v.optional(duration, "60m"),
});
const ndjsonSchema = v.strictObject({
  kind: v.literal("ndjson"),
  name: sinkName,
  file: v.optional(nonEmpty),
  rotateMebibytes: v.optional(count(1, 10_240), 64),
  keptFiles: v.optional(count(1, 100), 5),
});

const followSchema = v.strictObject({
  state: v.optional(nonEmpty),
  watch: v.optional(
    v.pipe(
      v.array(v.strictObject({ address: nonEmpty, label: v.optional(label) })),
      // Each is a label of metrics.
      v.maxLength(200, "must have at most 200 entries"),
    ),
    [],
  ),
  functions: v.optional(names, []),
  causes: v.optional(names, []),
  behindLedgers: v.optional(count(0, 1_000_000), 0),
  // People read a summary; more than six an hour are noise.
  window: v.optional(duration, "10m"),
  fix: v.optional(v.boolean(), false),
  rehearseProtocol: v.optional(v.nullable(count(20, 1000)), null),
  memoryMebibytes: v.optional(count(16, 65_536), 256),
  jobs: v.optional(v.nullable(count(1, 256)), null),
  backlog: v.optional(
    v.strictObject({
      limit: v.optional(v.nullable(count(1, 10_000_000)), null),
      policy: v.optional(v.picklist(["catch-up", "skip", "stop"]), "catch-up"),
    }),
    {},
  ),
  // Ten ledgers of a public network: less is noise.
  notReadyBehindLedgers: v.optional(count(1, 1_000_000), 10),
  // A receiver that is down for longer has lost more than alerts.
  giveUpAfter: v.optional(duration, "1440m"),
  mostWaiting: v.optional(count(100, 10_000_000), 100_000),
  sinks: v.optional(
    v.pipe(
      v.array(v.variant("kind", [webhookSchema, alertmanagerSchema, ndjsonSchema])),
      v.maxLength(20, "must have at most 20 entries"),
      v.check(
        (sinks) => new Set(sinks.map(({ name }) => name)).size === sinks.length,
        "must have different names",
      ),
    ),
    [],
  ),
});

/** Throws CONFIG_INVALID. */
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
      "--follow needs a directory for its state.",
      `Set --state, or "state" in the section "${SECTION}" of the settings file.`,
    );
  }
  return Object.freeze({
    ...settings,
    state: resolve(workingDirectory, state),
    sinks: sinks.map((sink) => sinkOf(sink, inputs)),
  });
}

type WrittenSink = v.InferOutput<typeof followSchema>["sinks"][number];

function sinkOf(sink: WrittenSink, inputs: FollowConfigInputs): SinkConfig {
  const { name } = sink;
  switch (sink.kind) {
    case "webhook":
      return {
        kind: "webhook",
        name,
        url: urlOf(sink, inputs),
        secret: secretOf(name, "secret", sink.secretFile, sink.secretVariable, inputs),
        template: sink.template,
        wantsAll: sink.events === "all",
        timeoutMilliseconds: sink.timeout,
      };
    case "alertmanager":
      return {
        kind: "alertmanager",
        name,
        url: sink.url,
        timeoutMilliseconds: sink.timeout,
        activeMilliseconds: sink.activeFor,
      };
    case "ndjson":
      return {
        kind: "ndjson",
        name,
        file: sink.file === undefined ? null : resolve(inputs.workingDirectory, sink.file),
        maximumBytes: sink.rotateMebibytes * MEBIBYTE,
        keptFiles: sink.keptFiles,
      };
  }
}

function urlOf(sink: v.InferOutput<typeof webhookSchema>, inputs: FollowConfigInputs): string {
  const { name, urlFile, urlVariable } = sink;
  const read = secretOf(name, "URL", urlFile, urlVariable, inputs);
  if ((read === null) === (sink.url === undefined)) {
    throw configInvalid(
      `The webhook "${name}" must have exactly one URL.`,
      "Set one of `url`, `urlFile` and `urlVariable`.",
    );
  }
  if (read !== null && !v.is(url, read)) {
    throw configInvalid(`The webhook "${name}" has a text that is not a URL.`, "Correct the URL.");
  }
  return read ?? sink.url ?? "";
}

function secretOf(
  name: string,
  what: "secret" | "URL",
  file: string | undefined,
  variable: string | undefined,
  { environment, workingDirectory }: FollowConfigInputs,
): string | null {
  if (file !== undefined && variable !== undefined) {
    throw configInvalid(
      `The sink "${name}" has a file and a variable for its ${what}.`,
      "Set only one of them.",
    );
  }
  if (file === undefined && variable === undefined) return null;
  const setting = what === "URL" ? "urlFile" : "secretFile";
  const text =
    file === undefined
      ? environment[variable ?? ""]
      : readSecret(resolve(workingDirectory, file), `${setting} of the sink "${name}"`);
  const secret = text?.trim() ?? "";
  if (secret !== "") return secret;
  throw configInvalid(`The ${what} of the sink "${name}" is empty.`, `Set ${variable ?? file}.`);
}

/** `setting`: whose file it is, for people. */
function readSecret(path: string, setting: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SvcError("CONFIG_INVALID", {
      message: `The ${setting}, ${path}, cannot be read (${whyUnreadable(cause)}).`,
      remedy: "Correct the path in the settings file, or create the file.",
      cause,
    });
  }
}
