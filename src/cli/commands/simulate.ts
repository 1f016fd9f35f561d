// svc simulate: an envelope that has not been sent → what it would do on the network's newest ledger.

import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { CONFIG_FLAGS, loadConfig, MANNER_FLAGS } from "../arguments/common-flags.ts";
import { readBase64Input } from "../arguments/read-input.ts";
import { NOT_AS_EXPECTED } from "../present/exit-code.ts";
import { runSignal, type Shell, surroundingsOf, textOptions } from "../shell.ts";

const ARGUMENTS = {
  envelope: {
    type: "positional",
    required: true,
    description: "A TransactionEnvelope in base64, a file that holds it, or - for standard input.",
  },
  ...CONFIG_FLAGS,
  "auth-mode": {
    type: "enum",
    options: ["enforce", "record", "record_allow_nonroot"],
    valueHint: "MODE",
    description:
      "enforce the envelope's authorizations, or record those it needs; as the envelope has any " +
      "or none when not given.",
  },
  "instruction-leeway": {
    type: "string",
    valueHint: "N",
    description: "Instructions to declare beyond those used; 50000, or 4 %, when not given.",
  },
  "fail-on": {
    type: "enum",
    options: ["tx-failed"],
    valueHint: "CONDITION",
    description: "End with 7 when it holds: tx-failed, the transaction would fail.",
  },
  ...MANNER_FLAGS,
} as const satisfies ArgsDef;

export function simulateCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "simulate" },
    args: ARGUMENTS,
    async run({ args }) {
      const leeway = parseLeeway(args["instruction-leeway"]);
      const { text: envelopeXdr } = await readBase64Input(shell, args.envelope);
      const config = loadConfig(shell, args);
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
        { signal: runSignal(shell, config) },
      );
      const render = SIMULATION_RENDERERS[shell.json ? "json" : "text"];
      await shell.output.write(render(report, textOptions(shell)));
      return exitCodeOf(shell, report, args["fail-on"] === "tx-failed");
    },
  });
}

/** Whether it would succeed is the answer, not a failure to answer: unless the user says so. */
function exitCodeOf(
  shell: Shell,
  { explanation }: SimulationReport,
  failOnFailure: boolean,
): number {
  if (!failOnFailure || explanation.outcome !== "fails") return 0;
  shell.log.error(`--fail-on tx-failed: ${explanation.headline}`);
  return NOT_AS_EXPECTED;
}

/** Undefined when not given. Throws USAGE. */
function parseLeeway(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,10}$/.test(text)) return text;
  throw new SvcError("USAGE", {
    message: `"${text}" is no number of instructions.`,
    remedy: "Give --instruction-leeway a whole number in digits alone, such as 100000.",
  });
}
