// svc.html in Chromium: its size, the time until it shows a report, and its memory, beside the
// program on the same capsule. It needs what `bun scripts/build-binaries.ts --module` builds.
//
//   bun bench/page.ts

import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { BROWSER_PAGE, ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { ended } from "../tests/support/browser-page.ts";
import { findTool } from "../tests/support/tools.ts";
import { line } from "./aims.ts";
import { median } from "./round-trip.ts";

const CAPSULE = join(resolve(import.meta.dir, ".."), "examples", "overflow-in-callee.capsule.json");
const RUNS = 7;

interface Opened {
  /** Milliseconds from the opening of the page to its first report. */
  readonly first: number;
  /** Milliseconds from opening it again, in the same browser, to the report. */
  readonly second: number;
  /** The most memory of the process that draws the page, in MiB. */
  readonly memory: number;
}

const executablePath = findTool("chromium");
if (executablePath === null || !existsSync(BROWSER_PAGE))
  throw new Error("Chromium or dist/svc.html is missing; run build-binaries.ts --module");
ensureBuilt();
const opened: Opened[] = [];
const program: number[] = [];
for (let run = 0; run < RUNS; run += 1) {
  opened.push(await openOnce(executablePath));
  const began = performance.now();
  Bun.spawnSync([SVC_BINARY, "debug", "--from", CAPSULE, "--format", "html"], { stdout: "ignore" });
  program.push(performance.now() - began);
}
const own = median(program);
const ofProgram = (value: number) => ({ value: value / own, of: "program" });
const [first, second] = [
  median(opened.map((each) => each.first)),
  median(opened.map((each) => each.second)),
];
line("svc.html", statSync(BROWSER_PAGE).size / 1e6, "MB");
line("svc debug --from, a failure with its fix", own, "ms");
line("svc.html, from opening to the first report", first, "ms", ofProgram(first));
line("svc.html, opened again in the same browser", second, "ms", ofProgram(second));
line("svc.html, most memory", median(opened.map((each) => each.memory)), "MiB");

/** Opens the page in a browser of its own, in which nothing is compiled or stored. */
async function openOnce(path: string): Promise<Opened> {
  const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const report = async () => {
      const opening = performance.now();
      await page.goto(`file://${BROWSER_PAGE}`);
      await page.locator("#file").setInputFiles(CAPSULE);
      const said = await ended(page);
      if (!said.startsWith("Done")) throw new Error(`the page ended with: ${said}`);
      return performance.now() - opening;
    };
    const first = await report();
    const second = await report();
    const memory = await rendererMebibytes(browser);
    return { first, second, memory };
  } finally {
    await browser.close();
  }
}

async function rendererMebibytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const peaks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return Math.max(...peaks.map((kibibytes) => Number(kibibytes ?? 0) / 1024));
}
