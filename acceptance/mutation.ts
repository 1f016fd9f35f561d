// Changes one thing after another in the code that a verdict rests on, and counts which changes a
// test notices (StrykerJS with the tests of Bun): the comparisons and the judgement, the rules that
// decide the state before a transaction, and the proofs of history archives.
//
//   bun acceptance/mutation.ts DIRECTORY [verdict|state|proofs]
//
// The directory takes a copy of this checkout and StrykerJS from npm, and is kept for the next time.
// Prints a score for each file, and each change that no test noticed. docs/internals/mutation.md has
// the scores, and the reasons why the rest cannot be noticed.

import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT } from "../scripts/release/paths.ts";

const CONCURRENCY = 2;
/** It runs on Node 20, which 10.x does not. */
const STRYKER = ["@stryker-mutator/core@9.6.1", "typescript@5.9.3"];

interface Part {
  readonly mutate: readonly string[];
  /** The tests that must notice. They end at the first failure. */
  readonly tests: readonly string[];
}

const PARTS: Readonly<Record<string, Part>> = {
  verdict: {
    mutate: ["src/verdict/*.ts"],
    // The fast ones first, since they end at the first failure.
    tests: ["comparisons", "caveats", "likely-cause", "missed-inputs", "events", "core-metrics"]
      .concat("judge")
      .map((name) => `tests/verdict/${name}.test.ts`),
  },
  state: {
    mutate: ["src/snapshot/decide-*.ts"],
    tests: ["tests/snapshot/decide.test.ts", "tests/snapshot/decide-settings.test.ts"],
  },
  proofs: {
    mutate: ["chain", "validators", "state-at", "key-order"].map(
      (name) => `src/history-archive/${name}.ts`,
    ),
    tests: [
      "tests/history-archive/state-at.test.ts",
      "tests/history-archive/mixed-archives.test.ts",
      "tests/history-archive/made-archive.test.ts",
      "tests/history-archive/model-chains.test.ts",
      "tests/history-archive/validators.test.ts",
    ],
  },
};

const [directory, name] = process.argv.slice(2);
if (directory === undefined || (name !== undefined && PARTS[name] === undefined)) {
  process.stderr.write("bun acceptance/mutation.ts DIRECTORY [verdict|state|proofs]\n");
  process.exit(2);
}
const home = resolve(directory);
const copy = join(home, "copy");
prepare();
for (const [part, { mutate, tests }] of Object.entries(PARTS)) {
  if (name !== undefined && part !== name) continue;
  const config = join(copy, `${part}.stryker.json`);
  const command = `${process.execPath} test ${tests.join(" ")} --timeout 20000 --bail`;
  const settings = {
    testRunner: "command",
    commandRunner: { command },
    mutate,
    // A text is not what a verdict rests on.
    mutator: { excludedMutations: ["StringLiteral"] },
    ignorePatterns: ["src/svc-sim", "dist"],
    concurrency: CONCURRENCY,
    reporters: ["clear-text", "json"],
    jsonReporter: { fileName: join(home, `${part}.json`) },
    tempDirName: ".stryker",
  };
  await Bun.write(config, JSON.stringify(settings));
  run([join(home, "node_modules/.bin/stryker"), "run", config], copy);
}

/** StrykerJS, and the sources and tests without what the tests of a part do not need. */
function prepare(): void {
  mkdirSync(home, { recursive: true });
  run(["npm", "install", "--prefix", home, "--no-audit", "--no-fund", ...STRYKER], home);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  const built = join(ROOT, "src/svc-sim/target");
  for (const part of ["src", "tests", "scripts", "package.json", "tsconfig.json", "bunfig.toml"])
    cpSync(join(ROOT, part), join(copy, part), {
      recursive: true,
      filter: (path) => path !== built,
    });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  symlinkSync(join(ROOT, "dist"), join(copy, "dist"));
}

function run(command: readonly string[], cwd: string): void {
  const { exitCode } = Bun.spawnSync([...command], { cwd, stdout: "inherit", stderr: "inherit" });
  if (exitCode !== 0) throw new Error(`${command[0]} ended with exit code ${exitCode}`);
}
