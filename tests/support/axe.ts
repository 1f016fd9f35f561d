// axe-core, the checker of accessibility, in a page or frame of the real browser.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const OPTIONS = JSON.stringify({ iframes: false, resultTypes: ["violations"] });

/** One line for each violation; frames are checked by themselves. */
export async function violationsOf(place: Page | Frame): Promise<string[]> {
  await place.evaluate(SOURCE);
  return place.evaluate<string[]>(`axe.run(document, ${OPTIONS}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
      id + ": " + html.slice(0, 120) + ": " + failureSummary)))`);
}
