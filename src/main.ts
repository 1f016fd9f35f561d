// argv and environment in, exit code out; nothing else touches them. The exit code is set, not
// forced: process.exit would lose output that a slow reader has not read yet. After an interruption
// it is forced as soon as stderr has what was written: a socket or a pipe may never end by itself.

import { BUILD_INFO } from "./base/build-info.ts";
import { SvcError } from "./base/errors/errors.ts";
import { AGAIN, phrase } from "./base/phrase.ts";
import { isTerminal } from "./base/terminal/is-terminal.ts";
import { run } from "./cli/run.ts";

const interruption = new AbortController();

// Signals are taken once: a second one ends the process immediately if svc has not ended.
for (const name of ["SIGINT", "SIGTERM"] as const)
  process.once(name, () =>
    interruption.abort(
      new SvcError("INTERRUPTED", {
        message: `Interrupted by ${name}.`,
        remedy: phrase`${AGAIN}.`,
        details: { signal: name },
      }),
    ),
  );

process.exitCode = await run({
  program: /(?:^|[\\/])stellar-svc[^\\/]*$/.test(process.argv0) ? "stellar svc" : "svc",
  argv: process.argv.slice(2),
  environment: process.env,
  workingDirectory: process.cwd(),
  executablePath: process.execPath,
  selfCommand: BUILD_INFO.compiled ? [process.execPath] : [process.execPath, Bun.main],
  restart: BUILD_INFO.compiled ? restart : null,
  stdin: () => Bun.stdin.stream(),
  stdinIsTerminal: () => isTerminal(0, () => process.stdin),
  stdoutIsTerminal: () => isTerminal(1, () => process.stdout),
  stderrIsTerminal: () => isTerminal(2, () => process.stderr),
  stdoutColumns: () => (isTerminal(1, () => process.stdout) ? process.stdout.columns || 0 : 0),
  stderrColumns: () => (isTerminal(2, () => process.stderr) ? process.stderr.columns || 0 : 0),
  terminal: () => process,
  stderr,
  signal: interruption.signal,
  signals: process,
});

if (interruption.signal.aborted) stderr().write("", () => process.exit());

/** A full disk or a reader that is gone loses the log, and not the exit code. */
function stderr() {
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => {});
  return process.stderr;
}

function restart(environment: NodeJS.ProcessEnv): void {
  try {
    process.execve?.(process.execPath, [process.execPath, ...process.argv.slice(2)], environment);
  } catch {
    // Where the system has no such call, or the file has been replaced, svc goes on as it is.
  }
}
