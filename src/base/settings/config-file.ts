// The settings file: the one given with --config or SVC_CONFIG, otherwise svc.json in the working
// directory. A file that svc finds in the working directory may come from somebody else. It may set
// nodes, which svc never trusts, but not a program to run, labels, or who may connect to the
// daemon.

import { resolve } from "node:path";
import * as v from "valibot";
import { nearestWord } from "../errors/did-you-mean.ts";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { readSmallFile, whyUnreadable } from "../files/read-file.ts";

export interface ConfigFile {
  readonly path: string;
  /** Setting name → unchecked value. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ConfigFileQuery {
  /** The value of --config or SVC_CONFIG; undefined: look in the working directory. */
  readonly named: string | undefined;
  readonly workingDirectory: string;
  readonly settingNames: readonly string[];
}

const DEFAULT_NAME = "svc.json";
/** The settings that a file from the working directory may not have. */
const REFUSED: Readonly<Record<string, string>> = {
  simPath: "sets a program to run (simPath); use `--sim-path`",
  labels: "sets names for addresses (labels); use `--label`",
  daemon: "sets who may connect (daemon); use flags",
  follow: "sets where alerts are sent (follow); pass the file",
};

/** Null when no file was given and there is none. Throws FILE_UNREADABLE, CONFIG_INVALID. */
export function readConfigFile(query: ConfigFileQuery): ConfigFile | null {
  const path = resolve(query.workingDirectory, query.named ?? DEFAULT_NAME);
  const text = readText(path, query.named !== undefined);
  if (text === null) return null;
  const settings = parseObject(path, text);
  for (const name of Object.keys(settings)) rejectUnknown(path, name, query.settingNames);
  if (query.named === undefined)
    for (const name of Object.keys(settings)) refuseUnasked(path, name);
  return { path, settings };
}

function readText(path: string, required: boolean): string | null {
  try {
    return readSmallFile(path);
  } catch (cause) {
    if (!required && systemCodeOf(cause) === "ENOENT") return null;
    throw new SvcError("FILE_UNREADABLE", {
      message: `The settings file ${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: "Check the path in `--config` or SVC_CONFIG, and its permissions.",
      cause,
    });
  }
}

function parseObject(path: string, text: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new SvcError("CONFIG_INVALID", {
      message: `The settings file ${path} is not JSON.`,
      remedy: `Correct ${path} or remove it.`,
      cause,
    });
  }
  const parsed = v.safeParse(v.record(v.string(), v.unknown()), json);
  if (parsed.success && !Array.isArray(json)) return parsed.output;
  throw new SvcError("CONFIG_INVALID", {
    message: `The settings file ${path} is not a JSON object.`,
    remedy: `Correct ${path} or remove it.`,
  });
}

function refuseUnasked(path: string, name: string): void {
  const refusal = REFUSED[name];
  if (refusal === undefined) return;
  const [what, instead] = refusal.split("; ");
  throw new SvcError("CONFIG_INVALID", {
    message: `${path} was found in the working directory and ${what}.`,
    remedy: `If you trust the file, pass it with \`--config\`. Otherwise ${instead}.`,
  });
}

function rejectUnknown(path: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const near = nearestWord(name, known);
  throw new SvcError("CONFIG_INVALID", {
    message: `${name} in ${path} is not a setting.`,
    remedy:
      near === null
        ? `Remove it. The settings are ${known.join(", ")}.`
        : `Did you mean "${near}"?`,
  });
}
