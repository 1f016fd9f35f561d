// svc verify-worker: the process that svc verify starts for each additional core. It reads and
// writes lines of JSON.

import { defineCommand } from "../../command/command.ts";
import { COMMON } from "../../command/common-settings.ts";
import type { Shell } from "../../command/shell.ts";

export const command = defineCommand(COMMON, verifyWorkerCommand);

async function verifyWorkerCommand({ facts, output, signal }: Shell): Promise<number> {
  const { runVerifyWorker } = await import("../../verify/verify-worker.ts");
  await runVerifyWorker({ input: facts.stdin(), write: output.write }, { signal });
  return 0;
}
