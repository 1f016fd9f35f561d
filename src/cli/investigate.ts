// Investigates every chosen transaction for svc debug. A transaction that cannot be investigated is
// a finding too, and does not stop the others.

import { systemClock } from "../base/clock.ts";
import { mostSevere } from "../base/errors/exit-codes.ts";
import { inParallel } from "../base/in-parallel.ts";
import { isDefault, isFlagOf } from "../base/settings/origin.ts";
import { flagOf } from "../base/settings/setting.ts";
import { plainStep } from "../base/step.ts";
import { listed } from "../base/text/listed.ts";
import { exitCodeOfInvestigation } from "../command/exit-code.ts";
import { openSignedCapsule } from "../command/open-signed-capsule.ts";
import { readCode, readWasmFile } from "../command/read-input.ts";
import {
  proofOf,
  proveWish,
  runSignal,
  type Shell,
  withTimeLimit,
  workOptions,
} from "../command/shell.ts";
import { warnIfTooOld } from "../command/too-old.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import type { Finding, Findings } from "../model/finding.ts";
import type { GivenSetting, Investigation, OwnReference } from "../model/investigation.ts";
import type { Labels } from "../model/labels.ts";
import type { Overrides } from "../model/overrides.ts";
import { outlineOf } from "../model/transaction-outline.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import { type Config, isPublicNetwork } from "../sources/network-settings.ts";
import { openWork, workOf } from "../tools/open-work.ts";
import type { ChosenTransactions } from "./arguments/choose-transactions.ts";
import { type DebugArguments, wantsProfile } from "./arguments/debug-settings.ts";
import type { Expected } from "./arguments/read-expectations.ts";
import type { Timing } from "./run-timing.ts";

/**
 * The number of investigations at a time. svc mostly waits for nodes, which have rate limits, so
 * four is polite.
 */
const AT_ONCE = 4;

export interface InvestigationOptions {
  readonly config: Config;
  readonly chosen: ChosenTransactions;
  readonly expected: Expected;
  /** The changes of a what-if run. */
  readonly overrides: Overrides | null;
  /** The user's names for addresses. */
  readonly labels: Labels;
  /** True to record the profile and the host calls, whatever the flags are. */
  readonly recordsAll: boolean;
  readonly tracing: Tracing | null;
  readonly timing: Timing;
}

/**
 * Investigates one transaction with the full --timeout. `hash` is null for the transaction of the
 * capsule.
 */
export type Investigate = (
  hash: string | null,
  progress: (text: string) => void,
) => Promise<Investigation>;

/** Investigates all transactions. Throws if the run is interrupted. */
export async function investigateAll(
  shell: Shell,
  investigate: Investigate,
  { chosen: { hashes, capsule, single, throws }, expected, tracing }: InvestigationOptions,
): Promise<Findings> {
  const beganUnixMilliseconds = systemClock.unixMilliseconds();
  const list = await inParallel(hashes, AT_ONCE, async (hash, index): Promise<Finding> => {
    const number = hashes.length === 1 ? "" : `${index + 1} of ${hashes.length}: `;
    const progress = (text: string) => shell.log.progress(`${number}${text}`);
    const begin = systemClock.monotonicMilliseconds();
    const elapsed = () => systemClock.monotonicMilliseconds() - begin;
    try {
      const action = () => investigate(hash, progress);
      const investigation = await (tracing?.transaction(hash ?? capsule, action) ?? action());
      const failedExpectations = expected.check(investigation);
      return {
        kind: "investigated",
        subject: hash ?? investigation.record.hash,
        exitCode: exitCodeOfInvestigation(investigation.verdict, failedExpectations),
        elapsedMilliseconds: elapsed(),
        investigation,
        failedExpectations,
      };
    } catch (thrown) {
      if (throws || shell.signal.aborted) throw thrown;
      const { asSvcError } = await import("../command/present-error.ts");
      const { exitCodeOf } = await import("../error-catalogue.ts");
      const problem = asSvcError(thrown);
      const { code, message, remedy } = problem;
      const error = { code, message, remedy };
      const exitCode = exitCodeOf(problem);
      const failure = { subject: hash ?? capsule, exitCode, elapsedMilliseconds: elapsed(), error };
      const outline = outlineOf(problem);
      return { kind: "unanswered", ...failure, ...(outline && { outline }) };
    }
  });
  const exitCode = mostSevere(list.map((finding) => finding.exitCode));
  return { single, list, exitCode, beganUnixMilliseconds };
}

