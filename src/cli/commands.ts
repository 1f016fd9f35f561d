// Every command with its one-line summary. A command is loaded only when it runs.

import { type ArgsDef, type CommandDef, runCommand } from "citty";
import type { Shell } from "./shell.ts";

/** A citty command without its argument types. */
export interface LoadedCommand {
  readonly definition: ArgsDef;
  /** Returns the exit code of the command. `given`: the flags that occur in `rawArgs`. */
  run(rawArgs: readonly string[], given: ReadonlySet<string>): Promise<unknown>;
}

export interface CommandEntry {
  /** One word, or two words: `hsm list`. */
  readonly name: string;
  readonly summary: string;
  /** For svc itself: not in help or completions. */
  readonly hidden?: boolean;
  /** So long that code is worth compiling as soon as the engine usually does. */
  readonly worksLong?: boolean;
  /** With --json, stdout is one document per line. */
  readonly printsLines?: boolean;
  /** Stderr is a log: one JSON object per line. */
  readonly logsLines?: (words: readonly string[]) => boolean;
  readonly load: (shell: Shell) => Promise<LoadedCommand>;
  /** The last paragraph of the help. */
  readonly helpEnd?: () => Promise<string>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "debug",
    summary: "Replay a transaction, compare the replay with the chain, and explain what happened.",
    load: async (shell) => loaded((await import("./commands/debug.ts")).debugCommand(shell)),
  },
  {
    name: "dap",
    summary: "Step through a transaction in an editor, forwards and backwards.",
    load: async (shell) => loaded((await import("./commands/dap.ts")).dapCommand(shell)),
  },
  {
    name: "capture",
    summary: "Save a transaction and the state it ran against to a capsule file, for offline use.",
    load: async (shell) => loaded((await import("./commands/capture.ts")).captureCommand(shell)),
  },
  {
    name: "verify",
    summary: "Replay every Soroban transaction of ledgers or ledger files, and count the verdicts.",
    worksLong: true,
    load: async (shell) => loaded((await import("./commands/verify.ts")).verifyCommand(shell)),
  },
  {
    name: "verify plan",
    summary: "Show the pieces of a svc verify that many machines share, and what each needs.",
    load: async (shell) =>
      loaded((await import("./commands/verify-plan.ts")).verifyPlanCommand(shell)),
  },
  {
    name: "verify merge",
    summary:
      "Put the results of svc verify --shard together, as one run over the whole gives them.",
    load: async (shell) =>
      loaded((await import("./commands/verify-merge.ts")).verifyMergeCommand(shell)),
  },
  {
    name: "watch",
    printsLines: true,
    summary: "Follow the network: verify every transaction, and explain each one that fails.",
    worksLong: true,
    load: async (shell) => loaded((await import("./commands/watch.ts")).watchCommand(shell)),
    helpEnd: async () => (await import("./commands/watch-flags.ts")).KINDS_IN_WORDS,
  },
  {
    name: "daemon",
    // --check is no daemon.
    logsLines: (words) => !words.includes("--check"),
    summary: "Serve debugging and simulation over HTTP, with Prometheus metrics.",
    worksLong: true,
    load: async (shell) => loaded((await import("./commands/daemon.ts")).daemonCommand(shell)),
  },
  {
    name: "mcp",
    summary: "Serve debugging to agents, in the Model Context Protocol over standard input.",
    worksLong: true,
    load: async (shell) => loaded((await import("./commands/mcp.ts")).mcpCommand(shell)),
  },
  {
    name: "simulate",
    summary: "Simulate a transaction before sending it: result, footprint, resources and fees.",
    load: async (shell) => loaded((await import("./commands/simulate.ts")).simulateCommand(shell)),
  },
  {
    name: "doctor",
    summary: "Check the simulator, the settings and the nodes.",
    load: async (shell) => loaded((await import("./commands/doctor.ts")).doctorCommand(shell)),
  },
  {
    name: "explain",
    summary: "Explain an error code, a result code, or what a node answered: meaning and remedy.",
    load: async (shell) => loaded((await import("./commands/explain.ts")).explainCommand(shell)),
  },
  {
    name: "completion",
    summary: "Print the completion of svc for a shell.",
    load: async (shell) =>
      loaded((await import("./commands/completion.ts")).completionCommand(shell)),
  },
  {
    name: "version",
    summary: "Print the versions of svc, Bun and every contract host.",
    load: async (shell) => loaded((await import("./commands/version.ts")).versionCommand(shell)),
  },
  {
    name: "verify-worker",
    summary: "Replay ledgers for svc verify on one more core.",
    hidden: true,
    worksLong: true,
    load: async (shell) =>
      loaded((await import("./commands/verify-worker.ts")).verifyWorkerCommand(shell)),
  },
  {
    name: "sign",
    summary: "Sign a transaction envelope or a file with a key on a PKCS#11 token.",
    load: async (shell) => loaded((await import("./commands/signing/sign.ts")).signCommand(shell)),
  },
  {
    name: "sign auth",
    summary: "Sign Soroban authorization entries with a key on a PKCS#11 token.",
    load: async (shell) =>
      loaded((await import("./commands/signing/sign-auth.ts")).signAuthCommand(shell)),
  },
  {
    name: "sign document",
    summary: "Sign a capsule or a JSON report with a key on a PKCS#11 token.",
    load: async (shell) =>
      loaded((await import("./commands/signing/sign-document.ts")).signDocumentCommand(shell)),
  },
  {
    name: "sign verify",
    summary: "Verify signatures: show the signer of each, and whether it is valid.",
    load: async (shell) =>
      loaded((await import("./commands/signing/sign-verify.ts")).signVerifyCommand(shell)),
  },
  {
    name: "hsm list",
    summary: "List the slots, tokens and keys of a PKCS#11 module, with their Stellar addresses.",
    load: async (shell) =>
      loaded((await import("./commands/signing/hsm-list.ts")).hsmListCommand(shell)),
  },
  {
    name: "hsm test",
    summary: "Test a key on a PKCS#11 token: sign a random challenge and verify the signature.",
    load: async (shell) =>
      loaded((await import("./commands/signing/hsm-test.ts")).hsmTestCommand(shell)),
  },
];

/** The commands in help and completions. */
export const PUBLIC_COMMANDS = COMMANDS.filter(({ hidden }) => hidden !== true);

function loaded<Definition extends ArgsDef>(command: CommandDef<Definition>): LoadedCommand {
  return {
    definition: command.args as ArgsDef,
    run: async (rawArgs, given) => {
      // citty converts the name of each flag to other spellings, again whenever an absent one is
      // read. Both take longer than the report of a transaction, so it gets only what is given.
      const args = Object.fromEntries(
        Object.entries(command.args as ArgsDef).filter(
          ([name, { type }]) => type === "positional" || given.has(name),
        ),
      ) as Definition;
      const run: typeof command.run = (context) =>
        command.run?.({ ...context, args: { ...context.args } });
      return (await runCommand({ ...command, args, run }, { rawArgs: [...rawArgs] })).result;
    },
  };
}
