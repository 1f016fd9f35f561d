// Builds svc with Bun: the compiled TypeScript program is appended to Bun's executable for the
// platform.

import { join } from "node:path";
import packageFile from "../../package.json";
import { ROOT } from "./paths.ts";
import { startInOneChunk } from "./start-chunk.ts";
import type { Target } from "./targets.ts";

export interface ShellBuild {
  readonly target: Target;
  readonly output: string;
  /** Bun's executable for the target. Null stands for the Bun that runs this script. */
  readonly base: string | null;
  /** The pkcs11.node to embed. If it is null, svc cannot sign. */
  readonly addon: string | null;
}

/**
 * The engine compiles so much later than usual, because compiling what one debug runs is seldom
 * worth it. Commands that work long set it back (src/cli/commands.ts, `worksLong`).
 */
const JIT_POLICY = 16;

const MAIN = join(ROOT, "src", "main.ts");

export async function buildShell({ target, output, base, addon }: ShellBuild): Promise<void> {
  const embedded: Partial<Bun.BuildConfig> = {
    // The file is embedded as bytes. svc itself chooses the file that it writes and loads.
    loader: { ".node": "file" },
    ...(addon === null ? { external: ["*/pkcs11.node"] } : {}),
  };
  const plugins = [...(addon === null ? [] : [embed(addon)]), INLINE_TEXTS];
  const start = await startInOneChunk(MAIN, { ...embedded, target: "bun", plugins });
  const result = await Bun.build({
    entrypoints: [MAIN],
    compile: {
      target: target.bun,
      outfile: output,
      jitPolicy: JIT_POLICY,
      ...(base === null ? {} : { executablePath: base }),
      // A compiled binary otherwise loads .env and runs the preload of bunfig.toml from the
      // working directory, which would run somebody else's code.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    ...embedded,
    plugins: [...plugins, start],
    minify: true,
    splitting: true,
    bytecode: true,
    format: "esm",
    define: {
      SVC_VERSION: JSON.stringify(packageFile.version),
      SVC_COMMIT: JSON.stringify(commit()),
    },
  });
  for (const message of result.logs) process.stderr.write(`${message}\n`);
  if (!result.success) throw new Error("Bun.build failed");
}

/** A compiled program would otherwise load each text as a module of its own when it starts. */
const INLINE_TEXTS: Bun.BunPlugin = {
  name: "inline-texts",
  setup: (build) =>
    void build.onLoad({ filter: /\.txt$/ }, async ({ path }) => ({
      contents: `export default ${JSON.stringify(await Bun.file(path).text())};`,
      loader: "js",
    })),
};

/** Every import of pkcs11.node gets this file, whatever its path in the source is. */
function embed(addon: string): Bun.BunPlugin {
  return {
    name: "pkcs11-addon",
    setup: (build) => void build.onResolve({ filter: /\/pkcs11\.node$/ }, () => ({ path: addon })),
  };
}

/** Returns twelve characters, with `-dirty` if the checkout has changes. */
export function commit(): string {
  const git = (...words: string[]) => Bun.spawnSync(["git", ...words], { cwd: ROOT });
  const head = git("rev-parse", "--short=12", "HEAD");
  if (!head.success) return "unknown";
  const dirty = git("status", "--porcelain", "--untracked-files=no").stdout.length > 0;
  return head.stdout.toString().trim() + (dirty ? "-dirty" : "");
}
