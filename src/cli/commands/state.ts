// svc state: shows an entry of the network's state as a ledger left it, proven by what validators
// publish and sign. A node is asked only for the ledger of a transaction.

import { EXIT } from "../../base/errors/base-errors.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { withWarnings } from "../../base/settings/check-rules.ts";
import { integer, type Settings } from "../../base/settings/setting.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK } from "../../command/common-settings.ts";
import { openStateArchive } from "../../command/open-state-archive.ts";
import { readTransaction } from "../../command/read-hashes.ts";
import { runSignal, type Shell, textOptions, workOptions } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { readStateKey } from "../../history-archive/state-key.ts";
import { type Config, configOf } from "../../sources/network-settings.ts";

const { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl } = NETWORK;

const STATE = {
  what: {
    word: "one",
    required: true,
    help: "A contract (C…), an account (G…), or a LedgerKey in base64 or the JSON of SEP-51.",
  },
  key: {
    hint: "KEY",
    group: "Input",
    help: "Show an entry of the contract's data: a symbol, or an ScVal in base64 or the JSON of SEP-51.",
  },
  temporary: { group: "Input", onlyWith: ["key"], help: "Read temporary data." },
  asset: {
    hint: "CODE:ISSUER",
    group: "Input",
    notWith: ["key"],
    help: "Show the account's trustline of this asset.",
  },
  ledger: {
    hint: "N",
    schema: integer(1, 0xffffffff),
    otherwise: "the latest that validators have signed",
    group: "Input",
    help: "Show the state after this ledger. With --before, this is the ledger of the transaction.",
  },
  before: {
    hint: "HASH",
    group: "Input",
    help: "Show the state just before this transaction. Without --ledger, nodes report the ledger.",
  },
  ...ARCHIVE_SETTINGS,
  ...NETWORK,
  // Nodes are asked only for the ledger of a transaction.
  ...withWarnings(
    { onlyWith: ["before"], notWith: ["ledger"] },
    { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl },
  ),
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(STATE, stateCommand, {
  examples: [
    ["C… --key Count --ledger 57000000", "Show data of a contract."],
    ["G… --asset USDC:G…", "Show a trustline as it is now."],
    ["C… --key Count --before <hash>", "Show data as a transaction found it."],
  ],
});

async function stateCommand(shell: Shell, args: Arguments<typeof STATE>): Promise<number> {
  const config = configOf(args);
  const keyXdr = await readStateKey(args.what, args);
  const { before } = args;
  const hash = before === null ? null : (await readTransaction(before)).hash;
  const of = hash === null ? args.ledger : (args.ledger ?? (await ledgerOf(shell, config, hash)));
  const { archive, ledger } = await openStateArchive(shell, config, { ...args, ledger: of });
  const { STATE_RENDERERS } = await import("../../report/renderers.ts");
  const report = await archive.report(keyXdr, ledger, hash);
  const render = STATE_RENDERERS[shell.json ? "json" : "text"];
  await shell.output.write(await render(report, textOptions(shell)));
  return report.entry.kind === "unknown" ? EXIT.inconclusive : 0;
}

/**
 * The ledger of the transaction as nodes report it. The archive proves that the transaction is in
 * it.
 */
async function ledgerOf(shell: Shell, config: Config, hash: string): Promise<number> {
  const { openWork } = await import("../../tools/open-work.ts");
  const { transactionLedger } = await import("../../debugger/walk/capture-transaction.ts");
  const { progress } = shell.log;
  const nodes = { ...(await openWork(config, workOptions(shell)).nodes()), progress };
  try {
    return await transactionLedger(nodes, hash, { signal: runSignal(shell, config) });
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    const { code, message, details } = cause;
    const remedy = phrase`Pass the transaction's ledger with ${flag("ledger")}, so that svc asks no node.`;
    throw new SvcError(code, { message, remedy, details, cause });
  }
}
