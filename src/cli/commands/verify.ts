// svc verify: ledger files or a range of ledgers → the counts of verdicts.

import { availableParallelism } from "node:os";
import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import type { Config } from "../../base/settings/config.ts";
import type { Verification } from "../../model/verification.ts";
import { VARIADIC } from "../arguments/check-arguments.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../arguments/common-flags.ts";
import { parseVerifyInputs, type VerifyInputs } from "../arguments/verify-inputs.ts";
import { exitCodeOfVerification } from "../present/exit-code.ts";
import { type Shell, surroundingsOf, textOptions } from "../shell.ts";

const MAXIMUM_JOBS = 256;
/** Usually enough to find a cause; --verbose and --json list more. */
const LISTED = 20;
const LISTED_AT_MOST = 10_000;

const ARGUMENTS = {
  inputs: {
    type: "positional",
    required: true,
    valueHint: VARIADIC,
    description:
      "Ledger files (streams or SEP-54 batches, compressed or not), directories or patterns of " +
      "ledger files, or a ledger or a range of ledgers.",
  },
  jobs: {
    type: "string",
    valueHint: "N",
    description: "Number of cores to use (default: all).",
  },
  ...CONFIG_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function verifyCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "verify" },
    args: ARGUMENTS,
    async run({ args }) {
      const inputs = parseVerifyInputs(args._, shell.facts.workingDirectory);
      const jobs = parseJobs(args.jobs);
      const config = loadConfig(shell, args);
      const verification = await verify(shell, config, inputs, jobs);
      const { VERIFICATION_RENDERERS } = await import("../../report/renderers.ts");
      const render = VERIFICATION_RENDERERS[shell.json ? "json" : "text"];
      await shell.output.write(render(verification, textOptions(shell)));
      return exitCodeOfVerification(verification);
    },
  });
}

async function verify(
  shell: Shell,
  config: Config,
  inputs: VerifyInputs,
  jobs: number,
): Promise<Verification> {
  const { findSimulator } = await import("../../debugger/setup/find-simulator.ts");
  const { verifyLedgerFiles, verifyLedgers } = await import(
    "../../debugger/verify/verify-ledgers.ts"
  );
  const { signal } = shell;
  const dependencies = {
    simulatorPath: findSimulator(config, surroundingsOf(shell)),
    jobs,
    keepNotExact: shell.json || shell.verbose ? LISTED_AT_MOST : LISTED,
    workerCommand: [...shell.facts.selfCommand, "verify-worker"],
    progress: ({ ledgers, transactions }: { ledgers: number; transactions: number }) =>
      shell.log.progress(`${transactions} transactions of ${ledgers} ledgers replayed`),
  };
  if (inputs.kind === "files") {
    const networkPassphrase = chosenPassphrase(config);
    const [first, ...more] = inputs.skipped;
    if (first !== undefined) {
      const others = more.length === 0 ? "" : ` and ${more.length} more`;
      shell.log.warn(`Skipped ${first}${others}: the name is not *.xdr, *.xdr.gz or *.xdr.zst.`);
    }
    return verifyLedgerFiles({ ...dependencies, networkPassphrase }, inputs.paths, { signal });
  }
  const { openCapture } = await import("../../debugger/setup/open-dependencies.ts");
  const { ledgersOfRange } = await import("../../debugger/verify/ledgers-of-range.ts");
  const { progress } = shell.log;
  const { sources, networkPassphrase } = openCapture(config, { ledgerFiles: [], progress });
  const ledgers = ledgersOfRange(sources, inputs, { signal });
  const named = `ledgers ${inputs.first} to ${inputs.last}`;
  const ranged = { ...dependencies, networkPassphrase, sources };
  return verifyLedgers(ranged, [named], ledgers, { signal });
}

/** Null when the user did not choose a network: then the files determine it. */
function chosenPassphrase({ origins, networkPassphrase }: Config): string | null {
  const chosen = origins.network !== "default" || origins.networkPassphrase !== "default";
  return chosen ? networkPassphrase : null;
}

function parseJobs(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  const jobs = Number(text);
  if (/^\d{1,3}$/.test(text) && jobs >= 1 && jobs <= MAXIMUM_JOBS) return jobs;
  throw new SvcError("USAGE", {
    message: `--jobs must be a number from 1 to ${MAXIMUM_JOBS}, not "${text}".`,
    remedy: "Omit `--jobs` to use all cores.",
  });
}
