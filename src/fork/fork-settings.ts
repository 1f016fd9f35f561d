// The settings of a fork: what is forked, when its ledgers close, and who may use it.

import { duration, integer, type Settings, text } from "../base/settings/setting.ts";
import { DAEMON_SETTINGS } from "../daemon/daemon-settings.ts";
import { NEWEST_PROTOCOL } from "../model/protocols.ts";

const { port, host, allowedOrigins, allowedHosts, allowUnauthenticated, tokenFile } =
  DAEMON_SETTINGS;
/** Pages of dapps that are developed on this machine. */
const LOCAL_PAGES = "http://localhost:*,http://127.0.0.1:*";

/** No file and no variable has them: a fork is begun for one purpose. */
function flagsOnly<Rows extends Settings>(rows: Rows): Rows {
  const entries = Object.entries(rows).map(([name, { variable, file, ...row }]) => [name, row]);
  return Object.fromEntries(entries) as Rows;
}

export const FORK_SETTINGS = {
  ledger: {
    hint: "N",
    schema: integer(2, 0xffff_ffff),
    otherwise: "the latest",
    group: "Input",
    help: "Fork the network as this ledger left it.",
  },
  before: {
    hint: "HASH",
    group: "Input",
    help: "Fork the network as it was just before this transaction.",
  },
  archive: {
    group: "Input",
    help: "Read the ledger, a checkpoint, from a history archive: no node needs to have it.",
  },
  from: {
    hint: "FILE",
    group: "Input",
    help: "Fork from a capsule, just before its transaction, or go on with a saved fork.",
  },
  empty: { group: "Input", help: "Begin an empty network of its own." },
  protocol: {
    hint: "N",
    schema: integer(20, 1000),
    default: String(NEWEST_PROTOCOL),
    group: "Input",
    help: "Protocol of an empty network.",
  },
  offline: { group: "Input", help: "Ask no node: use only the file of --from or --state." },
  state: {
    hint: "FILE",
    schema: text,
    group: "Input",
    help: "Go on with the fork in this file, if it is there, and keep the fork in it.",
  },
  blockTime: {
    hint: "TIME",
    schema: duration,
    otherwise: "with each transaction",
    help: "Close a ledger after each such time.",
  },
  noMining: { help: "Close a ledger only for `svc fork close`." },
  accounts: {
    hint: "N",
    schema: integer(0, 100),
    default: "10",
    help: "Number of accounts with 10,000 XLM each.",
  },
  cheats: { help: "Allow cheats also where other machines can reach the fork." },
  ...flagsOnly({
    port: { ...port, default: "8000" },
    host,
    allowedOrigins: { ...allowedOrigins, default: LOCAL_PAGES },
    allowedHosts,
    tokenFile,
    allowUnauthenticated,
  }),
} as const satisfies Settings;
