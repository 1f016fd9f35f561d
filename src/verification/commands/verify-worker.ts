// svc verify-worker: svc verify starts one for each further core. It reads and writes lines of
// JSON.

import { COMMON } from "../../cli/arguments/common-settings.ts";
import { defineCommand } from "../../cli/command.ts";
import type { Shell } from "../../cli/shell.ts";

export const command = defineCommand(COMMON, verifyWorkerCommand);

async function verifyWorkerCommand({ facts, output, signal }: Shell): Promise<number> {
  const { runVerifyWorker } = await import("../../verify/verify-worker.ts");
  await runVerifyWorker({ input: facts.stdin(), write: output.write }, { signal });
  return 0;
}
