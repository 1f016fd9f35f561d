// svc debug: hashes or a capsule → findings → report.

import { type ArgsDef, defineCommand } from "citty";
import type { Config } from "../../base/settings/config.ts";
import type { Findings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../report/report-format.ts";
import { REPEATABLE, VARIADIC } from "../arguments/check-arguments.ts";
import {
  chooseTransactions,
  logFailedExpectations,
  reportFormat,
  wantsFix,
} from "../arguments/choose-transactions.ts";
import {
  COMMON_FLAGS,
  CONFIG_FLAGS,
  LEDGER_FILE_FLAG,
  loadConfig,
  type ParsedFlags,
  textFlag,
} from "../arguments/common-flags.ts";
import { OVERRIDE_FLAGS } from "../arguments/override-flags.ts";
import { type Expected, readExpectations } from "../arguments/read-expectations.ts";
import { readHashes } from "../arguments/read-hashes.ts";
import { readLabels } from "../arguments/read-labels.ts";
import { readOverrideFlags } from "../arguments/read-override-flags.ts";
import type { ChosenTransactions } from "../investigate-all.ts";
import type { InvestigationOptions } from "../open-investigator.ts";
import { judgedByFix } from "../present/exit-code.ts";
import { browse, refuseImpossibleView } from "../present/interactive.ts";
import { STDOUT, saveCapsule } from "../present/save-capsule.ts";
import { PROFILE_FORMAT_NAMES, saveProfile, wantsProfile } from "../present/save-profile.ts";
import { openTiming, plainTiming, type Timing } from "../run-timing.ts";
import { openRunTracing, type RunTracing } from "../run-tracing.ts";
import { onStderr, type Shell, textOptions, withTimeLimit } from "../shell.ts";

const ARGUMENTS = {
  hash: {
    type: "positional",
    required: false,
    valueHint: VARIADIC,
    description:
      "Transaction hashes (64 hexadecimal characters each), or - to read them from standard " +
      "input, one per line. Not needed with --from or --expect.",
  },
  ...CONFIG_FLAGS,
  ...LEDGER_FILE_FLAG,
  from: {
    type: "string",
    valueHint: "FILE",
    description:
      "Read the transaction from a capsule file or a page of --format html (-: standard input). " +
      "Makes no requests to nodes.",
  },
  "expect-signer": {
    type: "string",
    valueHint: "G…",
    description: "Refuse a capsule without this account's signature.",
  },
  save: {
    type: "string",
    valueHint: "FILE",
    description:
      "Save what was fetched as a capsule file. With -, the capsule is written to standard " +
      "output, and the report to standard error.",
  },
  output: {
    type: "string",
    valueHint: "DIR",
    description: "Directory for output files (default: the current directory).",
  },
  wasm: {
    type: "string",
    valueHint: "FILE",
    description:
      "Build of a contract's code with debug information, used to show source lines and function " +
      "names.",
  },
  code: {
    type: "string",
    valueHint: "DIR",
    description:
      "Directory of *.wasm files, for contract code that no node has; found by its hash.",
  },
  "strict-validation": {
    type: "boolean",
    description: "Check the request to svc-sim field by field before it is sent.",
  },
  interactive: {
    type: "boolean",
    alias: "i",
    description: "Browse calls, state, events and verdict in the terminal.",
  },
  fix: {
    type: "boolean",
    description:
      "Print only the fix, proven by running it, and the envelope to sign. Exit with code 7 if no " +
      "fix is proven.",
  },
  profile: { type: "boolean", description: "Write a flamegraph of the cost of each call." },
  "profile-format": {
    type: "enum",
    options: [...PROFILE_FORMAT_NAMES],
    valueHint: "FORMAT",
    description: "Profile format (default: html).",
  },
  tracing: { type: "boolean", description: "Send a span of every step to an OTLP collector." },
  timing: { type: "boolean", description: "Print how long each phase took, on standard error." },
  label: {
    type: "string",
    valueHint: `ADDRESS=NAME${REPEATABLE}`,
    description: "Show NAME for ADDRESS in reports. Labels can also be set in the settings file.",
  },
  ...OVERRIDE_FLAGS,
  "fail-on": {
    type: "string",
    valueHint: "CONDITION,…",
    description:
      "Exit with code 7 if a condition is true: tx-failed, diverged, inconclusive, equivalent, " +
      "cpu>N, memory>N, fee>N, read-bytes>N, write-bytes>N, events>N.",
  },
  expect: {
    type: "string",
    valueHint: "FILE",
    description: "Exit with code 7 if a transaction does not meet the expectations in this file.",
  },
  format: {
    type: "enum",
    options: [...REPORT_FORMATS],
    valueHint: "FORMAT",
    description: "Report format (default: text). --json is the same as --format json.",
  },
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

/** With the other formats, the log has the failed expectations. */
const SHOWS_FAILED_EXPECTATIONS: readonly ReportFormat[] = ["text", "github"];

export function debugCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "debug" },
    args: ARGUMENTS,
    async run({ args, rawArgs }) {
      const timing = args.timing ? openTiming({ write: shell.log.info }) : plainTiming;
      const format = reportFormat(shell, args);
      const config = loadConfig(shell, args);
      const timed = withTimeLimit(shell, config);
      const given = await readHashes(timed, args._, Object.keys(ARGUMENTS));
      const expected = await readExpectations(timed, args);
      const overrides = await readOverrideFlags(timed, args, rawArgs);
      const labels = readLabels(shell, args, rawArgs);
      const chosen = chooseTransactions(given, expected.hashes, args, format);
      const saved = args.save === STDOUT;
      if (args.interactive) refuseImpossibleView(shell, chosen, format, saved);
      const fix = wantsFix(args, format);
      await using traced = await openRunTracing(shell, args);
      // A page shows everything that a run can record.
      const options = { chosen, overrides, labels, recordsAll: format === "html" };
      const found = await investigate(shell, config, args, options, expected, traced, timing);
      const findings = fix ? judgedByFix(found) : found;
      await writeFiles(withTimeLimit(shell, config), findings, args);
      if (args.interactive) await browse(shell, findings);
      else {
        const reader = saved ? onStderr(shell) : shell;
        await timing.phase("report", () => report(reader, findings, format, fix));
      }
      if (args.interactive || !SHOWS_FAILED_EXPECTATIONS.includes(format))
        logFailedExpectations(shell, findings);
      return findings.exitCode;
    },
  });
}

