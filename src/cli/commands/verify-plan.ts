// svc verify plan: the pieces of a range or of files, and what one of them needs.

import { type ArgsDef, defineCommand } from "citty";
import { VARIADIC } from "../arguments/check-arguments.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../arguments/common-flags.ts";
import { parseVerifyInputs } from "../arguments/verify-inputs.ts";
import { chosenPassphrase, openVerifyInputs, warnOfSkipped } from "../open-verify-inputs.ts";
import { parseShards, WARM_UP_FLAG, warmUpLedgers } from "../shard-flags.ts";
import { runSignal, type Shell, textOptions } from "../shell.ts";

const ARGUMENTS = {
  inputs: {
    type: "positional",
    required: true,
    valueHint: VARIADIC,
    description: "The inputs of svc verify: a range of ledgers, or ledger files.",
  },
  shards: {
    type: "string",
    valueHint: "N",
    required: true,
    description: "Number of pieces (required).",
  },
  result: {
    type: "string",
    valueHint: "DIR|URL",
    description:
      "Of files: keep there what the files are, so that each piece opens only its own (the --result " +
      "of the pieces).",
  },
  ...WARM_UP_FLAG,
  ...CONFIG_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function verifyPlanCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "verify plan" },
    args: ARGUMENTS,
    async run({ args }) {
      const choice = {
        shards: parseShards(args.shards ?? "", "--shards"),
        warmUpLedgers: warmUpLedgers(args),
      };
      const inputs = parseVerifyInputs(args._, shell.facts.workingDirectory);
      warnOfSkipped(shell, inputs);
      const config = loadConfig(shell, args);
      const { openResults } = await import("../open-results.ts");
      const { planPieces } = await import("../../debugger/shard/plan-pieces.ts");
      const { checkSize } = await import("../../debugger/shard/verify-piece.ts");
      const opened = await openVerifyInputs(shell, config, inputs);
      checkSize(opened, choice.shards);
      const signal = runSignal(shell, config);
      const networkPassphrase = chosenPassphrase(config, inputs);
      const store =
        args.result === undefined
          ? null
          : await openResults(shell, args.result, { mustExist: false });
      const plan = await planPieces(opened, choice, { signal, networkPassphrase, store });
      const { PLAN_RENDERERS } = await import("../../report/renderers.ts");
      const render = PLAN_RENDERERS[shell.json ? "json" : "text"];
      await shell.output.write(render(plan, textOptions(shell)));
      return 0;
    },
  });
}
