// The sinks of a settings file. Secrets are never in the file, which only names the files or
// variables that hold them.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { configInvalid, SvcError } from "../../base/errors/errors.ts";
import { whyUnreadable } from "../../base/files/read-file.ts";
import { duration, text } from "../../base/settings/setting.ts";

const sinkName = v.pipe(
  v.string("must be text"),
  v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must have only a-z, 0-9 and -"),
);
const url = v.pipe(
  text,
  v.check(
    (address) => /^https?:$/.test(URL.parse(address)?.protocol ?? ""),
    "must be an http:// or https:// URL",
  ),
);

const webhookSchema = v.strictObject({
  kind: v.literal("webhook"),
  name: sinkName,
  url: v.optional(url),
  /** The URL of some webhooks is a secret. */
  urlFile: v.optional(text),
  urlVariable: v.optional(text),
  secretFile: v.optional(text),
  secretVariable: v.optional(text),
  template: v.optional(v.picklist(["json", "slack"]), "json"),
  events: v.optional(v.picklist(["alerts", "all"]), "alerts"),
  // A receiver that takes longer is as good as down.
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
  file: v.optional(text),
});

export const sinksSchema = v.pipe(
  v.array(v.variant("kind", [webhookSchema, alertmanagerSchema, ndjsonSchema])),
  v.maxLength(20, "must have at most 20 entries"),
  v.check(
    (sinks) => new Set(sinks.map(({ name }) => name)).size === sinks.length,
    "must have different names",
  ),
);

export interface SinkSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

export type SinkConfig = ReturnType<typeof sinkOf>;

/** Reads a sink. Throws CONFIG_INVALID. */
export function sinkOf(
  sink: v.InferOutput<typeof sinksSchema>[number],
  surroundings: SinkSurroundings,
) {
  const { kind, name } = sink;
  switch (kind) {
    case "webhook":
      return {
        kind,
        name,
        url: urlOf(sink, surroundings),
        secret: secretOf(name, "secret", sink.secretFile, sink.secretVariable, surroundings),
        template: sink.template,
        wantsAll: sink.events === "all",
        timeoutMilliseconds: sink.timeout,
      };
    case "alertmanager":
      return {
        kind,
        name,
        url: sink.url,
        timeoutMilliseconds: sink.timeout,
        activeMilliseconds: sink.activeFor,
      };
    case "ndjson":
      return {
        kind,
        name,
        /** Null for stdout. */
        file: sink.file === undefined ? null : resolve(surroundings.workingDirectory, sink.file),
      };
  }
}

function urlOf(sink: v.InferOutput<typeof webhookSchema>, surroundings: SinkSurroundings): string {
  const { name, urlFile, urlVariable } = sink;
  const read = secretOf(name, "URL", urlFile, urlVariable, surroundings);
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
  kind: "secret" | "URL",
  file: string | undefined,
  variable: string | undefined,
  { environment, workingDirectory }: SinkSurroundings,
): string | null {
  if (file !== undefined && variable !== undefined) {
    throw configInvalid(
      `The sink "${name}" has a file and a variable for its ${kind}.`,
      "Set only one of them.",
    );
  }
  if (file === undefined && variable === undefined) return null;
  const setting = kind === "URL" ? "urlFile" : "secretFile";
  const read =
    file === undefined
      ? environment[variable ?? ""]
      : readSecret(resolve(workingDirectory, file), `${setting} of the sink "${name}"`);
  const secret = read?.trim() ?? "";
  if (secret !== "") return secret;
  throw configInvalid(`The ${kind} of the sink "${name}" is empty.`, `Set ${variable ?? file}.`);
}

/** Reads a secret from a file. `setting` names the setting of the file, for messages. */
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
