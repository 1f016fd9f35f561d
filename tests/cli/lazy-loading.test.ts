// A command loads only what it uses: neither the start of svc nor a command file by itself loads the
// Stellar SDK, OpenTelemetry's, or the one of the Model Context Protocol, or explains anything. A
// capsule is debugged, with the fix of a failure, without any of them: loading the Stellar SDK alone
// takes longer.

import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { loadedWith } from "../../scripts/release/start-chunk.ts";

const ROOT = resolve(import.meta.dir, "..", "..");

test("the chunks loaded at the start, and by each command, have no SDK and explain nothing", async () => {
  const chunks = await buildChunks();
  const commands = Object.keys(chunks).filter((path) =>
    /src\/(?:cli|fork|follow|verification|signing)\/commands\/(?!choose-following)/.test(
      chunks[path]?.entryPoint ?? "",
    ),
  );
  expect(commands.length).toBeGreaterThanOrEqual(20);
  for (const start of [mainChunk(chunks), ...commands]) {
    const heavy = [...loadedWith(chunks, start)].flatMap((path) =>
      Object.keys(chunks[path]?.inputs ?? {}).filter((input) =>
        /stellar-sdk|js-xdr|opentelemetry|modelcontextprotocol|zod|src\/explain\//.test(input),
      ),
    );
    expect([start, heavy]).toEqual([start, []]);
  }
});

test("a capsule is debugged without the SDK, and without what asks nodes or draws a page", async () => {
  const chunks = await buildChunks();
  const loaded = new Set<string>();
  for (const entry of DEBUGGED) loadedWith(chunks, chunkOf(chunks, entry), loaded);
  const inputs = [...loaded].flatMap((path) => Object.keys(chunks[path]?.inputs ?? {}));
  expect(inputs.filter((input) => /src\/xdr\/reader\/value\.ts$/.test(input))).not.toEqual([]);
  expect(inputs.filter((input) => NOT_NEEDED.test(input))).toEqual([]);
});

/** What `svc debug --from` imports, one after another. */
const DEBUGGED = [
  "src/cli/commands/debug.ts",
  "src/cli/investigate.ts",
  "src/debugger/walk/open-capsule.ts",
  "src/debugger/walk/replay-captured.ts",
  "src/debugger/fix/fix-transaction.ts",
  "src/debugger/walk/find-conflict.ts",
  "src/debugger/walk/prove-why.ts",
  "src/debugger/walk/find-moved-state.ts",
  "src/report/renderers.ts",
];
const NOT_NEEDED = new RegExp(
  "stellar-sdk|js-xdr|ledger-close-meta|fetch-chain-record|ofetch|sqlite|report/(html|otlp)/|tui/interact" +
    "|src/(mcp|dap|daemon|stepper|follow|fork|signing|verification)/(?!(errors|commands)\\.ts)",
);

type Chunks = Bun.BuildMetafile["outputs"];

/** Like scripts/build-binaries.ts, but without --compile, which leaves no chunks to check. */
async function buildChunks(): Promise<Chunks> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, "src", "main.ts")],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    metafile: true,
  });
  if (result.metafile === undefined) throw new Error("Bun.build gave no metafile");
  return result.metafile.outputs;
}

function mainChunk(chunks: Chunks): string {
  return chunkOf(chunks, "src/main.ts");
}

function chunkOf(chunks: Chunks, entry: string): string {
  const found = Object.keys(chunks).find((path) => chunks[path]?.entryPoint?.endsWith(entry));
  if (found === undefined) throw new Error(`no chunk of ${entry}`);
  return found;
}
