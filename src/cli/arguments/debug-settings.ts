// The settings of svc debug.

import * as v from "valibot";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { type Fact, type Facts, withRules, withWarnings } from "../../base/settings/check-rules.ts";
import {
  type Condition,
  directory,
  inGroup,
  type Resolved,
  type Settings,
} from "../../base/settings/setting.ts";
import type { Arguments } from "../../command/command.ts";
import {
  COMMON,
  EXPECT_SIGNER,
  LABEL,
  LEDGER_FILE,
  NETWORK,
  PROOF,
  STRICT_VALIDATION,
  TRACING,
  verbose,
} from "../../command/common-settings.ts";
import { reportFileOf, reportSetting } from "../../command/report-files.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { FIX_FORMATS, REPORT_FORMATS, SECTION_NAMES } from "../../report/report-format.ts";
import { NETWORK_SETTINGS } from "../../sources/network-settings.ts";
import { OVERRIDES } from "./override-settings.ts";

/** The names are here so that reading the flags loads no renderer. */
const PROFILE_FORMAT_NAMES = ["html", "folded", "speedscope", "pprof"] as const;

/** The transaction comes from a capsule: a capsule file instead of a hash counts as `--from`. */
const CAPSULE: Condition = { setting: "from", words: "--from or a capsule file" };
/** The format of standard output: `fix` stands for --fix, and `view` for -i. */
const PRINTED_TEXT: Condition = { setting: "printed", is: ["text"], words: "a report as text" };
const PRINTED_PAGE: Condition = { setting: "printed", is: ["html"], words: "--format html" };

const INPUT = inGroup("Input", {
  from: {
    hint: "FILE",
    help:
      "Read the transaction from a capsule file or a page of --format html (-: standard input; demo:NAME: one of `svc demo`). " +
      "Makes no requests to nodes.",
  },
  wasm: {
    hint: "FILE",
    help:
      "Build of a contract's code with debug information, used to show source lines and function " +
      "names.",
  },
  sourceMap: {
    hint: "FROM=TO",
    repeats: true,
    schema: v.pipe(
      v.string(),
      v.transform((written) => {
        const equals = written.indexOf("=");
        return { from: written.slice(0, Math.max(0, equals)), to: written.slice(equals + 1) };
      }),
      v.object({
        from: v.pipe(v.string(), v.nonEmpty("needs a directory of the build before =")),
        to: v.pipe(v.string(), v.nonEmpty("needs a directory after =")),
      }),
    ),
    onlyWith: ["interactive"],
    help:
      "Directory TO of this machine that has the files of the build's directory FROM, for stepping " +
      "through sources. Can be repeated.",
  },
  code: {
    hint: "DIR",
    schema: directory,
    help: "Directory of *.wasm files with contract code that no node has. svc finds the code by its hash.",
  },
  ...withRules({ notWith: [CAPSULE] }, LEDGER_FILE),
  expectSigner: {
    ...EXPECT_SIGNER.expectSigner,
    onlyWith: [CAPSULE],
    help: "Refuse a capsule without this account's signature.",
  },
} as const satisfies Settings);

const OUTPUT = inGroup("Output", {
  fix: {
    notWith: [
      "interactive",
      { group: "What if", words: "--override…" },
      { setting: "format", not: FIX_FORMATS, words: "--format other than text, json and xdr" },
    ],
    help:
      "Print only the fix, proven by running it, and the envelope to sign. Exit with code 7 if no " +
      "fix is proven.",
  },
  fast: {
    help: "Skip the extra runs that find which value decided the failure.",
  },
  interactive: {
    alias: "i",
    notWith: [
      "json",
      { setting: "save", is: ["-"] },
      { group: "What if", words: "--override…" },
      { setting: "format", not: ["text"], words: "--format other than text" },
    ],
    help: "Browse calls, state, events and verdict in the terminal.",
  },
  ...verbose(
    "Show progress, every section, and the trace: what each call read and wrote, its events, " +
      "authorizations, logs and error. -vv also shows every comparison and the host's messages, -vvv every host call.",
  ),
  format: {
    hint: "FORMAT",
    schema: v.picklist([...new Set([...REPORT_FORMATS, ...FIX_FORMATS])]),
    otherwise: "text",
    valueRules: { xdr: { onlyWith: ["fix"] } },
    help:
      "Report format. --json is the same as --format json; xdr is only the envelope of --fix, to " +
      "pipe into `stellar tx sign`.",
  },
  report: reportSetting(REPORT_FORMATS),
  replayable: {
    onlyWith: [PRINTED_PAGE, reportFileOf("html")],
    help:
      "Put svc itself into the page of --format html (3 MB): without a network and without svc, it " +
      "replays the transaction with changes, steps through the code, and explains errors.",
  },
  show: {
    hint: "SECTION,…",
    schema: v.pipe(
      v.string(),
      v.transform((names) => names.split(",")),
      v.array(
        v.picklist(SECTION_NAMES, ({ input }) => {
          const near = nearestWord(String(input), SECTION_NAMES);
          return `must name sections of the report${near === null ? "" : `, such as ${near}`}`;
        }),
      ),
    ),
    onlyWith: [PRINTED_TEXT, reportFileOf("text")],
    help: `Print only these sections, in full: ${SECTION_NAMES.join(", ")}.`,
  },
  fullAddresses: {
    onlyWith: [PRINTED_TEXT, reportFileOf("text")],
    help: "Show every address in full.",
  },
  save: {
    hint: "FILE",
    help:
      "Save the transaction and its state as a capsule file. With -, svc writes the capsule to " +
      "standard output, and the report to standard error.",
  },
  profile: { help: "Write a flamegraph of the cost of each call." },
  profileFormat: {
    hint: "FORMAT",
    schema: v.picklist(PROFILE_FORMAT_NAMES),
    otherwise: "html",
    help: "Format of the profile. The flag also requests a profile.",
  },
  output: {
    hint: "DIR",
    schema: directory,
    otherwise: "the current directory",
    onlyWith: [{ setting: "save", not: ["-"], words: "--save FILE" }, "profile", "profileFormat"],
    help: "Directory for the capsule of --save and for profiles.",
  },
  ...LABEL,
} as const satisfies Settings);

