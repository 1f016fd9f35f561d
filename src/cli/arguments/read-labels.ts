// The user's names for addresses: --label ADDRESS=NAME, which can be repeated, and `labels` in the
// settings file. A flag overrides the file.

import { type Labels, labelOfFlag, labelsOfFile } from "../../base/settings/labels.ts";
import type { Shell } from "../shell.ts";
import { loadConfigFile, type ParsedFlags } from "./common-flags.ts";
import { repeatedFlag } from "./repeated-flag.ts";

/** Throws USAGE, CONFIG_INVALID, and as `loadConfigFile`. */
export function readLabels(shell: Shell, args: ParsedFlags, rawArgs: readonly string[]): Labels {
  const file = loadConfigFile(shell, args);
  const ofFile = file === null ? [] : labelsOfFile(file.settings.labels, file.path);
  return new Map([...ofFile, ...repeatedFlag(rawArgs, "label").map(labelOfFlag)]);
}
