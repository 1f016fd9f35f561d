// The settings file: the one given with --config or SVC_CONFIG, otherwise svc.json in the working
// directory. A file that svc finds in the working directory may come from somebody else. It may set
// nodes, which svc never trusts, but nothing that a stranger must not decide: a program to run, or
// who may connect.

import { resolve } from "node:path";
import * as v from "valibot";
import { nearestWord } from "../errors/did-you-mean.ts";
import { configInvalid, SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { readSmallFile, whyUnreadable } from "../files/read-file.ts";
import { flag, phrase } from "../phrase.ts";
import type { ConfigFile, FileRefusal } from "./setting.ts";

/** The settings file that svc reads in the working directory without being asked. */
export const SETTINGS_FILE = "svc.json";

/** Null when no file was given and there is none. Throws FILE_UNREADABLE, CONFIG_INVALID. */
export function readConfigFile(query: {
  /** The value of --config or SVC_CONFIG; undefined: look in the working directory. */
  readonly named: string | undefined;
  readonly workingDirectory: string;
  /** The settings and sections of a file; null: any file may have it. */
  readonly known: Readonly<Record<string, FileRefusal | null>>;
}): ConfigFile | null {
  const path = resolve(query.workingDirectory, query.named ?? SETTINGS_FILE);
  const text = readText(path, query.named !== undefined);
  if (text === null) return null;
  const settings = parseObject(path, text);
  const names = Object.keys(query.known);
  for (const name of Object.keys(settings)) rejectUnknown(name, name, path, names);
  if (query.named === undefined)
    for (const name of Object.keys(settings)) refuseUnasked(path, query.known[name] ?? null);
  return { path, isFound: query.named === undefined, settings };
}

/** Throws CONFIG_INVALID when a section has what is not one of these settings. */
export function checkSection(
  file: ConfigFile | null,
  section: string,
  known: readonly string[],
): void {
  const fields = file?.settings[section];
  if (file === null || fields === undefined) return;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw configInvalid(
      `${section} in ${file.path} is not an object of settings.`,
      `Write an object with these settings: ${known.join(", ")}.`,
    );
  for (const name of Object.keys(fields))
    rejectUnknown(`${section}.${name}`, name, file.path, known);
}

function readText(path: string, required: boolean): string | null {
  try {
    return readSmallFile(path);
  } catch (cause) {
    if (!required && systemCodeOf(cause) === "ENOENT") return null;
    throw new SvcError("FILE_UNREADABLE", {
      message: `The settings file ${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: phrase`Check the path in ${flag("config")} or SVC_CONFIG, and its permissions.`,
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
  throw configInvalid(
    `The settings file ${path} is not a JSON object.`,
    `Correct ${path} or remove it.`,
  );
}

function refuseUnasked(path: string, refusal: FileRefusal | null): void {
  if (refusal === null) return;
  const [reason, instead] = refusal;
  throw configInvalid(
    `${path} was found in the working directory and ${reason}.`,
    phrase`If you trust the file, pass it with ${flag("config")}. Otherwise ${instead}.`,
  );
}

function rejectUnknown(shown: string, name: string, path: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const near = nearestWord(name, known);
  throw configInvalid(
    `${shown} in ${path} is not a setting.`,
    near === null ? `Remove it. The settings are ${known.join(", ")}.` : `Did you mean "${near}"?`,
  );
}
