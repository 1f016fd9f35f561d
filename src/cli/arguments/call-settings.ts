// The settings of svc call. They have no name that is common among the arguments of contracts, such
// as `from` and `to`.

import * as v from "valibot";
import { withRules, withWarnings } from "../../base/settings/check-rules.ts";
import { inGroup, integer, type Settings } from "../../base/settings/setting.ts";
import type { Arguments } from "../../command/command.ts";
import { COMMON, NETWORK, STRICT_VALIDATION, verbose } from "../../command/common-settings.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { DEBUG } from "./debug-settings.ts";
import { OVERRIDES } from "./override-settings.ts";

const CALL_FORMATS = ["text", "json", "markdown", "html", "xdr"] as const;

const PLACE = inGroup("Input", {
  as: {
    hint: "ACCOUNT",
    otherwise: "the one account whose authorization is needed, or an account of the fork",
    help:
      "Account that calls: any G… address, without its key, its name in stellar-cli, or @0 to @9 for " +
      "an account of the fork.",
  },
  ledger: {
    hint: "N",
    schema: integer(2, 0xffffffff),
    otherwise: "the latest",
    notWith: ["on"],
    help: "Call on the state that this ledger left.",
  },
  on: {
    hint: "FILE",
    help: "Call on the state of a capsule or of a saved fork. Makes no requests to nodes, unless --network or --rpc-url is given.",
  },
  constructorArgs: {
    hint: "JSON",
    help: "Arguments of the constructor of a wasm file, by name or in order.",
  },
  prove: {
    notWith: ["on"],
    help: "Take the state from a history archive, proven by the validators' signatures.",
  },
  wasm: DEBUG.wasm,
  sourceMap: DEBUG.sourceMap,
} as const satisfies Settings);

const { horizonUrl, ledgerLakeUrl } = NETWORK;

export const CALL = {
  call: {
    word: "many",
    usage: "CONTRACT [FUNCTION] [arguments…]",
    help:
      "A contract (C…, a name that stellar-cli has, or a wasm file), a function, and its arguments: " +
      "--name value, or values in order. Without a function, lists the functions. " +
      "A line of `stellar contract invoke` is understood too.",
  },
  ...PLACE,
  fast: DEBUG.fast,
  interactive: {
    ...DEBUG.interactive,
    notWith: [
      "json",
      { group: "What if", words: "--override…" },
      { setting: "format", not: ["text"], words: "--format other than text" },
    ],
  },
  ...verbose(DEBUG.verbose.help),
  format: inGroup("Output", {
    format: {
      hint: "FORMAT",
      schema: v.picklist(CALL_FORMATS),
      otherwise: "text",
      valueRules: { xdr: { onlyWith: ["as"], notWith: ["on", "interactive"] } },
      help:
        "Report format. xdr is only the simulated envelope, not signed, to pipe into " +
        "`stellar tx sign`.",
    },
  } as const satisfies Settings).format,
  show: {
    ...DEBUG.show,
    onlyWith: [],
    notWith: ["json", { setting: "format", not: ["text"], words: "--format other than text" }],
  },
  fullAddresses: {
    ...DEBUG.fullAddresses,
    onlyWith: [],
    notWith: ["json", { setting: "format", not: ["text"], words: "--format other than text" }],
  },
  save: { ...DEBUG.save, help: "Save the call and its state as a capsule file." },
  label: DEBUG.label,
  ...OVERRIDES,
  failOn: {
    ...DEBUG.failOn,
    help:
      "Exit with code 7 if one of these conditions is true: tx-failed, cpu>N, memory>N, fee>N, " +
      "read-bytes>N, write-bytes>N, events>N.",
  },
  ...withRules({ onlyWith: ["prove"] }, ARCHIVE_SETTINGS),
  ...NETWORK,
  ...withWarnings({ notWith: ["on"] }, { horizonUrl, ledgerLakeUrl }),
  ...COMMON,
  ...STRICT_VALIDATION,
  ...verbose(DEBUG.verbose.help),
  json: {
    ...DEBUG.json,
    notWith: [{ setting: "format", not: ["json"], words: "another --format" }],
  },
} as const satisfies Settings;

export type CallArgs = Arguments<typeof CALL>;
