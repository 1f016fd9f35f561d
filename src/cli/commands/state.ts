// svc state: an entry of the network's state as a ledger left it, proven by what the validators
// publish and sign. No node is asked.

import { EXIT } from "../../base/errors/base-errors.ts";
import { usageError } from "../../base/errors/errors.ts";
import { integer, type Settings } from "../../base/settings/setting.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { readStateKey } from "../../history-archive/state-key.ts";
import { configOf } from "../../sources/network-settings.ts";
import { COMMON, NETWORK } from "../arguments/common-settings.ts";
import { defineCommand } from "../command.ts";
import { consentOf, textOptions } from "../shell.ts";

const STATE = {
  what: {
    word: "one",
    required: true,
    help: "A contract (C…), an account (G…), or a LedgerKey in base64 or the JSON of SEP-51.",
  },
  key: {
    hint: "KEY",
    group: "Input",
    help: "An entry of the contract's data: a symbol, or an ScVal in base64 or the JSON of SEP-51.",
  },
  temporary: { group: "Input", help: "With --key: temporary data." },
  asset: {
    hint: "CODE:ISSUER",
    group: "Input",
    help: "The account's trustline of this asset.",
  },
  ledger: {
    hint: "N",
    schema: integer(1, 0xffffffff),
    otherwise: "the latest that validators have signed",
    group: "Input",
    help: "The state as this ledger left it.",
  },
  ...ARCHIVE_SETTINGS,
  ...NETWORK,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(
  STATE,
  async (shell, args) => {
    const config = configOf(args);
    const keyXdr = await readStateKey(args.what, args);
    const { openConfiguredHttp } = await import("../../debugger/setup/open-nodes.ts");
    const { openConfiguredArchive } = await import("../../history-archive/open-archive.ts");
    const { STATE_RENDERERS } = await import("../../report/renderers.ts");
    const { networkName: network, networkPassphrase } = config;
    const { name, latestLedger, report } = await openConfiguredArchive(args, {
      http: openConfiguredHttp(config),
      signal: shell.facts.signal,
      ...{ network, networkPassphrase, download: args.download },
      ...(args.ledger !== null && { wantedLedger: args.ledger }),
      ...consentOf(shell),
      environment: shell.facts.environment,
    });
    const ledger = args.ledger ?? latestLedger;
    if (ledger > latestLedger)
      throw usageError(
        `The validators' signatures in ${name} end with ledger ${latestLedger}; ${ledger} is later.`,
        "Use an earlier ledger, or wait some minutes for the next checkpoint.",
      );
    const found = await report(keyXdr, ledger);
    const render = STATE_RENDERERS[shell.json ? "json" : "text"];
    await shell.output.write(await render(found, textOptions(shell)));
    return found.entry.kind === "unknown" ? EXIT.inconclusive : 0;
  },
  {
    examples: [
      ["C… --key Count --ledger 57000000", "Data of a contract."],
      ["G… --asset USDC:G…", "A trustline, now."],
    ],
  },
);
