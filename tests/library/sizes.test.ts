// How much a program loads for each entry point of the library, without svc-sim.

import { expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import { bundleForBrowser } from "../../scripts/release/bundle.ts";

/** Kilobytes (1,000 bytes) after brotli, at most. */
const BUDGETS = { explain: 151, replay: 232, debug: 257, step: 232, report: 69 };

test.each(Object.entries(BUDGETS))("%s has at most %d kB", async (entry, kilobytes) => {
  const bundle = await bundleForBrowser(`src/library/${entry}.ts`);
  expect(brotliCompressSync(bundle).length / 1000).toBeLessThan(kilobytes);
});
