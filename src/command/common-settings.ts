// The settings that several commands share.

import * as v from "valibot";
import { unusedRows, withRules } from "../base/settings/check-rules.ts";
import { inGroup, integer, type Settings } from "../base/settings/setting.ts";
import { addressHint, isAccountAddress } from "../base/text/strkey.ts";
import { ARCHIVE_SETTINGS } from "../history-archive/archive-settings.ts";
import { NETWORK_SETTINGS } from "../sources/network-settings.ts";

/** The settings of every command. run.ts reads them. */
export const COMMON = inGroup("General", {
  json: { help: "Print one JSON document on stdout, also for errors." },
  debug: { help: "Show the causes of an error." },
  verbose: {
    alias: "v",
    help: "Show progress on stderr even if stderr is not a terminal.",
    notWith: ["quiet"],
  },
  quiet: { alias: "q", help: "Print only errors on stderr." },
  color: {
    hint: "WHEN",
    schema: v.picklist(["auto", "always", "never"]),
    default: "auto",
    help: "Use color. auto: on a terminal, or with FORCE_COLOR; never with NO_COLOR.",
  },
  help: { alias: "h", help: "Print this help." },
} as const satisfies Settings);

export const CONFIG = inGroup("General", {
  config: {
    hint: "FILE",
    variable: "SVC_CONFIG",
    otherwise: "svc.json in the working directory, if it exists",
    help: "JSON file with settings.",
  },
} as const satisfies Settings);

export const NETWORK = { ...NETWORK_SETTINGS, ...CONFIG } as const satisfies Settings;

const { horizonUrl, ledgerLakeUrl } = NETWORK;

/** The network of a command that asks for entries as they are now. */
export const NODES_OF_ENTRIES = {
  ...NETWORK,
  ...unusedRows("only Stellar RPC has the entries of the latest ledger", {
    horizonUrl,
    ledgerLakeUrl,
  }),
} as const satisfies Settings;

/** The network of a command that reads ledgers and entries. */
export const NODES_OF_LEDGERS = {
  ...NETWORK,
  ...unusedRows("Horizon has neither ledgers nor entries", { horizonUrl }),
} as const satisfies Settings;

/** The row of `simPath` in a command that runs no transaction. */
export const NO_SIMULATOR = unusedRows("no transaction runs", { simPath: NETWORK.simPath });

/** The settings of a command that reads them only from variables and files. */
export function withoutFlags<Rows extends Settings>(settings: Rows): Rows {
  const rows = Object.entries(settings).map(([name, row]) => [name, { ...row, flag: false }]);
  return Object.fromEntries(rows) as Rows;
}

/** The rows `verbose`, for a command whose report has more with it, and `json`. */
export function verbose(help: string) {
  const { help: jsonHelp } = COMMON.json;
  return inGroup("Output", { verbose: { alias: "v", help }, json: { help: jsonHelp } } as const);
}

/** The settings of a proof of the state by what validators publish. */
export const PROOF = {
  ...inGroup("Input", {
    prove: {
      help: "Prove the state by the validators' signatures, from a history archive.",
    },
    ledger: {
      hint: "N",
      schema: integer(2, 0xffffffff),
      onlyWith: ["prove"],
      help: "Ledger of the transaction, if no node has the transaction any more.",
    },
  } as const satisfies Settings),
  ...withRules({ onlyWith: ["prove"] }, ARCHIVE_SETTINGS),
};

export const LEDGER_FILE = inGroup("Input", {
  ledgerFile: {
    hint: "FILE,…",
    schema: v.pipe(
      v.string(),
      v.transform((files) => files.split(",").filter((path) => path !== "")),
    ),
    help: "Ledger files to search, in addition to the nodes.",
  },
} as const satisfies Settings);

export const STRICT_VALIDATION = inGroup("General", {
  strictValidation: {
    help:
      "Show each field of an invalid input that is wrong, its path and what was expected, and " +
      "check the requests to svc-sim.",
  },
} as const satisfies Settings);

export const LABEL = inGroup("Output", {
  label: {
    hint: "ADDRESS=NAME",
    repeats: true,
    help: "Show NAME for ADDRESS in reports. Labels can also be set in the settings file.",
  },
} as const satisfies Settings);

export const EXPECT_SIGNER = {
  expectSigner: {
    hint: "G…",
    schema: v.pipe(
      v.string(),
      v.check(
        isAccountAddress,
        ({ input }) => `is not an account, such as G…${addressHint(input)}`,
      ),
    ),
    help: "Refuse any signer except this account.",
  },
} as const satisfies Settings;

export const TRACING = inGroup("General", {
  tracing: { help: "Export OpenTelemetry traces over OTLP/HTTP." },
} as const satisfies Settings);

export const REHEARSAL = {
  rehearseProtocol: {
    hint: "N",
    schema: integer(20, 1000),
    help: "Run each transaction under this protocol too, and report what would differ.",
  },
} as const satisfies Settings;
