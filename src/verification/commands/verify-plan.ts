// svc verify plan: shows the pieces of a range or of files, and what one of them needs.

import { withWarnings } from "../../base/settings/check-rules.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { type Arguments, checkFacts, defineCommand } from "../../command/command.ts";
import { COMMON, NO_SIMULATOR, NODES_OF_LEDGERS } from "../../command/common-settings.ts";
import { warnOfSkipped } from "../../command/ledger-files.ts";
import { shardCount, WARM_UP } from "../../command/shard-settings.ts";
import { runSignal, type Shell, textOptions } from "../../command/shell.ts";
import { configOf } from "../../sources/network-settings.ts";
import {
  chosenPassphrase,
  FILES,
  factsOfInputs,
  openVerifyInputs,
  parseVerifyInputs,
} from "./verify-inputs.ts";

const { rpcUrl, rpcHeader, ledgerLakeUrl } = NODES_OF_LEDGERS;

const VERIFY_PLAN = {
  inputs: {
    word: "many",
    required: true,
    help: "The inputs of svc verify: a range of ledgers, or ledger files.",
  },
  shards: {
    hint: "N",
    schema: shardCount,
    required: true,
    help: "Number of pieces (required).",
  },
  result: {
    hint: "DIR|URL",
    onlyWith: [FILES],
    help:
      "Place to keep a list of the files, so that each piece opens only its own. Use the --result " +
      "of the pieces.",
  },
  ...WARM_UP,
  ...NODES_OF_LEDGERS,
  ...withWarnings({ notWith: [FILES] }, { rpcUrl, rpcHeader, ledgerLakeUrl }),
  ...NO_SIMULATOR,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(VERIFY_PLAN, verifyPlanCommand);

async function verifyPlanCommand(
  shell: Shell,
  args: Arguments<typeof VERIFY_PLAN>,
): Promise<number> {
  const { shards, warmUp: warmUpLedgers, result } = args;
  const inputs = parseVerifyInputs(args.inputs, shell.facts.workingDirectory);
  checkFacts(shell, VERIFY_PLAN, args, factsOfInputs(inputs));
  if (inputs.kind === "files") warnOfSkipped(shell, inputs.skipped);
  const config = configOf(args);
  const { openResults } = await import("../../command/open-results.ts");
  const { planPieces } = await import("../pieces/plan-pieces.ts");
  const { checkSize } = await import("../../verify/divided-inputs.ts");
  const opened = await openVerifyInputs(shell, config, inputs);
  checkSize(opened, shards);
  const signal = runSignal(shell, config);
  const networkPassphrase = chosenPassphrase(config, inputs);
  const store = result === null ? null : await openResults(shell, result, { mustExist: false });
  const choice = { shards, warmUpLedgers };
  const plan = await planPieces(opened, choice, { signal, networkPassphrase, store });
  const { PLAN_RENDERERS } = await import("../../report/renderers.ts");
  const render = PLAN_RENDERERS[shell.json ? "json" : "text"];
  await shell.output.write(render(plan, textOptions(shell)));
  return 0;
}
