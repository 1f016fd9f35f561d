import { defineCommand } from "citty";
import { MANNER_FLAGS } from "../common-flags.ts";
import type { Shell } from "../shell.ts";
export function captureCommand(_shell: Shell) {
  return defineCommand({
    args: { ...MANNER_FLAGS },
    async run() {
      return 0;
    },
  });
}
