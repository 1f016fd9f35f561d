// Keeps what svc loads at its start in one chunk. Bun makes a chunk of the modules that the same
// entries share, and each command is an entry, so the start would be some thirty chunks. Each of
// them costs time whenever svc starts. Therefore every entry imports all modules of the start.
// That costs an entry nothing, because svc loads it after them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";

const ALL = "svc-start:all";

/**
 * Returns the plugin for a build with `main` (an absolute path) as its only entry point.
 * `options` are those of the build, with its other plugins. Throws if the build fails.
 */
export async function startInOneChunk(
  main: string,
  options: Partial<Bun.BuildConfig>,
): Promise<Bun.BunPlugin> {
  const { metafile } = await Bun.build({
    ...options,
    entrypoints: [main],
    splitting: true,
    metafile: true,
  });
  if (metafile === undefined) throw new Error("Bun.build gave no metafile");
  const chunks = metafile.outputs;
  const entryOf = (chunk: string) => {
    const entry = chunks[chunk]?.entryPoint;
    return entry === undefined ? null : join(ROOT, entry);
  };
  const mainChunk = Object.keys(chunks).find((chunk) => entryOf(chunk) === main);
  if (mainChunk === undefined) throw new Error(`no chunk of ${main}`);
  const shared = [...loadedWith(chunks, mainChunk)]
    .filter((chunk) => chunk !== mainChunk)
    .flatMap((chunk) => Object.keys(chunks[chunk]?.inputs ?? {}))
    .map((module) => join(ROOT, module));
  const entries = new Set(Object.keys(chunks).map(entryOf));
  entries.delete(main);
  return {
    name: "start in one chunk",
    setup: (build) => {
      build.onResolve({ filter: /^svc-start:all$/ }, () => ({ path: ALL, namespace: "svc-start" }));
      build.onLoad({ filter: /./, namespace: "svc-start" }, () => ({
        contents: shared.map((module) => `import ${JSON.stringify(module)};`).join("\n"),
        loader: "js",
      }));
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        return { contents: entries.has(path) ? `import "${ALL}";\n${text}` : text, loader: "ts" };
      });
    },
  };
}

/** Returns a chunk and its static imports, which are loaded with it. `loaded` gets them, too. */
export function loadedWith(
  chunks: Bun.BuildMetafile["outputs"],
  start: string,
  loaded = new Set<string>(),
): ReadonlySet<string> {
  if (loaded.has(start)) return loaded;
  loaded.add(start);
  for (const { path, kind } of chunks[start]?.imports ?? [])
    if (kind === "import-statement") loadedWith(chunks, path, loaded);
  return loaded;
}
