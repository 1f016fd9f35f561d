import { defineCommand } from "citty";
import { MANNER_FLAGS } from "../common-flags.ts";
import type { Shell } from "../shell.ts";
export function doctorCommand(_shell: Shell) {
  return defineCommand({
    args: { ...MANNER_FLAGS },
    async run() {
      return 0;
    },
  });
}
