// The core (tsconfig.core.json) runs anywhere: it bundles for a browser without a module of Node or
// Bun, and a real browser gives the answers that Bun gives.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { HAS_CHROMIUM, openPage } from "../support/chromium.ts";
import { needs } from "../support/needs.ts";
import { answerOf } from "./core-in-page.ts";

const ROOT = join(import.meta.dir, "../..");

async function bundle() {
  const foreign: string[] = [];
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "core-in-page.ts")],
    target: "browser",
    format: "esm",
    // One file, and modules that are loaded later are in it.
    splitting: false,
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
  const [script] = outputs;
  if (script === undefined) throw new Error("nothing was bundled");
  return { foreign, script: await script.text() };
}

test("the core bundles for a browser, and imports nothing of Node or Bun", async () => {
  const { foreign, script } = await bundle();
  expect(foreign).toEqual([]);
  expect(script).not.toMatch(/\bfrom ?"(node:|bun)/);
});

needs("chromium", HAS_CHROMIUM).test("a browser's answers are those of Bun", async () => {
  const { script } = await bundle();
  const texts: string[][] = await Bun.file(join(ROOT, "tests/fixtures/pasted-texts.json")).json();
  const capsules = ["tests/fixtures/capsules"].flatMap((folder) => [
    ...new Bun.Glob("**/*.json").scanSync({ cwd: join(ROOT, folder), absolute: true }),
  ]);
  expect(capsules.length).toBeGreaterThan(0);
  await using opened = await openPage();
  await opened.page.setContent("<title>svc</title>");
  await opened.page.addScriptTag({ type: "module", content: script });
  await opened.page.waitForFunction("'answerOf' in globalThis");
  const inBrowser = (kind: string, text: string) =>
    opened.page.evaluate(`answerOf(${JSON.stringify(kind)}, ${JSON.stringify(text)})`);
  for (const [text = ""] of texts)
    expect(await inBrowser("text", text)).toBe(answerOf("text", text));
  for (const path of capsules) {
    const text = await Bun.file(path).text();
    const answer = answerOf("capsule", text);
    expect(answer).not.toStartWith('{"error"');
    expect(await inBrowser("capsule", text)).toBe(answer);
  }
});
