// The commands that verify ledgers.

import type { CommandEntry } from "../command/command.ts";

export const VERIFICATION_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  verify: {
    group: "Check many",
    summary: "Replay every Soroban transaction of ledgers or ledger files, and count the verdicts.",
    load: () => import("../verification/commands/verify.ts"),
  },
  "verify plan": {
    group: null,
    summary: "Plan a verification for several machines: its pieces, and what each needs.",
    load: () => import("../verification/commands/verify-plan.ts"),
  },
  "verify merge": {
    group: null,
    summary: "Merge the results of `svc verify --shard` into one report.",
    load: () => import("../verification/commands/verify-merge.ts"),
  },
  "verify-worker": {
    group: null,
    summary: "Replay ledgers for svc verify on one more core.",
    hidden: true,
    worksLong: true,
    load: () => import("../verification/commands/verify-worker.ts"),
  },
};
