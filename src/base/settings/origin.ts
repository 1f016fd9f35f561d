// Where the value of a setting comes from, as data. The sources, highest first, are the command
// line, SVC_* variables, files, STELLAR_* variables and defaults.

import { flagOf } from "../flag-name.ts";
import { bareFlag, type Hole } from "../phrase.ts";

export type SettingOrigin =
  /** `setting` is the name of the flag's own setting, such as `rpcUrl`. */
  | { readonly kind: "flag"; readonly setting: string }
  /** A word of the command line without a flag, such as `hash`. */
  | { readonly kind: "word"; readonly name: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "file"; readonly path: string }
  /** What stellar-cli has saved with a node. */
  | { readonly kind: "saved" }
  /** A variable of stellar-cli. */
  | { readonly kind: "shared-variable"; readonly name: string }
  | { readonly kind: "default" };

export const DEFAULT_ORIGIN: SettingOrigin = { kind: "default" };

/** The rank of variables that svc shares with stellar-cli. */
export const SHARED = 3;

const RANKS: Readonly<Record<SettingOrigin["kind"], number>> = {
  flag: 0,
  word: 0,
  variable: 1,
  file: 2,
  saved: 2,
  "shared-variable": SHARED,
  default: SHARED + 1,
};

/** The rank of a source; 0 is the highest. */
export function rankOf({ kind }: SettingOrigin): number {
  return RANKS[kind];
}

export function isDefault({ kind }: SettingOrigin): boolean {
  return kind === "default";
}

/** True if the setting's own flag has the value. */
export function isFlagOf(origin: SettingOrigin | undefined, setting: string): boolean {
  return origin?.kind === "flag" && origin.setting === setting;
}

/** The origin for a table: `--network`, `SVC_NETWORK`, a file's path, `default`. */
export function originText(origin: SettingOrigin): string {
  switch (origin.kind) {
    case "flag":
      return flagOf(origin.setting);
    case "word":
      return `<${origin.name}>`;
    case "variable":
    case "shared-variable":
      return origin.name;
    case "file":
      return origin.path;
    case "saved":
      return "stellar-cli";
    case "default":
      return "default";
  }
}

/** The origin at the beginning of a message. A flag is named for each audience. */
export function originInWords(origin: SettingOrigin): string | Hole {
  return origin.kind === "flag" ? bareFlag(origin.setting) : originText(origin);
}
