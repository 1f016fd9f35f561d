// svc debug: hashes or a capsule → findings → report.

import { type ArgsDef, defineCommand } from "citty";
import type { Findings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../report/report-format.ts";
import { AGAIN, MANY } from "../arguments/check-arguments.ts";
import {
  chooseAsked,
  logFailedExpectations,
  reportFormat,
  wantsFix,
} from "../arguments/choose-transactions.ts";
import {
  CONFIG_FLAGS,
  LEDGER_FILE_FLAG,
  loadConfig,
  MANNER_FLAGS,
  type ParsedFlags,
  textFlag,
} from "../arguments/common-flags.ts";
import { OVERRIDE_FLAGS } from "../arguments/override-flags.ts";
import { type Expected, readExpected } from "../arguments/read-expectations.ts";
import { readAskedHashes } from "../arguments/read-hashes.ts";
import { readAskedLabels } from "../arguments/read-labels.ts";
import { readAskedOverrides } from "../arguments/read-override-flags.ts";
import type { Asked } from "../investigate-all.ts";
import type { InvestigationOptions } from "../open-investigator.ts";
import { judgedByFix } from "../present/exit-code.ts";
import { browse, refuseImpossibleView } from "../present/interactive.ts";
import { PROFILE_FORMAT_NAMES, saveProfile, wantsProfile } from "../present/save-profile.ts";
import { openRunTracing, type RunTracing } from "../run-tracing.ts";
import { type Shell, textOptions } from "../shell.ts";

const ARGUMENTS = {
  hash: {
    type: "positional",
    required: false,
    valueHint: MANY,
    description:
      "Transaction hashes, 64 hexadecimal characters each; - for hashes on standard input, one " +
      "a line; needless with --from or --expect.",
  },
  ...CONFIG_FLAGS,
  ...LEDGER_FILE_FLAG,
  from: { type: "string", valueHint: "FILE", description: "Read a capsule; ask no node." },
  "expect-signer": {
    type: "string",
    valueHint: "G…",
    description: "Refuse a capsule without this account's signature.",
  },
  save: { type: "string", valueHint: "FILE", description: "Write a capsule of what was fetched." },
  output: {
    type: "string",
    valueHint: "DIR",
    description: "Directory for the files that are written; the current one when not given.",
  },
  wasm: {
    type: "string",
    valueHint: "FILE",
    description:
      "A build of a contract's code with debug information: source lines, function names.",
  },
  "strict-validation": {
    type: "boolean",
    description: "Check the simulation request field by field before it is sent.",
  },
  interactive: {
    type: "boolean",
    alias: "i",
    description: "Browse calls, state, events and verdict on the terminal.",
  },
  fix: {
    type: "boolean",
    description:
      "Print what would mend it, proven by running it again, and the envelope to sign; nothing " +
      "else. End with 7 when nothing is proven to mend it.",
  },
  profile: { type: "boolean", description: "Write what each call cost as a flamegraph." },
  "profile-format": {
    type: "enum",
    options: [...PROFILE_FORMAT_NAMES],
    valueHint: "FORMAT",
    description: "Format of the profile; html when not given.",
  },
  tracing: { type: "boolean", description: "Send spans of every step to an OTLP collector." },
  label: {
    type: "string",
    valueHint: `ADDRESS=NAME${AGAIN}`,
    description: "What to call an address in reports; the settings file can hold labels too.",
  },
  ...OVERRIDE_FLAGS,
  "fail-on": {
    type: "string",
    valueHint: "CONDITION,…",
    description:
      "End with 7 when one holds: tx-failed, diverged, inconclusive, equivalent, cpu>N, " +
      "memory>N, fee>N, read-bytes>N, write-bytes>N, events>N.",
  },
  expect: {
    type: "string",
    valueHint: "FILE",
    description: "End with 7 when a transaction is not what the file says it should be.",
  },
  format: {
    type: "enum",
    options: [...REPORT_FORMATS],
    valueHint: "FORMAT",
    description: "Format of the report; text when not given, --json is json.",
  },
  ...MANNER_FLAGS,
} as const satisfies ArgsDef;

/** The others leave what is not as expected to the log. */
const SHOWS_UNMET: readonly ReportFormat[] = ["text", "github"];

export function debugCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "debug" },
    args: ARGUMENTS,
    async run({ args, rawArgs }) {
      const format = reportFormat(shell, args);
      const given = await readAskedHashes(shell, args._, Object.keys(ARGUMENTS));
      const expected = await readExpected(shell, args);
      const overrides = await readAskedOverrides(shell, args, rawArgs);
      const labels = readAskedLabels(shell, args, rawArgs);
      const asked = chooseAsked(given, expected.hashes, args, format);
      if (args.interactive) refuseImpossibleView(shell, asked, format);
      const fix = wantsFix(args, format);
      await using traced = await openRunTracing(shell, args);
      const options = { asked, overrides, labels };
      const found = await investigate(shell, args, options, expected, traced);
      const findings = fix ? judgedByFix(found) : found;
      await writeFiles(shell, findings, args);
      if (args.interactive) await browse(shell, findings);
      else await report(shell, findings, format, fix);
      if (args.interactive || !SHOWS_UNMET.includes(format)) logFailedExpectations(shell, findings);
      return findings.exitCode;
    },
  });
}

async function investigate(
  shell: Shell,
  args: ParsedFlags,
  { asked, ...options }: Omit<InvestigationOptions, "tracing"> & { readonly asked: Asked },
  expected: Expected,
  { tracing }: RunTracing,
): Promise<Findings> {
  const { openInvestigator } = await import("../open-investigator.ts");
  const { investigateAsked } = await import("../investigate-all.ts");
  await using investigator = await openInvestigator(shell, loadConfig(shell, args), args, {
    tracing,
    ...options,
  });
  return investigateAsked(shell, investigator, asked, expected);
}

async function report(
  shell: Shell,
  findings: Findings,
  format: ReportFormat,
  fix: boolean,
): Promise<void> {
  const { FINDINGS_RENDERERS, FIX_RENDERERS } = await import("../../report/renderers.ts");
  const render = fix
    ? FIX_RENDERERS[format === "json" ? "json" : "text"]
    : FINDINGS_RENDERERS[format];
  await shell.output.write(render(findings, textOptions(shell)));
}

/** What was asked for beside the report. */
async function writeFiles(shell: Shell, { list }: Findings, args: ParsedFlags): Promise<void> {
  const file = textFlag(args, "save");
  for (const finding of list) {
    if (finding.kind === "unanswered") continue;
    const { investigation } = finding;
    if (file !== undefined) {
      const { saveCapsule } = await import("../present/save-capsule.ts");
      const place = { file, directory: textFlag(args, "output") };
      shell.log.info(`Saved ${await saveCapsule(shell, investigation, place)}.`);
    }
    if (wantsProfile(args)) await saveProfile(shell, investigation, args);
    if (args.wasm !== undefined && !wasmServed(investigation)) {
      const { requestedHash } = investigation.record;
      const why = "it did not fail in a contract's code, and no profile was asked for";
      shell.log.warn(`--wasm was not used for ${requestedHash}: ${why}.`);
    }
  }
}

/** For a place in the code, or for the functions of a profile. */
function wasmServed({ execution }: Investigation): boolean {
  return execution?.location !== undefined || execution?.functionProfile !== undefined;
}
