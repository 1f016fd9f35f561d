// Changes one thing after another in the code that a verdict rests on, and counts which changes a
// test notices: the comparisons and the judgement, the rules that decide the state before a
// transaction, and the proofs of history archives. StrykerJS makes the changes, all of them in one copy
// of the code, of which one is switched on at a time (mutation-run.ts); so a change costs the tests up to
// the first that fails, and no process.
//
//   bun acceptance/mutation.ts DIRECTORY [verdict|state|proofs [FILE]]
//
// With a file of the part, such as src/history-archive/chain.ts, only that file is changed.
// The directory takes a copy of this checkout and StrykerJS's instrumenter from npm, and is kept for the
// next time. Prints a score for each file, and each change that no test noticed.
// docs/internals/mutation.md has the scores, and the reasons why the rest cannot be noticed.

import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT } from "../scripts/release/paths.ts";
import type { Noticed } from "./mutation-run.ts";

const INSTRUMENTER = "@stryker-mutator/instrumenter@9.6.1";
/** Longer than a complete run on a busy machine, because a run that does not end has noticed. */
const SINGLE_RUN_MILLISECONDS = 300_000;

interface Part {
  readonly mutate: readonly string[];
  /** The tests that must notice. */
  readonly tests: readonly string[];
}

const testsIn = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `tests/${folder}/${name}.test.ts`);

const PARTS: Readonly<Record<string, Part>> = {
  verdict: {
    mutate: ["src/verdict/*.ts"],
    tests: [
      ...testsIn("verdict", "comparisons", "caveats", "likely-cause", "missed-inputs"),
      ...testsIn("verdict", "events", "core-metrics", "judge"),
    ],
  },
  state: {
    mutate: ["src/snapshot/decide-*.ts"],
    tests: testsIn("snapshot", "decide", "decide-entry", "decide-ttl", "decide-settings"),
  },
  proofs: {
    mutate: ["chain", "validators", "state-at", "key-order"].map(
      (name) => `src/history-archive/${name}.ts`,
    ),
    tests: [
      ...testsIn("history-archive", "validators", "key-order", "mixed-archives", "made-archive"),
      ...testsIn("history-archive", "state-at", "model-chains", "false-chains", "false-proofs"),
      ...testsIn("history-archive", "lying-archives", "bucket-lists", "later-protocol"),
    ],
  },
};

/** A change, in the form of StrykerJS. Lines and columns begin with 0. */
interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  /** `Ignored` if it is of an excluded kind, and so is not in the code. */
  readonly status?: string;
  readonly location: Readonly<Record<"start" | "end", { line: number; column: number }>>;
}

/** For Node, since Babel's modules load otherwise in Bun. */
const INSTRUMENT = `
  const { Instrumenter } = await import(process.argv[1]);
  const nothing = () => {};
  const logger = { isDebugEnabled: () => false, debug: nothing, info: nothing, warn: nothing };
  const files = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  // A text is not what a verdict rests on.
  const options = { plugins: null, ignorers: [], excludedMutations: ["StringLiteral"] };
  const found = await new Instrumenter(logger).instrument(files, options);
  process.stdout.write(JSON.stringify(found));
`;

const [directory, chosen, chosenFile] = process.argv.slice(2);
if (directory === undefined || (chosen !== undefined && PARTS[chosen] === undefined)) {
  process.stderr.write("bun acceptance/mutation.ts DIRECTORY [verdict|state|proofs [FILE]]\n");
  process.exit(2);
}
const home = resolve(directory);
const copy = join(home, "copy");
mkdirSync(home, { recursive: true });
await run(["npm", "install", "--prefix", home, "--no-audit", "--no-fund", INSTRUMENTER], home);
for (const [name, part] of Object.entries(PARTS))
  if (chosen === undefined || chosen === name) await tryPart(name, part);

async function tryPart(name: string, { mutate, tests }: Part): Promise<void> {
  copyCheckout();
  const paths = mutate
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(copy)].sort())
    .filter((path) => chosenFile === undefined || path === chosenFile);
  const originals = new Map<string, string>();
  for (const path of paths) originals.set(path, await Bun.file(join(copy, path)).text());
  const mutants = await instrument(originals);
  await useCollector(tests);
  const results = new Map<string, Noticed>();
  const all = await tryMutants(mutants.map(({ id }) => id));
  for (const [id, noticed] of Object.entries(all)) results.set(id, noticed);
  // What is evaluated while a module is loaded cannot be switched on later.
  for (const [id, noticed] of results)
    if (noticed === "when-loaded") {
      const alone = await tryMutants([id], { __STRYKER_ACTIVE_MUTANT__: id });
      results.set(id, alone[id] ?? "noticed");
    }
  report(name, originals, mutants, results);
}

