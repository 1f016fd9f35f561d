// How the sentences of svc read in an editor: they name the settings of a launch configuration
// instead of flags.

import { type Audience, SHELL } from "../base/phrase.ts";
import { NETWORK } from "../command/common-settings.ts";
import { LAUNCH_FIELDS, type LaunchSettings, networkToFork } from "./launch-settings.ts";

/** A flag that no launch configuration has is an argument of the adapter, and keeps its name. */
export function editorOf(launch: LaunchSettings): Audience {
  const names = new Set([...Object.keys(LAUNCH_FIELDS.entries), ...Object.keys(NETWORK)]);
  const settingOf = (name: string) => {
    if (name === "from") return "capsule";
    if (name === "constructorArgs") return "deploy";
    return name === "network" && networkToFork(launch) !== null ? "fork" : name;
  };
  return {
    ...SHELL,
    flag(name, value) {
      const setting = settingOf(name);
      return names.has(setting) ? { name: setting } : SHELL.flag(name, value);
    },
    again: "Start the session again",
    isShell: false,
  };
}
