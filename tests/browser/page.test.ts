// svc.html and reports that replay themselves in real Chromium, from `file:`, as far as they need no
// svc-sim: a module that traps is in its place, or a worker that only answers.
// acceptance/browser-page.ts has the rest.

import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { version } from "../../package.json";
import { bundleForBrowser } from "../../scripts/release/bundle.ts";
import { renderBrowserPage } from "../../src/browser/page.ts";
import { renderReplayable } from "../../src/report/html/replayable.ts";
import { withoutSignatures } from "../../src/xdr/envelope/patch-envelope.ts";
import { findingsOf, found } from "../report/findings-of.ts";
import { capsuleOf } from "../report/html/pages.ts";
import { investigate } from "../report/investigations.ts";
import { violationsOf } from "../support/axe.ts";
import { beside, ended } from "../support/browser-page.ts";
import { HAS_CHROMIUM, openPage } from "../support/chromium.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";
import { openAnywhere } from "../support/opened.ts";

const { test } = needs("chromium", HAS_CHROMIUM);

const CAPSULE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
/** A module with the function that svc-sim has, which traps at once. */
const TRAPPING_MODULE = Uint8Array.fromHex(
  "0061736d01000000" + // magic number and version
    "010401600000" + // a type without parameters
    "03020100" + // a function of it
    "070d01097376635f73657276650000" + // exported as svc_serve
    "0a05010300000b", // unreachable
);
/** Answers as the worker does, with the message that it got. */
const ANSWERING = `
const said = (text) => text.replaceAll("<", "&lt;");
const key = (name) => '<button type="button" data-step="' + name + '">' + name + "</button>";
onmessage = ({ data }) => {
  const text = said(JSON.stringify(data.overrides ?? data.key ?? data.files ?? data.text ?? ""));
  if (data.kind === "module") postMessage({ kind: "ready", module: null });
  else if (data.kind === "explain") postMessage({ kind: "content", title: "svc", markup: "<h2>" + text + "</h2>", address: null });
  else if (data.kind === "what-if") {
    if (text.includes("endless")) for (;;);
    postMessage({ kind: "variant", markup: "<h3>With the changes</h3><p>" + text + "</p>" });
  } else postMessage({ kind: "standing", markup: '<p id="key">' + text + "</p>" + key("n") + key("N") +
    '<button type="button" data-frame="1" aria-pressed="true">frame</button><ol class="code" tabindex="0" aria-label="Code"><li aria-current="step"><code>end</code></li></ol>' });
};`;

const DIRECTORY = mkdtempSync(join(tmpdir(), "svc-page-"));
const PAGE = join(DIRECTORY, "svc.html");
const REPORT = join(DIRECTORY, "report.html");

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const module = Bun.zstdCompressSync(TRAPPING_MODULE).toBase64();
  const packed = (script: Uint8Array<ArrayBuffer>) => Bun.gzipSync(script).toBase64();
  const core = packed(await bundleForBrowser("src/browser/worker.ts"));
  writeFileSync(
    PAGE,
    renderBrowserPage({ core, module, recordingModule: module, version, example: "{}" }),
  );
  const answering = packed(new TextEncoder().encode(ANSWERING));
  const finding = found(investigate("try-call-catches-callee-failure"));
  writeFileSync(
    REPORT,
    renderReplayable(
      findingsOf([finding], true),
      { capsuleOf },
      { core: answering, module, version },
    ),
  );
}, 60_000);
afterAll(() => rmSync(DIRECTORY, { recursive: true }));

test("a pasted error is explained, with the keyboard alone and without a network", async () => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await page.goto(`file://${PAGE}`);
  await page.context().setOffline(true);
  await page.locator("#text").focus();
  await page.keyboard.type("op_underfunded");
  await page.keyboard.press("Enter");
  expect(await ended(page)).toStartWith("Done");
  expect(await page.locator("#content").textContent()).toContain("op_underfunded");
  await page.locator("#text").fill('<img src=x onerror="window.owned = 1"> Error(Contract, #7)');
  await page.locator("#go").click();
  await page.locator("#content").getByText("#7").first().waitFor();
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(beside(noise)).toEqual([]);
});

test.each([
  ["light", 400],
  ["dark", 1400],
] as const)(
  "axe finds nothing, and nothing is wider than the page, %s and %d",
  async (colorScheme, width) => {
    await using opened = await openPage({ colorScheme, viewport: { width, height: 900 } });
    const { page } = opened;
    for (const path of [PAGE, REPORT]) {
      await page.goto(`file://${path}`);
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    }
  },
);