async function investigate(
  shell: Shell,
  config: Config,
  args: ParsedFlags,
  {
    chosen,
    ...options
  }: Omit<InvestigationOptions, "tracing" | "timing"> & { readonly chosen: ChosenTransactions },
  expected: Expected,
  { tracing }: RunTracing,
  timing: Timing,
): Promise<Findings> {
  const opened = await timing.phase("load", async () => {
    const { openInvestigator } = await import("../open-investigator.ts");
    const { investigateAll } = await import("../investigate-all.ts");
    const all = { tracing, timing, ...options };
    return { investigator: await openInvestigator(shell, config, args, all), investigateAll };
  });
  await using investigator = opened.investigator;
  return await opened.investigateAll(shell, investigator, chosen, expected);
}

async function report(
  shell: Shell,
  findings: Findings,
  format: ReportFormat,
  fix: boolean,
): Promise<void> {
  const { FINDINGS_RENDERERS, FIX_RENDERERS } = await import("../../report/renderers.ts");
  const options = textOptions(shell);
  if (fix) {
    const render = FIX_RENDERERS[format === "json" ? "json" : "text"];
    return shell.output.write(render(findings, options));
  }
  const { encodeCapsule } = await import("../../sources/files/capsule.ts");
  const capsuleOf = ({ record, snapshot }: Investigation) => encodeCapsule(record, snapshot);
  await shell.output.write(await FINDINGS_RENDERERS[format](findings, { ...options, capsuleOf }));
}

/** The files in addition to the report. */
async function writeFiles(shell: Shell, { list }: Findings, args: ParsedFlags): Promise<void> {
  const file = textFlag(args, "save");
  for (const finding of list) {
    if (finding.kind === "unanswered") continue;
    const { investigation } = finding;
    if (file !== undefined) {
      const place = { file, directory: textFlag(args, "output") };
      const saved = await saveCapsule(shell, investigation, place);
      if (saved !== STDOUT) shell.log.info(`Saved ${saved}.`);
    }
    if (wantsProfile(args)) await saveProfile(shell, investigation, args);
    if (args.wasm !== undefined && !wasmServed(investigation)) {
      const { requestedHash } = investigation.record;
      const why = "the transaction did not fail in a contract's code, and no profile was requested";
      shell.log.warn(`--wasm was not used for ${requestedHash}: ${why}.`);
    }
  }
}

/** The build gave a location in the code, or the functions of a profile. */
function wasmServed({ execution }: Investigation): boolean {
  return execution?.location !== undefined || execution?.functionProfile !== undefined;
}
