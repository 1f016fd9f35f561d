// Reads svc.html, and a report that replays itself, for tests in a browser.

import type { Page } from "playwright-core";

/** Waits until the work has ended, and returns what the page says of it. */
export async function ended(page: Page): Promise<string> {
  await page
    .locator("#status")
    .filter({ hasText: /^(Done|No answer|Stopped)/ })
    .waitFor();
  return (await page.locator("#status").textContent()) ?? "";
}

/** The noise without the worker, which is made from a text of the page: browsers report a request. */
export const beside = (noise: readonly string[]) =>
  noise.filter((each) => !/^request: (blob:|about:srcdoc)/.test(each));
