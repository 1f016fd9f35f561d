// The public keys that sign releases. release/signing-keys has them, and `npm run docs` writes them
// into the scripts that check a release, which carry them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";

const FILE = join(ROOT, "release", "signing-keys");
/** The line of each script that has the keys, separated by blanks. */
const CARRIERS: Readonly<Record<string, RegExp>> = {
  "release/install.sh": /^(keys=')[^']*(')$/m,
  "release/install.ps1": /^(\$keys = ')[^']*(')$/m,
  "release/github-action/action.yml": /^( *KEYS: ")[^"]*(")$/m,
};
const KEY = /^ssh-ed25519 (AAAAC3NzaC1lZDI1NTE5AAAAI[\w+/]+=*)(?: .*)?$/;

/** Returns the keys in base64. The list is empty as long as nobody has made one. */
export function readSigningKeys(file = FILE): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => {
    if (line.trim() === "" || line.startsWith("#")) return [];
    const [, key] = KEY.exec(line) ?? [];
    if (key === undefined) throw new Error(`${file}: "${line}" is not an ssh-ed25519 key`);
    return key;
  });
}

/** Returns the content that each script should have, by its path. */
export function scriptsWithKeys(keys = readSigningKeys()): Map<string, string> {
  return new Map(
    Object.entries(CARRIERS).map(([name, line]) => {
      const path = join(ROOT, name);
      const current = readFileSync(path, "utf8");
      if (!line.test(current)) throw new Error(`${name} has no line for the keys`);
      return [path, current.replace(line, `$1${keys.join(" ")}$2`)];
    }),
  );
}
