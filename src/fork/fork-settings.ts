// The settings of a fork: its base, the times at which its ledgers close, and who may use it.

import {
  type Condition,
  duration,
  integer,
  type Settings,
  text,
} from "../base/settings/setting.ts";
import { SERVER_SETTINGS } from "../http-server/server-settings.ts";
import { NEWEST_PROTOCOL } from "../model/protocols.ts";

const { port, host, allowedOrigins, allowedHosts, allowUnauthenticated, tokenFile } =
  SERVER_SETTINGS;
/** The pages of dapps that are developed on this machine. */
const LOCAL_PAGES = "http://localhost:*,http://127.0.0.1:*";

/** Cheats are always allowed on an address of this machine. */
const REACHABLE: Condition = {
  setting: "host",
  not: ["127.0.0.1", "localhost", "::1"],
  words: "a --host that other machines can reach",
};

/** Settings without a variable and outside files, because a fork is started for one purpose. */
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
    notWith: ["before", "from", "empty"],
    help: "Fork the network as this ledger left it.",
  },
  before: {
    hint: "HASH",
    group: "Input",
    notWith: ["from", "empty"],
    help: "Fork the network as it was just before this transaction.",
  },
  archive: {
    group: "Input",
    notWith: ["before", "empty", "offline"],
    help: "Read the state from a history archive instead of nodes. The ledger must be a checkpoint.",
  },
  from: {
    hint: "FILE",
    group: "Input",
    notWith: ["empty"],
    help: "Fork from a capsule (demo:NAME: one of `svc demo`), just before its transaction, or resume a saved fork.",
  },
  empty: { group: "Input", help: "Begin an empty network." },
  protocol: {
    hint: "N",
    schema: integer(20, 1000),
    default: String(NEWEST_PROTOCOL),
    group: "Input",
    onlyWith: ["empty"],
    help: "Protocol of an empty network.",
  },
  offline: {
    group: "Input",
    onlyWith: ["from", "state"],
    notWith: ["ledger", "before", "empty"],
    help: "Make no requests to nodes: use only the file of --from or --state.",
  },
  state: {
    hint: "FILE",
    schema: text,
    group: "Input",
    help: "Save the fork to this file, and resume from the file if it exists.",
  },
  blockTime: {
    hint: "TIME",
    schema: duration,
    otherwise: "with each transaction",
    notWith: ["noMining"],
    help: "Interval at which a ledger closes, such as 5s.",
  },
  noMining: { help: "Close a ledger only for `svc fork close`." },
  accounts: {
    hint: "N",
    schema: integer(0, 100),
    default: "10",
    help: "Number of accounts with 10,000 XLM each.",
  },
  cheats: {
    onlyWith: [REACHABLE],
    help: "Allow cheats although other machines can reach the fork.",
  },
  ...flagsOnly({
    port: { ...port, default: "8000" },
    host,
    allowedOrigins: { ...allowedOrigins, default: LOCAL_PAGES },
    allowedHosts,
    tokenFile,
    allowUnauthenticated,
  }),
} as const satisfies Settings;
