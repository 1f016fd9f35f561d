// svc simulate: simulates an envelope that has not been sent, on the network's latest ledger.

import * as v from "valibot";
import { EXIT } from "../../base/errors/base-errors.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import {
  COMMON,
  NODES_OF_ENTRIES,
  STRICT_VALIDATION,
  verbose,
} from "../../command/common-settings.ts";
import { readBase64Input } from "../../command/read-input.ts";
import {
  runSignal,
  type Shell,
  textOptions,
  withTimeLimit,
  workOptions,
} from "../../command/shell.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { configOf } from "../../sources/network-settings.ts";

const SIMULATE = {
  envelope: {
    word: "one",
    required: true,
    help: "A TransactionEnvelope in base64, a file that contains it, or - for standard input.",
  },
  ...NODES_OF_ENTRIES,
  authMode: {
    hint: "MODE",
    schema: v.picklist(["enforce", "record", "record_allow_nonroot"]),
    otherwise: "enforce if the envelope has any, otherwise record",
    help: "Enforce the envelope's authorizations, or record the ones it needs.",
  },
  instructionLeeway: {
    hint: "N",
    schema: v.pipe(v.string(), v.regex(/^\d{1,10}$/, "is not a number of instructions")),
    otherwise: "4 %, at least 50000",
    help: "Instructions to declare in addition to those that the simulation used.",
  },
  failOn: {
    hint: "CONDITION",
    schema: v.picklist(["tx-failed"]),
    help:
      "Exit with code 7 if the condition is true. tx-failed: the transaction would fail, with any " +
      "declared resources or with those that the envelope declares.",
  },
  ...STRICT_VALIDATION,
  ...COMMON,
  ...verbose(
    "Show progress, and the trace: what each call reads and writes, its events, authorizations, " +
      "logs and error. -vv also shows the host's event log of a failure, -vvv every host call.",
  ),
} as const satisfies Settings;

export const command = defineCommand(SIMULATE, simulateCommand, {
  examples: [
    ["tx.xdr", "Show the result, resources and fees."],
    ["- < tx.xdr --fail-on tx-failed", "Check an envelope in a script."],
  ],
});

async function simulateCommand(shell: Shell, args: Arguments<typeof SIMULATE>): Promise<number> {
  const config = configOf(args);
  const timed = withTimeLimit(shell, config);
  const { text: transactionXdr, name } = await readBase64Input(timed, args.envelope);
  const { openWork } = await import("../../tools/open-work.ts");
  const { SIMULATION_RENDERERS } = await import("../../report/renderers.ts");
  const { authMode, instructionLeeway } = args;
  const { progress } = shell.log;
  const { tools } = openWork(config, {
    ...workOptions(shell),
    strictValidation: args.strictValidation,
  });
  const report = await tools.simulate(
    {
      transactionXdr,
      ...(authMode && { authMode }),
      ...(instructionLeeway && { resourceConfig: { instructionLeeway } }),
    },
    { signal: runSignal(shell, config), progress, name, hostCalls: shell.verbosity >= 1 },
  );
  const render = SIMULATION_RENDERERS[shell.json ? "json" : "text"];
  await shell.output.write(render(report, textOptions(shell)));
  return exitCodeOf(shell, report, args.failOn !== null);
}

/** A transaction that would fail is an answer, not an error, unless the user sets --fail-on. */
function exitCodeOf(
  shell: Shell,
  { explanation, sending }: SimulationReport,
  failOnFailure: boolean,
): number {
  const fails = explanation.outcome === "fails" || sending?.failsAsDeclared === true;
  if (!failOnFailure || !fails) return 0;
  shell.log.error(`--fail-on tx-failed: ${explanation.headline}`);
  return EXIT.notAsExpected;
}
