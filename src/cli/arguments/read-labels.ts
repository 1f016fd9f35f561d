// What the user calls addresses: --label ADDRESS=NAME, as often as wanted, and `labels` in the file of
// settings. A flag wins over the file.

import { type Labels, labelOfFlag, labelsOfFile } from "../../base/settings/labels.ts";
import type { Shell } from "../shell.ts";
import { loadConfigFile, type ParsedFlags } from "./common-flags.ts";
import { everyValue } from "./repeated-flag.ts";

/** Throws USAGE, CONFIG_INVALID and what reading the file of settings throws. */
export function readAskedLabels(
  shell: Shell,
  args: ParsedFlags,
  rawArgs: readonly string[],
): Labels {
  const file = loadConfigFile(shell, args);
  const ofFile = file === null ? [] : labelsOfFile(file.settings.labels, file.path);
  return new Map([...ofFile, ...everyValue(rawArgs, "label").map(labelOfFlag)]);
}
