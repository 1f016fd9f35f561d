// The real browser that pages are tested in: Debian's Chromium, which .ci/run installs. Tests that
// need it are skipped where it is not installed.

import { afterAll } from "bun:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findTool } from "./tools.ts";

const PATH = findTool("chromium");

export const HAS_CHROMIUM = PATH !== null;

let running: Promise<Browser> | null = null;

afterAll(async () => {
  await (await running)?.close();
  running = null;
});

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** Requests beside the page's own address, and messages of the console. */
  readonly noise: string[];
}

/** A page in a browser of its own, with no cookies and no storage. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  running ??= chromium.launch({
    ...(PATH === null ? {} : { executablePath: PATH }),
    // Root has no sandbox in a container.
    args: ["--no-sandbox"],
  });
  const context = await (await running).newContext(options);
  const page = await context.newPage();
  const noise: string[] = [];
  page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) noise.push(`request: ${request.url().slice(0, 100)}`);
  });
  return { page, noise, [Symbol.asyncDispose]: () => context.close() };
}
