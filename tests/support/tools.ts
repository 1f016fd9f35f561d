// Programs of others that tests ask when they are there; .ci/run installs them all.

/** The program's path, or null: then the tests that need it are skipped. */
export function findTool(name: string): string | null {
  return Bun.which(name);
}

export interface ToolRun {
  readonly exitCode: number;
  /** Both streams. */
  readonly text: string;
}

export function runTool(command: readonly string[], cwd?: string): ToolRun {
  const run = Bun.spawnSync([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "ignore",
  });
  return { exitCode: run.exitCode, text: `${run.stdout}${run.stderr}` };
}
