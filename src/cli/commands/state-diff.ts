// svc state diff: shows how a contract differs between two ledgers, as validators publish it.

import { EXIT } from "../../base/errors/base-errors.ts";
import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { unusedRows } from "../../base/settings/check-rules.ts";
import { integer, type Settings } from "../../base/settings/setting.ts";
import { grouped } from "../../base/text/grouped.ts";
import { addressHint, isContractAddress } from "../../base/text/strkey.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK } from "../../command/common-settings.ts";
import { openStateArchive } from "../../command/open-state-archive.ts";
import { type Shell, textOptions } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { configOf } from "../../sources/network-settings.ts";

const { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl } = NETWORK;

const STATE_DIFF = {
  contract: { word: "one", required: true, help: "A contract (C…)." },
  since: {
    hint: "N",
    schema: integer(1, 0xffffffff),
    required: true,
    group: "Input",
    help: "Earlier ledger of the comparison (required).",
  },
  ledger: {
    hint: "N",
    schema: integer(2, 0xffffffff),
    otherwise: "the latest that validators have signed",
    group: "Input",
    help: "Later ledger of the comparison.",
  },
  ...ARCHIVE_SETTINGS,
  ...NETWORK,
  ...unusedRows("the command reads an archive, and no node", {
    horizonUrl,
    rpcUrl,
    rpcHeader,
    ledgerLakeUrl,
  }),
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(STATE_DIFF, stateDiffCommand, {
  examples: [["C… --since 57000063 --ledger 57000127", "Compare two checkpoints."]],
});

async function stateDiffCommand(shell: Shell, args: Arguments<typeof STATE_DIFF>): Promise<number> {
  const { contract, since } = args;
  const { MOST_DIFF_LEDGERS, readStateDiff } = await import("../../history-archive/state-diff.ts");
  if (!isContractAddress(contract))
    throw usageError(
      `"${contract}" is not a contract${addressHint(contract)}.`,
      "Pass the address of a contract (C…).",
    );
  const { archive, ledger } = await openStateArchive(shell, configOf(args), args);
  if (since >= ledger || ledger - since > MOST_DIFF_LEDGERS)
    throw usageError(
      `Ledger ${since} is not one of the ${grouped(MOST_DIFF_LEDGERS)} before ledger ${ledger}.`,
      phrase`Set the earlier ledger with ${flag("since")}, and the later one with ${flag("ledger")}.`,
    );
  const { networkName: network } = configOf(args);
  const diff = await readStateDiff(archive, contract, { since, ledger, network });
  const { STATE_DIFF_RENDERERS } = await import("../../report/renderers.ts");
  const render = STATE_DIFF_RENDERERS[shell.json ? "json" : "text"];
  await shell.output.write(await render(diff, textOptions(shell)));
  return diff.unknown.length > 0 ? EXIT.inconclusive : 0;
}