test("an address names the network and the transaction, and only its nodes are asked", async () => {
  await using opened = await openPage();
  const { page } = opened;
  const hash = "ab".repeat(32);
  const hosts = new Set<string>();
  await page.route(/^https?:/, (route) => {
    hosts.add(new URL(route.request().url()).hostname);
    return route.abort();
  });
  await page.goto(`file://${PAGE}#/testnet/${hash}`);
  expect(await ended(page)).toStartWith("No answer");
  expect(await page.locator("#text").inputValue()).toBe(hash);
  expect(await page.locator("#network").inputValue()).toBe("testnet");
  expect(await page.locator("#error").textContent()).toMatch(/may not allow requests from\s+pages/);
  expect([...hosts].every((host) => host.includes("testnet"))).toBe(true);
  const listed = (await page.locator("#asked-list").textContent()) ?? "";
  for (const host of hosts) expect(listed).toContain(host);
  hosts.clear();
  await page.goto(`file://${PAGE}#/elsewhere/${"cd".repeat(32)}`);
  expect(await page.locator("#text").inputValue()).toBe(hash);
  expect(hosts.size).toBe(0);
});

test("only an unsigned envelope makes the page ask nodes, and it is explained without them", async () => {
  await using loopback = openLoopback();
  const { network } = loopback;
  const sent = network.transactions.find(({ soroban }) => soroban);
  if (sent === undefined) throw new Error("no transaction");
  const signed = openAnywhere(String(network.file(sent).rpcGetTransaction.result.envelopeXdr));
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`file://${PAGE}`);
  await page.locator("#network").selectOption("custom");
  await page.locator("#rpc").fill(loopback.url("rpc", `tip=${sent.ledger - 1}`));
  await page.locator("#passphrase").fill(network.passphrase);
  await page.locator("#text").fill(signed.xdr);
  await page.locator("#go").click();
  await page.locator("#content h2").first().waitFor();
  expect(loopback.requests).toEqual([]);
  expect(await page.locator("#asked").isVisible()).toBe(false);
  await page.locator("#text").fill(withoutSignatures(signed).xdr);
  await page.locator("#go").click();
  await page.locator("#content").getByText("What it would do now").waitFor();
  expect(await ended(page)).toStartWith("Done");
  expect(loopback.requests).toContain("getLedgerEntries");
  expect(await page.locator("#asked-list li").count()).toBeGreaterThan(0);
  // Both modules trap.
  expect(await page.locator("#content").textContent()).toContain("[SIMULATOR_DIED]");
  expect(await page.locator("#content article").count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
});

test("a simulator that fails is said, and the page goes on", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`file://${PAGE}`);
  await page.locator("#file").setInputFiles(CAPSULE);
  expect(await ended(page)).toStartWith("No answer");
  expect(await page.locator("#error").textContent()).toContain("[SIMULATOR_DIED]");
  await page.locator("#text").fill("tx_bad_auth");
  await page.locator("#go").click();
  await page.locator("#content h2").waitFor();
});

test("a report takes changes, steps with keys and the mouse, explains, and asks nobody", async () => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await page.goto(`file://${REPORT}`);
  await page.context().setOffline(true);
  await page.locator("#try [name=closeTime]").fill("2026-01-01T00:00:00Z");
  await page.locator("#try button.main").click();
  await page
    .locator("#variant")
    .getByText('{"ledger":{"closeTime":"2026-01-01T00:00:00Z"}}')
    .waitFor();
  expect(await page.locator("#content #hash").count()).toBe(1);
  await page.locator("#step button.main").click();
  await page.locator("#steps .code").waitFor();
  expect(await page.evaluate("document.activeElement.dataset.step")).toBe("n");
  await page.keyboard.press("Shift+N");
  await page.locator("#key").getByText('"N"').waitFor();
  expect(await page.evaluate("document.activeElement.dataset.step")).toBe("N");
  await page.locator("[data-frame]").click();
  await page.locator("#key").getByText("1", { exact: true }).waitFor();
  expect(await page.evaluate("document.activeElement.dataset.frame")).toBe("1");
  await page.locator("#text").fill("tx_bad_auth");
  await page.locator("#text").press("Enter");
  await page.locator("#explained h2").getByText("tx_bad_auth").waitFor();
  expect(await page.locator("#steps .code").count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  expect(beside(noise)).toEqual([]);
});

test("an endless run is ended by the Escape key, and the next one runs", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`file://${REPORT}`);
  await page.locator("#try [name=closeTime]").fill("endless");
  await page.locator("#try button.main").click();
  await page.locator("#stop").waitFor();
  await page.keyboard.press("Escape");
  expect(await ended(page)).toBe("Stopped.");
  await page.locator("#try [name=closeTime]").fill("7");
  await page.locator("#try button.main").click();
  await page.locator("#variant h3").waitFor();
});
