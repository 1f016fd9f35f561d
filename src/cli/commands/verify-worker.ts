// svc verify-worker: how svc verify uses further cores. Not for people: it speaks lines of JSON.

import { defineCommand } from "citty";
import { MANNER_FLAGS } from "../arguments/common-flags.ts";
import type { Shell } from "../shell.ts";

export function verifyWorkerCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "verify-worker", hidden: true },
    args: MANNER_FLAGS,
    async run() {
      const { runVerifyWorker } = await import("../../debugger/verify/verify-worker.ts");
      const pipes = { input: shell.facts.stdin(), write: shell.output.write };
      await runVerifyWorker(pipes, { signal: shell.signal });
      return 0;
    },
  });
}
