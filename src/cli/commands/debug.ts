// svc debug: investigates transactions or a capsule, and prints the report.

import { resolve } from "node:path";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { exitCodesInOrder } from "../../base/errors/exit-codes.ts";
import { writeOutputFile } from "../../base/files/write-file.ts";
import { isFlagOf } from "../../base/settings/origin.ts";
import { checkFacts, defineCommand, flagsOf } from "../../command/command.ts";
import { judgedByFix } from "../../command/exit-code.ts";
import { type GivenHashes, readHashes } from "../../command/read-hashes.ts";
import { refuseSameFile } from "../../command/report-files.ts";
import { openRunTracing } from "../../command/run-tracing.ts";
import { onStderr, type Shell, withTimeLimit } from "../../command/shell.ts";
import type { Findings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { type Labels, readLabels } from "../../model/labels.ts";
import { networkInWords } from "../../model/networks.ts";
import type { DebugFormat } from "../../report/report-format.ts";
import { type Config, configOf } from "../../sources/network-settings.ts";
import { onNetwork } from "../../sources/resolve-network.ts";
import {
  chooseTransactions,
  logFailedExpectations,
  reportFormat,
  wantedReport,
} from "../arguments/choose-transactions.ts";
import {
  DEBUG,
  type DebugArguments,
  factsOfDebug,
  printedBy,
  wantsProfile,
} from "../arguments/debug-settings.ts";
import { expectationsOf } from "../arguments/read-expectations.ts";
import { readOverrideFlags } from "../arguments/read-overrides.ts";
import type { Investigate } from "../investigate.ts";
import { browse, refuseImpossibleView } from "../present/interactive.ts";
import { STDOUT, saveCapsule } from "../present/save-capsule.ts";
import { showOutline } from "../present/show-outline.ts";
import { wantedParts, writeReports } from "../present/write-reports.ts";
import { openTiming, plainTiming } from "../run-timing.ts";

const HELP_END = `Exit codes: ${exitCodesInOrder()
  .map(({ code, name }) => `${code} ${name}`)
  .join(", ")}. A transaction that failed on chain is reproduced if the replay fails the same way.`;

/** The formats that show failed expectations. With others, the log has them. */
const SHOWS_FAILED_EXPECTATIONS: readonly DebugFormat[] = ["text", "github"];

export const command = defineCommand(DEBUG, debugCommand, {
  facts: factsOfDebug,
  examples: [
    ["<hash>", "Show why it failed, and the fix."],
    ["<URL> -v", "Paste an address from an explorer."],
    ["<hash> -n mainnet --fix", "Print only the fix, proven by a run."],
    ["<hash> --override-argument amount=5", "What if?"],
    ["<hash> --format html > tx.html", "Write a page to send to somebody."],
    ["<hash> --format html --replayable > tx.html", "The same, and the page replays itself."],
    ["<hash> --save tx.capsule.json", "Keep the transaction for offline use."],
    ["tx.capsule.json -i", "Browse the transaction in the terminal."],
  ],
  helpEnd: HELP_END,
});

async function debugCommand(shell: Shell, written: DebugArguments): Promise<number> {
  const timing = written.timing ? openTiming({ write: shell.log.info }) : plainTiming;
  const format = reportFormat(written);
  const timed = withTimeLimit(shell, configOf(written));
  const flagNames = flagsOf(DEBUG).map(({ flag }) => flag.slice(2));
  const hashes = await readHashes(timed, written.hash, flagNames);
  const args = withTransactions(shell, written, hashes);
  const config = configOf(args);
  const expected = await expectationsOf(timed, args);
  const overrides = await readOverrideFlags(timed, args);
  const labels = await labelsOf(shell, args, format);
  const chosen = chooseTransactions(hashes, expected.hashes, args, format);
  const saved = args.save === STDOUT;
  if (args.interactive) refuseImpossibleView(shell, chosen);
  const contents = wantedReport(args, format);
  refuseSameFile(shell, args.report);
  const parts = await wantedParts(shell, args);
  await using traced = await openRunTracing(shell, args.tracing);
  const { tracing } = traced;
  // A page shows everything that a run can record.
  const recordsAll = format === "html" || args.report.some((each) => each.format === "html");
  const options = { config, chosen, expected, overrides, labels, recordsAll, tracing, timing };
  const { investigateAll, investigator } = await timing.phase("load", async () => {
    const { investigateAll, openInvestigator } = await import("../investigate.ts");
    return { investigateAll, investigator: await openInvestigator(shell, args, options) };
  });
  const investigate = withEnvelopes(investigator, hashes.envelopes);
  const unjudgedFindings = await investigateAll(shell, investigate, options).catch(
    async (error) => {
      if (format === "text") await showOutline(shell, error);
      throw error;
    },
  );
  warnOfUnused(shell, args, config, unjudgedFindings);
  const findings =
    "fix" in contents ? judgedByFix(unjudgedFindings, contents.fix) : unjudgedFindings;
  await writeFiles(withTimeLimit(shell, config), findings, args);
  const reader = saved ? onStderr(withTimeLimit(shell, config)) : withTimeLimit(shell, config);
  await timing.phase("report", () =>
    writeReports(reader, findings, contents, args, { expected, parts }),
  );
  timing.end();
  if (args.interactive) await browse(shell, findings, config, args);
  if (args.interactive || !SHOWS_FAILED_EXPECTATIONS.includes(format))
    logFailedExpectations(shell, findings);
  return findings.exitCode;
}

/** If no source has the hash of an envelope, the error shows what the envelope contains. */
function withEnvelopes(investigate: Investigate, envelopes: GivenHashes["envelopes"]): Investigate {
  if (envelopes.size === 0) return investigate;
  return async (hash, progress) => {
    try {
      return await investigate(hash, progress);
    } catch (error) {
      const envelope = envelopes.get(hash ?? "");
      const isMissing = error instanceof SvcError && error.code === "TRANSACTION_NOT_FOUND";
      if (envelope === undefined || !isMissing) throw error;
      const { envelopeNotFound } = await import("../../tools/envelope-hash.ts");
      throw envelopeNotFound(error, envelope);
    }
  };
}

/**
 * The names of the user's own keys are for the user's terminal only, not for output that is sent to
 * others.
 */
async function labelsOf(shell: Shell, args: DebugArguments, format: DebugFormat): Promise<Labels> {
  const labels = readLabels(args.label, args.file);
  if (format !== "text" || args.report.length > 0) return labels;
  const { savedLabels } = await import("../../sources/stellar-cli.ts");
  return new Map([...savedLabels(shell.facts.environment), ...labels]);
}

/** The arguments with the network of a URL, and with a file instead of a hash as that of --from. */
function withTransactions(
  shell: Shell,
  args: DebugArguments,
  { file, network }: GivenHashes,
): DebugArguments {
  if (file !== null && args.from !== null)
    throw usageError(`${file} and --from ${args.from} exclude each other.`, "Pass one of the two.");
  const shown = file === null ? null : `the capsule ${file}`;
  const capsule = shown === null ? {} : { from: { value: file, shown } };
  checkFacts(shell, DEBUG, args, capsule, { printed: printedBy(args) });
  return { ...onNetwork(args, network), from: file ?? args.from };
}

/** Warns of flags whose effect depends on the capsule, if this one gives them none. */
function warnOfUnused(
  { log }: Shell,
  { from, origins, network, networkPassphrase: passphrase }: DebugArguments,
  { networkPassphrase }: Config,
  { list }: Findings,
): void {
  const [finding] = list;
  if (from === null || finding?.kind !== "investigated") return;
  const own = finding.investigation.record.networkPassphrase;
  const isOther = own !== networkPassphrase;
  const networkInIt = `the capsule is of ${networkInWords(own)}`;
  if (isOther && isFlagOf(origins.network, "network"))
    log.warn(`--network ${network} had no effect: ${networkInIt}.`);
  if (isOther && isFlagOf(origins.networkPassphrase, "networkPassphrase"))
    log.warn(`--network-passphrase "${passphrase}" had no effect: ${networkInIt}.`);
}

/** Writes the files besides the report. */
async function writeFiles(shell: Shell, { list }: Findings, args: DebugArguments): Promise<void> {
  for (const finding of list) {
    if (finding.kind === "unanswered") continue;
    const { investigation } = finding;
    if (args.save !== null) {
      const place = { file: args.save, directory: args.output };
      const saved = await saveCapsule(shell, investigation, place);
      if (saved !== STDOUT) shell.log.info(`Saved ${saved}.`);
    }
    if (wantsProfile(args)) await saveProfile(shell, investigation, args);
    if (args.code !== null && !codeServed(investigation)) {
      const { requestedHash } = investigation.record;
      const why = `${args.code} has no code that the nodes and the capsule lack`;
      shell.log.warn(`--code had no effect on ${requestedHash}: ${why}.`);
    }
    if (args.wasm !== null && !wasmServed(investigation)) {
      const { requestedHash } = investigation.record;
      const why = "the transaction did not fail in a contract's code, and no profile was requested";
      shell.log.warn(`--wasm had no effect on ${requestedHash}: ${why}.`);
    }
  }
}

/** Says whether a file of --code is in the state. */
function codeServed({ snapshot }: Investigation): boolean {
  return snapshot?.entries.some(({ provenance }) => provenance.kind === "code-file") === true;
}

/** Says whether the build gave a location in the code, or the functions of a profile. */
function wasmServed({ execution }: Investigation): boolean {
  return execution?.location !== undefined || execution?.functionProfile !== undefined;
}

/** Saves the profile, or warns if there is none. Throws OUTPUT_UNWRITABLE. */
async function saveProfile(
  shell: Shell,
  investigation: Investigation,
  { profileFormat, output }: DebugArguments,
): Promise<void> {
  const { PROFILE_FORMATS } = await import("../../report/profile/formats.ts");
  const { profileOf } = await import("../../report/profile/transaction-profile.ts");
  const profile = profileOf(investigation);
  if (profile === null) {
    const { hash } = investigation.record;
    shell.log.warn(`svc wrote no profile of ${hash}: ${whyNone(investigation)}.`);
    return;
  }
  const { suffix, render } = PROFILE_FORMATS[profileFormat ?? "html"];
  const path = await writeOutputFile(
    resolve(shell.facts.workingDirectory, output ?? "."),
    `${profile.hash}${suffix}`,
    render(profile),
    shell,
  );
  shell.log.info(`Wrote the profile to ${path}.`);
}

function whyNone({ execution }: Investigation): string {
  return (execution?.metrics.cpu_insn ?? "0") === "0"
    ? "nothing of this transaction ran in the contract host"
    : "this svc-sim does not record profiles";
}
