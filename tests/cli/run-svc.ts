// Runs the compiled svc like a user: in its own process and directory, without the developer's
// environment.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SVC_BINARY } from "../../scripts/ensure-built.ts";

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A copy of svc in another directory. */
  readonly binary?: string;
  /** The content of standard input (default: empty). */
  readonly stdin?: string;
  /** Kills the process after this time: a test must not wait for a process that hangs. */
  readonly limitMilliseconds?: number;
  /** When this resolves, SIGINT is sent. */
  readonly interruptAfter?: Promise<void>;
}

/** Far more than any run takes on a busy machine, and less than the time limit of a test. */
const LONGEST_MILLISECONDS = 50_000;

let built = false;

/** The compiled binary; built first when it is missing or outdated. */
export function svcBinary(): string {
  if (!built) ensureBuilt();
  built = true;
  return SVC_BINARY;
}

export async function svc(words: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const directory = options.directory ?? tmpdir();
  const child = Bun.spawn([options.binary ?? svcBinary(), ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", HOME: directory, ...options.environment },
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.limitMilliseconds ?? LONGEST_MILLISECONDS,
    killSignal: "SIGKILL",
  });
  void options.interruptAfter?.then(() => child.kill("SIGINT"));
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const exitCode = await child.exited;
  if (child.signalCode === "SIGKILL") throw new Error(`svc ${words.join(" ")} hung:\n${stderr}`);
  return { exitCode, stdout, stderr };
}

/** Runs a shell line with `svc` on PATH: for pipes. */
export async function shellLine(line: string, options: RunOptions = {}): Promise<Finished> {
  const binary = svcBinary();
  const child = Bun.spawn(["bash", "-c", line], {
    cwd: options.directory ?? tmpdir(),
    env: {
      PATH: `${join(binary, "..")}:${process.env.PATH ?? ""}`,
      ...options.environment,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.limitMilliseconds ?? LONGEST_MILLISECONDS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

/** A directory that exists only during the action. */
export async function inTemporaryDirectory<Result>(
  action: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "svc-cli-"));
  try {
    return await action(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
