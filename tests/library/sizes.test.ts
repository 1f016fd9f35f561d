// How much a program loads for each entry point of the library, without svc-sim.

import { expect, test } from "bun:test";
import { basename } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { type Bundle, buildBundles, bundleForBrowser } from "../../scripts/release/bundle.ts";

/** Kilobytes (1,000 bytes) after brotli, at most, with all that is loaded later. */
const BUDGETS = {
  explain: 188,
  replay: 244,
  debug: 270,
  simulate: 243,
  step: 242,
  report: 69,
};

test.each(Object.entries(BUDGETS))("%s has at most %d kB", async (entry, kilobytes) => {
  const bundle = await bundleForBrowser(`src/library/${entry}.ts`);
  expect(brotliCompressSync(bundle).length / 1000).toBeLessThan(kilobytes);
});

/**
 * The code that `explain` loads at once explains result codes and errors without a log. `explain`
 * loads one part when it meets an answer of a node, a log, an envelope or other XDR, and one for
 * messages of tools. It is smaller alone than in the package, where entry points share files.
 */
test.each([
  ["alone", ["explain"], 88],
  ["in the package", Object.keys(BUDGETS), 98],
] as const)(
  "explain %s loads its rarer parts only when an input needs them",
  async (_, entries, kilobytes) => {
    const bundles = await buildBundles(entries.map((entry) => `src/library/${entry}.ts`));
    const atOnce = loadedWith(bundles, "explain.js");
    const sizes = bundles.filter(({ name }) => atOnce.has(name)).map(kilobytesOf);
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(kilobytes);
  },
);

function kilobytesOf({ script }: Bundle): number {
  return brotliCompressSync(script).length / 1000;
}

/** The names of a file and of its static imports, which are loaded with it. */
function loadedWith(
  bundles: readonly Bundle[],
  name: string,
  loaded = new Set<string>(),
): ReadonlySet<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  const script = bundles.find((each) => each.name === name)?.script;
  if (script === undefined) throw new Error(`no bundle ${name}`);
  const { imports } = new Bun.Transpiler({ loader: "js" }).scan(script);
  for (const { path, kind } of imports)
    if (kind === "import-statement") loadedWith(bundles, basename(path), loaded);
  return loaded;
}
