// svc debug: hash or capsule → investigation → report.

import { resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors.ts";
import type { Investigation } from "../../model/investigation.ts";
import {
  CONFIG_FLAGS,
  LEDGER_FILE_FLAG,
  ledgerFiles,
  loadConfig,
  MANNER_FLAGS,
  type ParsedFlags,
} from "../common-flags.ts";
import { exitCodeOf } from "../exit-code.ts";
import { refuseLaterFlags } from "../later-flags.ts";
import { runSignal, type Shell, surroundingsOf, textOptions } from "../shell.ts";
import { parseTransactionHash } from "../transaction-hash.ts";

const ARGUMENTS = {
  hash: {
    type: "positional",
    required: false,
    description: "Transaction hash, 64 hexadecimal characters; needless with --from.",
  },
  ...CONFIG_FLAGS,
  ...LEDGER_FILE_FLAG,
  from: { type: "string", valueHint: "FILE", description: "Read a capsule; ask no node." },
  save: { type: "string", valueHint: "FILE", description: "Write a capsule of what was fetched." },
  output: {
    type: "string",
    valueHint: "DIR",
    description: "Directory for the files that are written; the current one when not given.",
  },
  "strict-validation": {
    type: "boolean",
    description: "Check the simulation request field by field before it is sent.",
  },
  interactive: {
    type: "boolean",
    alias: "i",
    description: "Step through the transaction (not available yet).",
  },
  profile: { type: "boolean", description: "Write a flamegraph (not available yet)." },
  "profile-format": {
    type: "enum",
    options: ["html", "folded", "speedscope", "pprof"],
    valueHint: "FORMAT",
    description: "Format of the profile (not available yet).",
  },
  tracing: { type: "boolean", description: "Export spans by OTLP (not available yet)." },
  "fail-on": {
    type: "string",
    valueHint: "CONDITION",
    description: "End with 7 when the condition holds (not available yet).",
  },
  ...MANNER_FLAGS,
} as const satisfies ArgsDef;

export function debugCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "debug" },
    args: ARGUMENTS,
    async run({ args }) {
      refuseLaterFlags(args);
      const investigation = await investigate(shell, args);
      if (args.save !== undefined) {
        const { saveCapsule } = await import("../save-capsule.ts");
        const place = { file: args.save, directory: args.output };
        shell.log.info(`Saved ${await saveCapsule(shell, investigation, place)}.`);
      }
      const { INVESTIGATION_RENDERERS } = await import("../../report/renderers.ts");
      const render = INVESTIGATION_RENDERERS[shell.json ? "json" : "text"];
      await shell.output.write(render(investigation, textOptions(shell)));
      return exitCodeOf(investigation.verdict);
    },
  });
}

async function investigate(shell: Shell, args: ParsedFlags): Promise<Investigation> {
  const hash = typeof args.hash === "string" ? parseTransactionHash(args.hash) : null;
  const config = loadConfig(shell, args);
  const { openCapture, openSimulator } = await import("../../debugger/open-walk.ts");
  const { debugTransaction, replayCaptured } = await import("../../debugger/debug-transaction.ts");
  await using simulator = openSimulator(config, {
    surroundings: surroundingsOf(shell),
    strictValidation: args["strict-validation"] === true,
  });
  const signal = runSignal(shell, config);
  const progress = shell.log.progress;
  if (typeof args.from === "string") {
    const { openCapsule } = await import("../../debugger/open-capsule.ts");
    const captured = await openCapsule(resolve(shell.facts.workingDirectory, args.from), hash);
    return replayCaptured({ simulator, progress }, captured, { signal });
  }
  if (hash === null)
    throw new SvcError("USAGE", {
      message: "<hash> is missing, and no capsule was given with --from.",
      remedy: "Run svc debug <hash>, or svc debug --from FILE.",
    });
  const capture = openCapture(config, { ledgerFiles: ledgerFiles(args), progress });
  return debugTransaction({ ...capture, simulator }, hash, { signal });
}
