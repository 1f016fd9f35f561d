// The text of a capsule file, as the command line reads it.

import { readFileSync } from "node:fs";
import type { CapsuleText } from "../../src/debugger/walk/open-capsule.ts";

export function capsuleAt(path: string): CapsuleText {
  return { name: path, text: readFileSync(path, "utf8") };
}