/**
 * Opens the work once for all transactions. Throws SIMULATOR_NOT_FOUND, and CONFIG_INVALID without
 * nodes.
 */
export async function openInvestigator(
  shell: Shell,
  args: DebugArguments,
  { config, overrides, labels, recordsAll, tracing, timing }: InvestigationOptions,
): Promise<Investigate> {
  const { strictValidation, wasm, code, from, fast } = args;
  const prove = proveWish(args);
  const { engines } = openWork(config, {
    ...workOptions(shell),
    strictValidation,
    ledgerFiles: args.ledgerFile ?? [],
    observe: tracing?.observe,
    proof: proofOf(shell, args),
  });
  // The copy has the simulators as they are found now, once for all transactions.
  const { debug } = workOf({ ...engines }).tools;
  const timed = withTimeLimit(shell, config);
  const options = {
    locate: { wasm: wasm === null ? null : await readWasmFile(timed, wasm, "wasm") },
    code: code === null ? [] : await readCode(timed, code),
    profile: recordsAll || wantsProfile(args),
    fast,
    // The complete calls are the trace of the host calls.
    hostCalls:
      recordsAll ||
      args.interactive ||
      shell.verbosity >= 1 ||
      args.show?.includes("calls") === true,
    overrides,
    labels,
    reference: referenceOf(args),
  };
  // The module is loaded here, so that it is part of the phase `load`.
  if (from !== null) await import("../debugger/walk/replay-captured.ts");
  else {
    await engines.nodes();
    await import("../debugger/walk/debug-transaction.ts");
  }
  return async (hash, progress) => {
    const signal = runSignal(shell, config);
    const captured = () =>
      timing.phase("capsule", async () => {
        const within = { ...shell, signal };
        const opened = await openSignedCapsule(within, from ?? "", hash, args.expectSigner);
        warnOfNoProof(shell, args, opened);
        return opened;
      });
    const subject = from === null ? { hash: hash ?? "", prove } : { captured, prove };
    const step = timing.stepOf(from === null ? hash : null, tracing?.step ?? plainStep);
    const investigation = await debug(subject, options, { signal, progress, step });
    if (from === null) warnIfTooOld(shell, (await engines.nodes()).sources, systemClock);
    return investigation;
  };
}

/** Warns that the flags that judge a proof have no effect, if the capsule carries none. */
function warnOfNoProof({ log }: Shell, { prove, origins }: DebugArguments, { proof }: Captured) {
  const flags = (["validators", "trustedHeader"] as const).filter((name) =>
    isFlagOf(origins[name], name),
  );
  if (prove || proof !== undefined || flags.length === 0) return;
  log.warn(`${listed(flags.map(flagOf), "and")} had no effect: the capsule carries no proof.`);
}

/** How the user named the transaction. URLs are left out, because they can contain keys. */
function referenceOf(args: DebugArguments): OwnReference {
  const { origins, network, networkPassphrase, from, ledgerFile, ledgerLakeUrl } = args;
  const isFlag = (name: keyof typeof origins) => isFlagOf(origins[name], name);
  const isNamed = !isDefault(origins.network) && !isPublicNetwork(network);
  const passphrase = isFlag("networkPassphrase") ? networkPassphrase : null;
  const nodes = (["horizonUrl", "ledgerLakeUrl"] as const).filter(isFlag);
  const isNoLake = (name: string) => name === "ledgerLakeUrl" && ledgerLakeUrl?.length === 0;
  const settings: GivenSetting[] = [
    ...(isNamed ? [{ name: "network", value: network } as const] : []),
    ...(passphrase === null ? [] : [{ name: "networkPassphrase", value: passphrase } as const]),
    ...nodes.map((name) => ({ name, value: isNoLake(name) ? "none" : null })),
    ...(isFlag("ledgerFile") && ledgerFile !== null
      ? [{ name: "ledgerFile", value: ledgerFile.join(",") } as const]
      : []),
  ];
  return { from, settings, namesRpc: isFlag("rpcUrl") };
}
