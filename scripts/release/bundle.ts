// Bundles scripts of the core for browsers and other runtimes, with all that they import.

import { basename, join } from "node:path";
import { ROOT } from "./paths.ts";

export interface Bundle {
  readonly name: string;
  readonly script: Uint8Array<ArrayBuffer>;
}

/** Bundles one script with everything that it imports. */
export async function bundleForBrowser(entry: string): Promise<Uint8Array<ArrayBuffer>> {
  const [bundle] = await buildBundles([entry]);
  if (bundle === undefined) throw new Error(`${entry} gave no bundle`);
  return bundle.script;
}

/**
 * Bundles scripts. Several share the files with what they have in common; one is one file,
 * with what it loads later in it. Throws if anything that they import is a module of Node or Bun.
 */
export async function buildBundles(entries: readonly string[]): Promise<readonly Bundle[]> {
  const foreign: string[] = [];
  const { outputs } = await Bun.build({
    entrypoints: entries.map((entry) => join(ROOT, entry)),
    target: "browser",
    format: "esm",
    minify: true,
    splitting: entries.length > 1,
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