const EXPECTATIONS = inGroup("CI", {
  failOn: {
    hint: "CONDITION,…",
    help:
      "Exit with code 7 if one of these conditions is true: tx-failed, diverged, inconclusive, equivalent, cpu>N, memory>N, " +
      "fee>N, read-bytes>N, write-bytes>N, events>N.",
  },
  expect: { hint: "FILE", help: "Exit with code 7 if an expectation in this file fails." },
} as const satisfies Settings);

const DIAGNOSTICS = inGroup("General", {
  timing: { notWith: ["quiet"], help: "Print how long each phase took, on standard error." },
  ...TRACING,
  ...STRICT_VALIDATION,
} as const satisfies Settings);

const { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl } = NETWORK_SETTINGS;

export const DEBUG = {
  hash: {
    word: "many",
    help:
      "Transaction hashes, URLs of an explorer, Lab or Horizon, or a capsule file; - reads hashes " +
      "and URLs from standard input, one per line. Not needed with --from or --expect.",
  },
  ...INPUT,
  ...OUTPUT,
  ...OVERRIDES,
  ...EXPECTATIONS,
  ...PROOF,
  ledger: { ...PROOF.ledger, notWith: [CAPSULE] },
  // These settings also judge the proof that a capsule carries.
  ...withRules(
    { onlyWith: ["prove", CAPSULE] },
    { validators: ARCHIVE_SETTINGS.validators, trustedHeader: ARCHIVE_SETTINGS.trustedHeader },
  ),
  ...NETWORK,
  // A capsule needs no node.
  ...withWarnings({ notWith: [CAPSULE] }, { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl }),
  ...COMMON,
  ...DIAGNOSTICS,
  ...verbose(OUTPUT.verbose.help),
  json: {
    ...OUTPUT.json,
    notWith: [{ setting: "format", not: ["json"], words: "another --format" }],
  },
} as const satisfies Settings;

/** The flags of svc debug that have an effect for a demo, which needs no network. */
export const DEBUG_OF_DEMOS = {
  ...OUTPUT,
  ...OVERRIDES,
  ...COMMON,
  simPath: NETWORK.simPath,
  ...verbose(OUTPUT.verbose.help),
  json: OUTPUT.json,
} as const satisfies Settings;

export type DebugArguments = Arguments<typeof DEBUG>;

/** The content of standard output, and the flag that decides it. */
export function printedBy({
  fix,
  interactive,
  json,
  format,
}: Pick<Resolved<typeof DEBUG>, "fix" | "interactive" | "json" | "format">): Fact {
  if (interactive) return { value: "view", shown: "--interactive" };
  if (fix) return { value: format === "xdr" ? "fix as xdr" : "fix", shown: "--fix" };
  if (format !== null) return { value: format, shown: `--format ${format}` };
  return json ? { value: "json", shown: "--json" } : { value: "text", shown: null };
}

/**
 * The facts for rules. A word can name a capsule, so no rule about capsules is checked before the
 * file was searched for.
 */
export function factsOfDebug(
  args: Parameters<typeof printedBy>[0] & Pick<Resolved<typeof DEBUG>, "from" | "hash">,
): Facts {
  const isOpen = args.from === null && args.hash.length > 0;
  return { printed: printedBy(args), ...(isOpen && { from: { value: null, shown: null } }) };
}

/** A profile format requests a profile too. */
export function wantsProfile({ profile, profileFormat }: DebugArguments): boolean {
  return profile || profileFormat !== null;
}
