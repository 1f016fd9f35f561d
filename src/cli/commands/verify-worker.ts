// svc verify-worker: svc verify starts one for each further core. It reads and writes lines of
// JSON.

import { COMMON } from "../arguments/common-settings.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand(COMMON, async ({ facts, output, signal }) => {
  const { runVerifyWorker } = await import("../../verify/verify-worker.ts");
  await runVerifyWorker({ input: facts.stdin(), write: output.write }, { signal });
  return 0;
});
