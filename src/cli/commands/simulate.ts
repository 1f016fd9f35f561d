// svc simulate: an envelope that has not been sent → its result on the network's latest ledger.

import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../arguments/common-flags.ts";
import { readBase64Input } from "../arguments/read-input.ts";
import { NOT_AS_EXPECTED } from "../present/exit-code.ts";
import { runSignal, type Shell, surroundingsOf, textOptions, withTimeLimit } from "../shell.ts";

const ARGUMENTS = {
  envelope: {
    type: "positional",
    required: true,
    description:
      "A TransactionEnvelope in base64, a file that contains it, or - for standard input.",
  },
  ...CONFIG_FLAGS,
  "auth-mode": {
    type: "enum",
    options: ["enforce", "record", "record_allow_nonroot"],
    valueHint: "MODE",
    description:
      "Enforce the envelope's authorizations, or record the ones it needs. Default: enforce if the " +
      "envelope has any, otherwise record.",
  },
  "instruction-leeway": {
    type: "string",
    valueHint: "N",
    description:
      "Instructions to declare in addition to those used (default: 4 %, at least 50000).",
  },
  "fail-on": {
    type: "enum",
    options: ["tx-failed"],
    valueHint: "CONDITION",
    description:
      "Exit with code 7 if the condition is true. tx-failed: the transaction would fail, with any " +
      "declared resources or with those that the envelope declares.",
  },
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function simulateCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "simulate" },
    args: ARGUMENTS,
    async run({ args }) {
      const leeway = parseLeeway(args["instruction-leeway"]);
      const config = loadConfig(shell, args);
      const { text: envelopeXdr, name } = await readBase64Input(
        withTimeLimit(shell, config),
        args.envelope,
      );
      const { openSimulation } = await import("../../debugger/setup/open-dependencies.ts");
      const { reportSimulation } = await import("../../debugger/simulate/report-simulation.ts");
      const { SIMULATION_RENDERERS } = await import("../../report/renderers.ts");
      const report = await reportSimulation(
        openSimulation(config, surroundingsOf(shell)),
        {
          transactionXdr: envelopeXdr,
          ...(args["auth-mode"] && { authMode: args["auth-mode"] }),
          ...(leeway && { resourceConfig: { instructionLeeway: leeway } }),
        },
        { signal: runSignal(shell, config), name },
      );
      const render = SIMULATION_RENDERERS[shell.json ? "json" : "text"];
      await shell.output.write(render(report, textOptions(shell)));
      return exitCodeOf(shell, report, args["fail-on"] === "tx-failed");
    },
  });
}

/** A transaction that would fail is an answer, not an error, unless the user passes --fail-on. */
function exitCodeOf(
  shell: Shell,
  { explanation, sending }: SimulationReport,
  failOnFailure: boolean,
): number {
  const fails = explanation.outcome === "fails" || sending?.failsAsDeclared === true;
  if (!failOnFailure || !fails) return 0;
  shell.log.error(`--fail-on tx-failed: ${explanation.headline}`);
  return NOT_AS_EXPECTED;
}

/** Undefined when not given. Throws USAGE. */
function parseLeeway(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,10}$/.test(text)) return text;
  throw new SvcError("USAGE", {
    message: `--instruction-leeway "${text}" is not a number of instructions.`,
    remedy: "Pass a whole number in digits, such as 100000.",
  });
}
