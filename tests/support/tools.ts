// Third-party programs that tests use if they are installed; .ci/run installs all of them.

/** The path of the program, or null: then the tests that need it are skipped. */
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
