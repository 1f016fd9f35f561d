// Builds svc.html from the bundle of its worker and the modules of svc-sim. The ten hosts are near
// copies of one another, which only a compression with a large window sees: zstd makes a third of
// what gzip does.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version as VERSION } from "../../package.json";
import { renderBrowserPage } from "../../src/browser/page.ts";
import type { Modules } from "./build-module.ts";
import { bundleForBrowser } from "./bundle.ts";
import { ROOT } from "./paths.ts";

const BEST_GZIP = 9;
const BEST_ZSTD = 22;
const EXAMPLE = join(ROOT, "examples/overflow-in-callee.capsule.json");

/** Writes the page. A test takes a lower level to be fast. */
export async function buildPage(
  { module, recordingModule }: Modules,
  output: string,
  { zstdLevel = BEST_ZSTD }: { readonly zstdLevel?: number } = {},
): Promise<void> {
  const core = Bun.gzipSync(await bundleForBrowser("src/browser/worker.ts"), { level: BEST_GZIP });
  const packed = (path: string) =>
    Bun.zstdCompressSync(readFileSync(path), { level: zstdLevel }).toBase64();
  const page = renderBrowserPage({
    core: core.toBase64(),
    module: packed(module),
    recordingModule: packed(recordingModule),
    version: VERSION,
    example: readFileSync(EXAMPLE, "utf8"),
  });
  writeFileSync(output, page);
}