function copyCheckout(): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  const built = join(ROOT, "src/svc-sim/target");
  for (const part of ["src", "tests", "scripts", "package.json", "tsconfig.json", "bunfig.toml"])
    cpSync(join(ROOT, part), join(copy, part), {
      recursive: true,
      filter: (path) => path !== built,
    });
  cpSync(join(ROOT, "acceptance/mutation-run.ts"), join(copy, "tests/mutants.test.ts"));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  symlinkSync(join(ROOT, "dist"), join(copy, "dist"));
}

/** Writes the files with all changes in them, each behind a switch. */
async function instrument(originals: ReadonlyMap<string, string>): Promise<readonly Mutant[]> {
  const module = join(home, "node_modules/@stryker-mutator/instrumenter/dist/src/index.js");
  const files = [...originals].map(([path, content]) => ({
    ...{ name: join(copy, path), content, mutate: true },
  }));
  const script = `(async () => { ${INSTRUMENT} })()`;
  const child = Bun.spawn(["node", "-e", script, module], {
    stdin: new Blob([JSON.stringify(files)]),
    stderr: "inherit",
  });
  const found = (await new Response(child.stdout).json()) as {
    readonly files: readonly { readonly name: string; readonly content: string }[];
    readonly mutants: readonly Mutant[];
  };
  for (const { name, content } of found.files) await Bun.write(name, content);
  return found.mutants.filter(({ status }) => status !== "Ignored");
}

/** The tests of the copy are collected instead of run (mutation-run.ts). */
async function useCollector(tests: readonly string[]): Promise<void> {
  const collector = join(copy, "tests/mutants.test.ts");
  for (const path of new Bun.Glob("tests/**/*.ts").scanSync(copy)) {
    const file = join(copy, path);
    if (file === collector) continue;
    const text = await Bun.file(file).text();
    if (text.includes('from "bun:test"'))
      await Bun.write(
        file,
        text.replaceAll('from "bun:test"', `from ${JSON.stringify(collector)}`),
      );
  }
  await Bun.write(join(copy, "mutation-tests.json"), JSON.stringify(tests));
}

async function tryMutants(
  ids: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, Noticed>>> {
  const [asked, answered] = ["asked", "answered"].map((name) => join(copy, `${name}.json`));
  await Bun.write(asked ?? "", JSON.stringify(ids));
  rmSync(answered ?? "", { force: true });
  const isAlone = ids.length === 1;
  const child = Bun.spawn([process.execPath, "test", "tests/mutants.test.ts"], {
    cwd: copy,
    env: { ...process.env, ...environment },
    stdout: isAlone ? "ignore" : "inherit",
    stderr: isAlone ? "ignore" : "inherit",
    ...(isAlone && { timeout: SINGLE_RUN_MILLISECONDS }),
  });
  await child.exited;
  const file = Bun.file(answered ?? "");
  if (await file.exists()) return file.json();
  if (isAlone) return { [ids[0] ?? ""]: "noticed" };
  throw new Error("the tests fail without any change");
}

function report(
  name: string,
  originals: ReadonlyMap<string, string>,
  mutants: readonly Mutant[],
  results: ReadonlyMap<string, Noticed>,
): void {
  const out = (line: string) => process.stdout.write(`${line}\n`);
  out(`\n${name}`);
  for (const [path, text] of originals) {
    const own = mutants.filter(({ fileName }) => fileName === join(copy, path));
    const missed = own.filter(({ id }) => results.get(id) !== "noticed");
    const share = own.length === 0 ? 100 : (100 * (own.length - missed.length)) / own.length;
    out(`${path}: ${share.toFixed(0)} % of ${own.length}`);
    for (const { id, location, replacement } of missed) {
      const { start, end } = location;
      const lines = text.split("\n").slice(start.line, end.line + 1);
      const was = lines
        .join("\n")
        .slice(start.column, end.line > start.line ? undefined : end.column);
      const short = (code: string) => code.replace(/\s+/g, " ").slice(0, 90);
      const why = results.get(id) === "not-reached" ? " (not reached)" : "";
      out(
        `  ${start.line + 1}:${start.column + 1}${why}  ${short(was)}  ->  ${short(replacement)}`,
      );
    }
  }
}

async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
}
