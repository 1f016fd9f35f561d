// Every command with its one-line summary. A command is loaded only when it runs.

import type { Command } from "./command.ts";
import type { CommandPage, ErrorStreams } from "./shell.ts";

export interface CommandEntry extends ErrorStreams {
  readonly summary: string;
  /** Only svc itself starts it: not in help or completions. */
  readonly hidden?: boolean;
  /** So long that code is worth compiling as soon as the engine usually does. */
  readonly worksLong?: boolean;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** By names of one word, or two words: `hsm list`. */
const TABLE: Readonly<Record<string, CommandEntry>> = {
  debug: {
    summary: "Replay a transaction, compare the replay with the chain, and explain what happened.",
    load: () => import("./commands/debug.ts"),
  },
  dap: {
    summary: "Step through a transaction in an editor, forwards and backwards.",
    load: () => import("./commands/dap.ts"),
  },
  capture: {
    summary: "Save a transaction and the state it ran against to a capsule file, for offline use.",
    load: () => import("./commands/capture.ts"),
  },
  verify: {
    summary: "Replay every Soroban transaction of ledgers or ledger files, and count the verdicts.",
    worksLong: true,
    load: () => import("./commands/verify.ts"),
  },
  "verify plan": {
    summary: "Show the pieces of a svc verify that many machines share, and what each needs.",
    load: () => import("./commands/verify-plan.ts"),
  },
  "verify merge": {
    summary:
      "Put the results of svc verify --shard together, as one run over the whole gives them.",
    load: () => import("./commands/verify-merge.ts"),
  },
  watch: {
    printsLines: true,
    summary: "Follow the network: verify every transaction, and explain each one that fails.",
    worksLong: true,
    load: () => import("./commands/watch.ts"),
  },
  daemon: {
    // --check is no daemon.
    logsLines: (words) => !words.includes("--check"),
    summary: "Serve debugging and simulation over HTTP, with Prometheus metrics.",
    worksLong: true,
    load: () => import("./commands/daemon.ts"),
  },
  mcp: {
    summary: "Serve debugging to agents, in the Model Context Protocol over standard input.",
    worksLong: true,
    load: () => import("./commands/mcp.ts"),
  },
  simulate: {
    summary: "Simulate a transaction before sending it: result, footprint, resources and fees.",
    load: () => import("./commands/simulate.ts"),
  },
  doctor: {
    summary: "Check the simulator, the settings and the nodes.",
    load: () => import("./commands/doctor.ts"),
  },
  explain: {
    summary: "Explain an error code, a result code, or what a node answered: meaning and remedy.",
    load: () => import("./commands/explain.ts"),
  },
  completion: {
    summary: "Print the completion of svc for a shell.",
    load: () => import("./commands/completion.ts"),
  },
  version: {
    summary: "Print the versions of svc, Bun and every contract host.",
    load: () => import("./commands/version.ts"),
  },
  "verify-worker": {
    summary: "Replay ledgers for svc verify on one more core.",
    hidden: true,
    worksLong: true,
    load: () => import("./commands/verify-worker.ts"),
  },
  sign: {
    summary: "Sign a transaction envelope or a file with a key on a PKCS#11 token.",
    load: () => import("./commands/signing/sign.ts"),
  },
  "sign auth": {
    summary: "Sign Soroban authorization entries with a key on a PKCS#11 token.",
    load: () => import("./commands/signing/sign-auth.ts"),
  },
  "sign document": {
    summary: "Sign a capsule or a JSON report with a key on a PKCS#11 token.",
    load: () => import("./commands/signing/sign-document.ts"),
  },
  "sign verify": {
    summary: "Verify signatures: show the signer of each, and whether it is valid.",
    load: () => import("./commands/signing/sign-verify.ts"),
  },
  "hsm list": {
    summary: "List the slots, tokens and keys of a PKCS#11 module, with their Stellar addresses.",
    load: () => import("./commands/signing/hsm-list.ts"),
  },
  "hsm test": {
    summary: "Test a key on a PKCS#11 token: sign a random challenge and verify the signature.",
    load: () => import("./commands/signing/hsm-test.ts"),
  },
};

export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map(Object.entries(TABLE));

/** The commands in help and completions. */
export const PUBLIC_COMMANDS = [...COMMANDS].flatMap(([name, entry]) =>
  entry.hidden === true ? [] : { name, ...entry },
);

/** The commands in completions and the manual page, with their settings. */
export async function readCommandPages(): Promise<CommandPage[]> {
  return Promise.all(
    PUBLIC_COMMANDS.map(async ({ name, summary, load }) => {
      const { settings } = (await load()).command;
      return { name, summary, settings };
    }),
  );
}
