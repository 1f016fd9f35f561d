// Bundles scripts of the core for browsers and other runtimes, with all that they import.

import { basename, join } from "node:path";
import { ROOT } from "./paths.ts";

export interface Bundle {
  readonly name: string;
  readonly script: Uint8Array<ArrayBuffer>;
}

/** Bundles one script with everything that it imports, now or later, as one file. */
export async function bundleForBrowser(entry: string): Promise<Uint8Array<ArrayBuffer>> {
  const [bundle] = await build([entry], false);
  if (bundle === undefined) throw new Error(`${entry} gave no bundle`);
  return bundle.script;
}

/**
 * Bundles scripts, which share files with what they have in common. What they load later is in files
 * of its own. Throws if anything that they import is a module of Node or Bun.
 */
export function buildBundles(entries: readonly string[]): Promise<readonly Bundle[]> {
  return build(entries, true);
}

async function build(entries: readonly string[], splitting: boolean): Promise<readonly Bundle[]> {
  const foreign: string[] = [];
  const { outputs } = await Bun.build({
    entrypoints: entries.map((entry) => join(ROOT, entry)),
    target: "browser",
    format: "esm",
    minify: true,
    splitting,
    plugins: [
      {
        name: "nothing of Node or Bun",
        setup: (build) => {
          build.onResolve({ filter: /^(node:|bun(:|$))/ }, ({ path, importer }) => {
            foreign.push(`${importer}: ${path}`);
            return { path, external: true };
          });
        },
      },
    ],
  });
  if (foreign.length > 0) throw new Error(`a browser has no ${foreign.join(", ")}`);
  const read = async (output: Bun.BuildArtifact) => ({
    name: basename(output.path),
    script: new Uint8Array(await output.arrayBuffer()),
  });
  return Promise.all(outputs.map(read));
}
