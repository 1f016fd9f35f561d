// svc call: makes a call on a fork of the state, without an envelope and without a key, and answers
// as svc debug does. Nothing is sent.

import { systemClock } from "../../base/clock.ts";
import { EXIT } from "../../base/errors/base-errors.ts";
import { usageError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { isFlagOf } from "../../base/settings/origin.ts";
import { defineCommand, refuseIdle } from "../../command/command.ts";
import { COMMON, NETWORK } from "../../command/common-settings.ts";
import { exitCodeOfInvestigation } from "../../command/exit-code.ts";
import type { Lent } from "../../command/lending.ts";
import { readWasmFile } from "../../command/read-input.ts";
import { runSignal, type Shell, withTimeLimit, workOptions } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import type { Findings } from "../../model/finding.ts";
import type { Investigation, MadeCall } from "../../model/investigation.ts";
import { readLabels } from "../../model/labels.ts";
import { configOf } from "../../sources/network-settings.ts";
import { savedLabels } from "../../sources/stellar-cli.ts";
import { CALL, type CallArgs } from "../arguments/call-settings.ts";
import { arrangeCall, readCallWords } from "../arguments/call-words.ts";
import { logFailedExpectations } from "../arguments/choose-transactions.ts";
import { expectationsOf } from "../arguments/read-expectations.ts";
import { readOverrideFlags } from "../arguments/read-overrides.ts";
import { callAgain, placeOf, wantedCall } from "../make-call.ts";
import { browse, refuseImpossibleView } from "../present/interactive.ts";
import { saveCapsule } from "../present/save-capsule.ts";
import { showContract } from "../present/show-contract.ts";
import { writeReports } from "../present/write-reports.ts";

export const command = defineCommand(CALL, callCommand, {
  arrange: (words) => arrangeCall(CALL, words),
  examples: [
    ["C…", "List the functions of a contract."],
    ["C… balance --id G…", "What would it return now?"],
    ["C… transfer --from G… --to G… --amount 5 -v", "And what would it change?"],
    ["token.wasm decimals", "A wasm file, on an empty network."],
    ["C… inc --key a --as G… --format xdr", "The envelope to sign."],
  ],
  helpEnd:
    "Flags of svc may stand before the contract or after the function. After `--`, every word is " +
    "an argument of the function. Nothing is sent to a network.",
});

async function callCommand(shell: Shell, args: CallArgs, lent: Lent): Promise<number> {
  const words = readCallWords(args.call);
  if (words.contract === null)
    throw usageError(
      "There is no call: <contract> is missing.",
      phrase`Write ${svc("call CONTRACT FUNCTION --name value")}.`,
    );
  if (lent.calls === undefined)
    throw usageError("This svc cannot make calls.", "Use a complete build of svc.");
  if (words.function === null || words.wantsHelp) refuseOfCalls(args);
  if (args.interactive) refuseImpossibleView(shell, { single: true });
  const config = configOf(args);
  const timed = withTimeLimit(shell, config);
  const place = await placeOf(timed, args, words.contract);
  if (args.format === "xdr") refuseUnsendable(args, place.wasm !== null);
  const { openWork } = await import("../../tools/open-work.ts");
  const work = openWork(config, {
    ...workOptions(shell),
    strictValidation: args.strictValidation,
  });
  const run = { signal: runSignal(shell, config), progress: shell.log.progress };
  const surroundings = { config, work };
  const calls = await lent.calls();
  if (words.function === null || words.wantsHelp) {
    const described =
      place.wasm === null
        ? await calls.describeContract(surroundings, place.fork, place.contract, run)
        : await describeWasm(place.wasm);
    await showContract(shell, described, words.function);
    return 0;
  }
  const expected = await expectationsOf(timed, { failOn: args.failOn, expect: null });
  const overrides = await readOverrideFlags(timed, args);
  const request = await wantedCall(timed, args, words, place);
  const made = await calls.makeCalls(surroundings, request, run);
  if (args.format === "xdr") return printEnvelope(shell, made.call);
  const labels = readLabels(args.label, args.file);
  const isText = args.format === null || args.format === "text";
  const saved = isText && !shell.json ? [...savedLabels(shell.facts.environment)] : [];
  const replayedCall = await work.tools.debug(
    { captured: () => made.captured, nodes: () => made.nodes },
    {
      locate: { wasm: await locating(timed, args, place.wasm) },
      fast: args.fast,
      hostCalls: args.interactive || shell.verbosity >= 1 || args.format === "html",
      profile: args.format === "html",
      overrides,
      labels: new Map([...saved, ...labels]),
      reference: { from: null, call: callAgain(args, words), settings: [], namesRpc: false },
    },
    run,
  );
  const investigation = withCall(replayedCall, made.call);
  const findings = findingsOf(investigation, expected.check(investigation));
  if (args.save !== null) {
    const capsule = { file: args.save, directory: null };
    shell.log.info(`Saved ${await saveCapsule(timed, investigation, capsule)}.`);
  }
  const format = args.format ?? (shell.json ? "json" : "text");
  await writeReports(
    timed,
    findings,
    { whole: format },
    { ...args, ...NO_FILES },
    { expected, parts: null },
  );
  if (args.interactive) await browse(shell, findings, config, args);
  else if (format !== "text") logFailedExpectations(shell, findings);
  return findings.exitCode;
}

/** The flags with which a contract is described, and no call is made. */
const OF_DESCRIPTION: ReadonlySet<string> = new Set([
  ...Object.keys({ ...COMMON, ...NETWORK, ...ARCHIVE_SETTINGS }),
  "ledger",
  "on",
  "prove",
  "verbose",
]);

function refuseOfCalls({ origins }: CallArgs): void {
  const flags = Object.keys(CALL).filter((name) => isFlagOf(origins[name as never], name));
  refuseIdle(flags, OF_DESCRIPTION, { lacking: "a function", toDo: "Name a function" });
}

/** A call has no file with expectations, and writes no further reports. */
const NO_FILES = { report: [], expect: null, from: null };

async function describeWasm(wasm: Uint8Array) {
  const { readContractSpec } = await import("../../xdr/contract/contract-spec.ts");
  return { contract: null, state: "the file", spec: readContractSpec(wasm) };
}

/** The build with the names of the code: the file of --wasm, or the one that is called. */
async function locating(
  shell: Shell,
  { wasm }: CallArgs,
  called: Uint8Array | null,
): Promise<Uint8Array | null> {
  return wasm === null ? called : readWasmFile(shell, wasm, "wasm");
}

/**
 * No envelope of a fork is worth printing, and other commands do not know its transactions. What
 * rests on entries that only count as absent is not known.
 */
function withCall(
  investigation: Investigation,
  call: NonNullable<Investigation["call"]>,
): Investigation {
  const next = investigation.next.filter(
    ({ kind }) => kind !== "print-fix" && kind !== "error-name",
  );
  const { explanation } = investigation;
  const { cause } = explanation;
  if (cause === null || call.countedAbsent.length === 0) return { ...investigation, call, next };
  const unsure = { ...explanation, cause: { ...cause, confidence: "likely" } } as const;
  return { ...investigation, explanation: unsure, call, next };
}

function findingsOf(
  investigation: Investigation,
  failedExpectations: ReturnType<Awaited<ReturnType<typeof expectationsOf>>["check"]>,
): Findings {
  const exitCode = exitCodeOfInvestigation(investigation.verdict, failedExpectations);
  return {
    single: true,
    list: [
      {
        kind: "investigated",
        subject: investigation.record.hash,
        exitCode,
        elapsedMilliseconds: 0,
        investigation,
        failedExpectations,
      },
    ],
    exitCode,
    beganUnixMilliseconds: systemClock.unixMilliseconds(),
  };
}

/** Throws USAGE for an envelope with a contract or an account of the fork of the call. */
function refuseUnsendable({ as }: CallArgs, isFile: boolean): void {
  if (isFile)
    throw usageError(
      "No network has the contract of a wasm file, so its envelope cannot be sent.",
      "Deploy the contract, and pass its address. Or leave out `--format xdr`.",
    );
  if (as?.startsWith("@") === true)
    throw usageError(
      `${as} is an account of the fork on which svc makes the call. On a network, it can be absent, or have another sequence number.`,
      "Pass an account of the network in `--as`.",
    );
}

async function printEnvelope(shell: Shell, call: MadeCall): Promise<number> {
  const { envelopeXdr } = call;
  if (envelopeXdr === null) {
    shell.log.error(
      "The call fails, so there is no envelope to sign. Leave out `--format xdr` to see why.",
    );
    return EXIT.notAsExpected;
  }
  const { envelopeRemarks } = await import("../../report/document/made-call.ts");
  for (const text of envelopeRemarks(call)) shell.log.warn(text);
  await shell.output.write(`${envelopeXdr}\n`);
  return 0;
}
