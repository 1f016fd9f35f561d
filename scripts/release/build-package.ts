// Builds the npm package of the library: entry points as bundles without dependencies, types, and
// the modules of svc-sim.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import packageFile from "../../package.json";
import type { Modules } from "./build-module.ts";
import { buildBundles } from "./bundle.ts";
import { SCOPE } from "./npm-packages.ts";
import { ROOT } from "./paths.ts";

const EXPLAINING = ["explain", "errors"] as const;
const RUNNING = [...EXPLAINING, "replay", "debug", "simulate", "step", "report"] as const;

/** The schema of the document of the entry `report`. */
const SCHEMA = "debug-report.schema.json";

/**
 * Writes the package to an empty directory. Without the modules of svc-sim, the package only
 * explains.
 */
export async function buildPackage(directory: string, modules: Modules | null): Promise<void> {
  const entries = modules === null ? EXPLAINING : RUNNING;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const { name, script } of await buildBundles(
    entries.map((each) => `src/library/${each}.ts`),
  ))
    writeFileSync(join(directory, name), script);
  writeTypes(directory, entries);
  if (modules !== null) {
    copyFileSync(modules.module, join(directory, "svc-sim.wasm"));
    copyFileSync(modules.recordingModule, join(directory, "svc-sim-recording.wasm"));
    copyFileSync(join(ROOT, "src/report/schema", SCHEMA), join(directory, SCHEMA));
  }
  copyFileSync(join(ROOT, "LICENSE"), join(directory, "LICENSE"));
  const readme = readFileSync(join(ROOT, "release/library/README.md"), "utf8");
  writeFileSync(join(directory, "README.md"), readme.replaceAll("@svc-debugger", SCOPE));
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest(entries), null, 2)}\n`);
}

function manifest(entries: readonly string[]) {
  const { version, license } = packageFile;
  const entry = (name: string) => ({
    types: `./types/library/${name}.d.ts`,
    default: `./${name}.js`,
  });
  return {
    name: `${SCOPE}/library`,
    version,
    description:
      "Explains, simulates and replays Stellar smart-contract transactions, in any JavaScript runtime.",
    license,
    type: "module",
    engines: { node: ">=22" },
    exports: {
      ...Object.fromEntries(entries.map((name) => [`./${name}`, entry(name)])),
      "./svc-sim.wasm": "./svc-sim.wasm",
      "./svc-sim-recording.wasm": "./svc-sim-recording.wasm",
      [`./${SCHEMA}`]: `./${SCHEMA}`,
    },
  };
}

/** The types of the entry points, and of everything that they name. */
function writeTypes(directory: string, entries: readonly string[]): void {
  const config = join(directory, "tsconfig.json");
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(ROOT, "src"),
    outDir: join(directory, "types"),
  };
  const files = entries.map((name) => join(ROOT, "src/library", `${name}.ts`));
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.core.json"),
      compilerOptions: options,
      include: [],
      files: [...files, join(ROOT, "src/error-catalogue.ts")],
    }),
  );
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  const { exitCode } = Bun.spawnSync([compiler, "-p", config], { stdio: ["ignore", 2, 2] });
  rmSync(config);
  if (exitCode !== 0) throw new Error(`the types of the package cannot be written (${exitCode})`);
  completeTypes(directory, entries);
}

/**
 * Types are inferred from schemas of valibot, whose types are in the package, too: without them, a
 * program that has no valibot would see `any`. The entry `errors` imports every folder's codes,
 * which the compiler leaves out because it finds no use of them.
 */
function completeTypes(directory: string, entries: readonly string[]): void {
  const types = join(directory, "types");
  copyFileSync(join(ROOT, "node_modules/valibot/dist/index.d.mts"), join(types, "valibot.d.ts"));
  const names = [...new Bun.Glob("**/*.d.ts").scanSync({ cwd: types })].sort();
  const texts = new Map(names.map((name) => [name, readFileSync(join(types, name), "utf8")]));
  const codes = names.filter((name) => texts.get(name)?.includes("interface KnownErrors extends"));
  for (const [name, text] of texts) {
    const lines = [text.replaceAll('"valibot"', `"${pathFrom(name, "valibot.js")}"`)];
    if (entries.some((entry) => name === `library/${entry}.d.ts`))
      lines.unshift('/// <reference lib="esnext.disposable" />');
    if (name === "library/errors.d.ts")
      lines.push(
        ...codes.map((each) => `import "${pathFrom(name, each.replace(".d.ts", ".js"))}";`),
      );
    writeFileSync(join(types, name), lines.join("\n"));
  }
}

/** The path of a file from another, as a module names it. */
function pathFrom(name: string, to: string): string {
  const path = relative(dirname(name), to).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}
