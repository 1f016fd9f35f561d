// svc.html in real Chromium, from `file:`: what a person pastes or drops is explained and replayed
// in the page, with no request but to the nodes that it lists.
// Run it with `bun test ./acceptance/browser-page.ts`, after release/prepare --module.

import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { BROWSER_PAGE, ensureBuilt, MODULE } from "../scripts/ensure-built.ts";
import { buildPage } from "../scripts/release/build-page.ts";
import { svc } from "../tests/cli/run-svc.ts";
import { violationsOf } from "../tests/support/axe.ts";
import { openPage } from "../tests/support/chromium.ts";
import { openLoopback } from "../tests/support/loopback-server.ts";
import { compileTestModule, withoutTimes } from "../tests/support/module.ts";

const BUILD_MILLISECONDS = 3_600_000;
const EXAMPLES = resolve(import.meta.dir, "../examples");
const OVERFLOW = join(EXAMPLES, "overflow-in-callee.capsule.json");
const WRITES = join(EXAMPLES, "write-bytes-too-low.capsule.json");

async function ended(page: Page): Promise<string> {
  await page
    .locator("#status")
    .filter({ hasText: /^(Done|No answer|Stopped)/ })
    .waitFor();
  return (await page.locator("#status").textContent()) ?? "";
}

async function openAnother(page: Page): Promise<void> {
  await page.goto(`file://${BROWSER_PAGE}`);
}

describe("the page", () => {
  beforeAll(async () => {
    ensureBuilt();
    compileTestModule();
    await buildPage(MODULE, BROWSER_PAGE);
  }, BUILD_MILLISECONDS);

  test("explains a pasted error, with the keyboard alone", async () => {
    await using opened = await openPage();
    const { page, noise } = opened;
    await openAnother(page);
    await page.locator("#text").focus();
    await page.keyboard.type("op_underfunded");
    await page.keyboard.press("Enter");
    expect(await ended(page)).toStartWith("Done");
    expect(await page.locator("#content").textContent()).toContain("op_underfunded");
    expect(noise.filter((each) => !each.startsWith("request: blob:"))).toEqual([]);
  });

  test.each([OVERFLOW, WRITES])("the report of %s is that of the program", async (capsule) => {
    await using opened = await openPage();
    const { page, noise } = opened;
    await openAnother(page);
    await page.locator("#file").setInputFiles(capsule);
    expect(await ended(page)).toStartWith("Done");
    const report = JSON.parse((await page.locator("#content #report").textContent()) ?? "");
    const printed = await svc(["debug", "--from", capsule, "--format", "html"]);
    const [, own = ""] =
      /<script type="application\/json" id="report"[^>]*>([^<]*)</.exec(printed.stdout) ?? [];
    // Commands name the file that a person gave, and times are measured.
    const same = (text: string) => withoutTimes(text).replace(/"command":"[^"]*"/g, "");
    const [ofProgram, ofPage] = [same(own), same(JSON.stringify(report))];
    expect(ofPage).toEqual(ofProgram);
    expect(noise.filter((each) => !each.startsWith("request: blob:"))).toEqual([]);
  });

  test("runs with changes", async () => {
    await using opened = await openPage();
    const { page } = opened;
    await openAnother(page);
    await page.locator("#file").setInputFiles(OVERFLOW);
    await ended(page);
    const field = page.locator("[data-argument]").first();
    await field.fill("1");
    await page.locator("#try button.main").click();
    await page.locator("#variant h3").first().waitFor();
    expect(await page.locator("#variant").textContent()).toContain("With the changes");
  });

  test("finds a transaction with the nodes that it lists", async () => {
    await using loopback = openLoopback();
    const [failed] = loopback.network.transactions.filter(
      ({ soroban, status }) => soroban && status === "FAILED",
    );
    await using opened = await openPage();
    const { page } = opened;
    await openAnother(page);
    await page.locator("#network").selectOption("custom");
    await page.locator("#horizon").fill(loopback.url("horizon"));
    await page.locator("#rpc").fill(loopback.url("rpc", `entries-at=${failed?.ledger}`));
    await page.locator("#passphrase").fill(loopback.network.passphrase);
    await page.locator("#text").fill(failed?.hash ?? "");
    await page.locator("#go").click();
    expect(await ended(page)).toStartWith("Done");
    expect(await page.locator("#content #hash").textContent()).toBe(failed?.hash ?? "");
    const asked = await page.locator("#asked-list li").count();
    expect(asked).toBeGreaterThan(0);
  });

  test("what it does not find is said, and a new work follows", async () => {
    await using loopback = openLoopback();
    await using opened = await openPage();
    const { page } = opened;
    await openAnother(page);
    await page.locator("#network").selectOption("custom");
    await page.locator("#horizon").fill(loopback.url("horizon"));
    await page.locator("#passphrase").fill(loopback.network.passphrase);
    await page.locator("#text").fill("ab".repeat(32));
    await page.locator("#go").click();
    expect(await ended(page)).toStartWith("No answer");
    expect(await page.locator("#error").textContent()).toMatch(/\[[A-Z_]+\]/);
    await page.locator("#file").setInputFiles(WRITES);
    await page.locator("#content h1").waitFor();
  });

  test("is stopped at once", async () => {
    await using opened = await openPage();
    const { page } = opened;
    await openAnother(page);
    await page.locator("#file").setInputFiles(OVERFLOW);
    await page.locator("#stop").click();
    expect(await ended(page)).toStartWith("Stopped");
    await page.locator("#file").setInputFiles(WRITES);
    await page.locator("#content h1").waitFor();
  });

  test.each([
    ["light", 400],
    ["dark", 1400],
  ] as const)("has no violation that axe finds, %s and %d wide", async (colorScheme, width) => {
    await using opened = await openPage({ colorScheme, viewport: { width, height: 900 } });
    const { page } = opened;
    await openAnother(page);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator("#file").setInputFiles(OVERFLOW);
    await ended(page);
    expect(await violationsOf(page)).toEqual([]);
    const sideways = "document.documentElement.scrollWidth > innerWidth";
    expect(await page.evaluate(sideways)).toBe(false);
  });

  test("a hostile text is only shown", async () => {
    await using opened = await openPage();
    const { page } = opened;
    await openAnother(page);
    const hostile = '<img src=x onerror="window.owned = 1"> Error(Contract, #7)';
    await page.locator("#text").fill(hostile);
    await page.locator("#go").click();
    await ended(page);
    expect(await page.evaluate("window.owned")).toBeUndefined();
  });

  test("its policy allows no script and no style but its own", () => {
    const page = readFileSync(BROWSER_PAGE, "utf8");
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    expect(policy).toStartWith("default-src 'none'; script-src 'sha256-");
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).not.toContain("'unsafe-eval'");
  });
});
