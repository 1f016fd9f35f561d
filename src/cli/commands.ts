// Every command with its one-line summary; the command itself is loaded only when it is the one.

import { type ArgsDef, type CommandDef, runCommand } from "citty";
import type { Shell } from "./shell.ts";

/** A citty command whose argument types no longer matter. */
export interface LoadedCommand {
  readonly definition: ArgsDef;
  /** What the command's `run` returns: its exit code. */
  run(rawArgs: readonly string[]): Promise<unknown>;
}

export interface CommandEntry {
  /** One word, or two: `hsm list`. */
  readonly name: string;
  readonly summary: string;
  /** For svc itself: in no list. */
  readonly hidden?: boolean;
  readonly load: (shell: Shell) => Promise<LoadedCommand>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "debug",
    summary: "Run a transaction again, compare it with the chain, and say what happened.",
    load: async (shell) => loaded((await import("./commands/debug.ts")).debugCommand(shell)),
  },
  {
    name: "capture",
    summary: "Save a transaction and the state it ran against, for use offline.",
    load: async (shell) => loaded((await import("./commands/capture.ts")).captureCommand(shell)),
  },
  {
    name: "verify",
    summary: "Run every Soroban transaction of ledger files or ledgers again.",
    load: async (shell) => loaded((await import("./commands/verify.ts")).verifyCommand(shell)),
  },
  {
    name: "daemon",
    summary: "Serve debugging and simulation over HTTP, with metrics for Prometheus.",
    load: async (shell) => loaded((await import("./commands/daemon.ts")).daemonCommand(shell)),
  },
  {
    name: "simulate",
    summary: "Say what a transaction that was not sent would do, need and cost.",
    load: async (shell) => loaded((await import("./commands/simulate.ts")).simulateCommand(shell)),
  },
  {
    name: "doctor",
    summary: "Check the simulator, the settings and the nodes.",
    load: async (shell) => loaded((await import("./commands/doctor.ts")).doctorCommand(shell)),
  },
  {
    name: "explain",
    summary: "Say what an error code of svc means and what to do.",
    load: async (shell) => loaded((await import("./commands/explain.ts")).explainCommand(shell)),
  },
  {
    name: "version",
    summary: "Print the versions of svc, Bun and every contract host.",
    load: async (shell) => loaded((await import("./commands/version.ts")).versionCommand(shell)),
  },
  {
    name: "verify-worker",
    summary: "What svc verify starts for each further core.",
    hidden: true,
    load: async (shell) =>
      loaded((await import("./commands/verify-worker.ts")).verifyWorkerCommand(shell)),
  },
  {
    name: "sign",
    summary: "Sign a transaction envelope, or any file, with a key on a PKCS#11 token.",
    load: async (shell) => loaded((await import("./commands/sign.ts")).signCommand(shell)),
  },
  {
    name: "sign auth",
    summary: "Sign Soroban authorization entries with a key on a PKCS#11 token.",
    load: async (shell) => loaded((await import("./commands/sign-auth.ts")).signAuthCommand(shell)),
  },
  {
    name: "sign document",
    summary: "Sign a capsule, or a report made with --json.",
    load: async (shell) =>
      loaded((await import("./commands/sign-document.ts")).signDocumentCommand(shell)),
  },
  {
    name: "sign verify",
    summary: "Say whose signatures something carries, and whether they hold.",
    load: async (shell) =>
      loaded((await import("./commands/sign-verify.ts")).signVerifyCommand(shell)),
  },
  {
    name: "hsm list",
    summary: "List a PKCS#11 module's slots, tokens and keys with their Stellar addresses.",
    load: async (shell) => loaded((await import("./commands/hsm-list.ts")).hsmListCommand(shell)),
  },
  {
    name: "hsm test",
    summary: "Sign a random challenge with a key on a token, and check the signature.",
    load: async (shell) => loaded((await import("./commands/hsm-test.ts")).hsmTestCommand(shell)),
  },
];

/** Those that people are told of. */
export const PUBLIC_COMMANDS = COMMANDS.filter(({ hidden }) => hidden !== true);

function loaded<Definition extends ArgsDef>(command: CommandDef<Definition>): LoadedCommand {
  return {
    definition: command.args as ArgsDef,
    run: async (rawArgs) => (await runCommand(command, { rawArgs: [...rawArgs] })).result,
  };
}
