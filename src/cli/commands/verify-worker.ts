// svc verify-worker: svc verify starts one for each further core. It reads and writes lines of
// JSON.

import { defineCommand } from "citty";
import { COMMON_FLAGS } from "../arguments/common-flags.ts";
import type { Shell } from "../shell.ts";

export function verifyWorkerCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "verify-worker", hidden: true },
    args: COMMON_FLAGS,
    async run() {
      const { runVerifyWorker } = await import("../../debugger/verify/verify-worker.ts");
      const pipes = { input: shell.facts.stdin(), write: shell.output.write };
      await runVerifyWorker(pipes, { signal: shell.signal });
      return 0;
    },
  });
}
