// svc.html and reports that replay themselves in real Chromium, from `file:`: what a person pastes or
// drops is explained and replayed in the page, with no request but to the nodes that it lists.
// Run it with `bun test --timeout 60000 ./acceptance/browser-page.ts`, after release/prepare --module.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Address, Asset, Contract, nativeToScVal, Operation, type xdr } from "@stellar/stellar-sdk";
import type { Page } from "playwright-core";
import {
  ensureBuilt,
  ensureModulesBuilt,
  MODULE,
  RECORDING_MODULE,
} from "../scripts/ensure-built.ts";
import { buildPage } from "../scripts/release/build-page.ts";
import { openCapsule } from "../src/debugger/walk/open-capsule.ts";
import { replayCaptured } from "../src/debugger/walk/replay-captured.ts";
import { partsOfPage, renderReplayable } from "../src/report/html/replayable.ts";
import { withoutSignatures } from "../src/xdr/envelope/patch-envelope.ts";
import { svc } from "../tests/cli/run-svc.ts";
import { findingsOf, found } from "../tests/report/findings-of.ts";
import { capsuleOf } from "../tests/report/html/pages.ts";
import { violationsOf } from "../tests/support/axe.ts";
import { beside, ended } from "../tests/support/browser-page.ts";
import { openPage } from "../tests/support/chromium.ts";
import { openFork } from "../tests/support/fork.ts";
import { openLoopback } from "../tests/support/loopback-server.ts";
import { withoutTimes } from "../tests/support/module.ts";
import { openAnywhere } from "../tests/support/opened.ts";
import { openTestSimulator } from "../tests/support/simulator.ts";

const EXAMPLES = resolve(import.meta.dir, "../examples");
const OVERFLOW = join(EXAMPLES, "overflow-in-callee.capsule.json");
const WRITES = join(EXAMPLES, "write-bytes-too-low.capsule.json");
const SIDEWAYS = "document.documentElement.scrollWidth > innerWidth";
const simulator = openTestSimulator();
const BUILD_MILLISECONDS = 3_600_000;

const DIRECTORY = mkdtempSync(join(tmpdir(), "svc-page-"));
const BROWSER_PAGE = join(DIRECTORY, "svc.html");
const REPORT = join(DIRECTORY, "report.html");

beforeAll(async () => {
  ensureBuilt();
  ensureModulesBuilt();
  await buildPage({ module: MODULE, recordingModule: RECORDING_MODULE }, BROWSER_PAGE, {
    zstdLevel: 3,
  });
  writeFileSync(REPORT, await replayablePageOf(OVERFLOW));
}, BUILD_MILLISECONDS);
afterAll(() => rmSync(DIRECTORY, { recursive: true }));

async function replayablePageOf(path: string): Promise<string> {
  const captured = openCapsule({ name: path, text: readFileSync(path, "utf8") }, null);
  const investigation = await replayCaptured({ simulator, progress: () => {} }, captured, {
    signal: new AbortController().signal,
    locate: { wasm: null },
    profile: true,
    hostCalls: true,
  });
  const parts = partsOfPage(readFileSync(BROWSER_PAGE, "utf8"));
  return renderReplayable(findingsOf([found(investigation)], true), { capsuleOf }, parts);
}

async function openAnother(page: Page, fragment = ""): Promise<void> {
  await page.goto(`file://${BROWSER_PAGE}${fragment}`);
}

test("explains a pasted error, with the keyboard alone", async () => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await openAnother(page);
  await page.locator("#text").focus();
  await page.keyboard.type("op_underfunded");
  await page.keyboard.press("Enter");
  expect(await ended(page)).toStartWith("Done");
  expect(await page.locator("#content").textContent()).toContain("op_underfunded");
  expect(beside(noise)).toEqual([]);
});

test.each([OVERFLOW, WRITES])("the report of %s is that of the program", async (capsule) => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await openAnother(page);
  await page.locator("#file").setInputFiles(capsule);
  expect(await ended(page)).toStartWith("Done");
  const shown = JSON.parse((await page.locator("#content #report").textContent()) ?? "");
  const printed = await svc(["debug", "--from", capsule, "--format", "html"]);
  const [, own = ""] =
    /<script type="application\/json" id="report"[^>]*>([^<]*)</.exec(printed.stdout) ?? [];
  // Commands name the file that a person gave, and times are measured.
  const same = (text: string) => withoutTimes(text).replace(/"command":"[^"]*"/g, "");
  const [ofProgram, ofPage] = [same(own), same(JSON.stringify(shown))];
  expect(ofPage).toEqual(ofProgram);
  expect(beside(noise)).toEqual([]);
});

test("runs with changes", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await openAnother(page);
  await page.locator("#file").setInputFiles(OVERFLOW);
  await ended(page);
  await runWithChange(page);
});

async function runWithChange(page: Page): Promise<void> {
  await page.locator("[data-argument]").first().fill("1");
  await page.locator("#try button.main").click();
  await page.locator("#variant h3").first().waitFor();
  expect(await page.locator("#variant").textContent()).toContain("With the changes");
}

test("what is wrong with a change is said below its form", async () => {
  await using opened = await openPage({ viewport: { width: 400, height: 700 } });
  const { page } = opened;
  await openAnother(page);
  await page.locator("#example").click();
  await ended(page);
  await page.locator("[data-argument]").first().fill("no number");
  await page.locator("#try button.main").click();
  expect(await ended(page)).toStartWith("No answer");
  expect(await page.locator("#variant p").first().textContent()).toMatch(/\[[A-Z_]+\]/);
  const top = 'document.querySelector("#variant p").getBoundingClientRect().top';
  expect(await page.evaluate(`${top} < innerHeight`)).toBe(true);
});

test("a saved report runs what-ifs, steps and explains, and asks nobody", async () => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await page.goto(`file://${REPORT}`);
  expect(await page.locator("#content #hash").count()).toBe(1);
  await runWithChange(page);
  expect(await page.locator("#content h1").textContent()).toContain("failed");
  await page.locator("#text").fill("op_underfunded");
  await page.locator("#read button").click();
  await page.locator("#explained h2").waitFor();
  expect(await page.locator("#explained").textContent()).toContain("op_underfunded");
  await page.locator("#step button.main").click();
  await page.locator("#steps .code [aria-current]").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(beside(noise)).toEqual([]);
});

test("it steps in both directions, with the mouse and with keys", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`file://${REPORT}`);
  await page.locator("#step button.main").click();
  const here = page.locator("#steps .code [aria-current]");
  await here.waitFor();
  const at = async () =>
    /moment ([\d,]+) of/.exec((await page.locator("#steps").textContent()) ?? "")?.[1];
  // The policy of the page allows no text to be evaluated, so a locator waits.
  const stepped = (from: string | undefined) =>
    page
      .locator("#steps")
      .filter({ hasNotText: `moment ${from} of` })
      .waitFor();
  const failed = await at();
  expect(await here.textContent()).toContain("unreachable");
  await page.locator('[data-step="I"]').click();
  await stepped(failed);
  const before = await at();
  await page.locator('[data-step="I"]').focus();
  await page.keyboard.press("i");
  await stepped(before);
  expect(await at()).toBe(failed);
  await page.locator("[data-frame]").nth(1).click();
  await page.locator('[data-frame="1"][aria-pressed="true"]').waitFor();
  expect(await page.locator(":focus").getAttribute("data-frame")).toBe("1");
});

test("what is not a transaction of the page is said, and a stop ends everything", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`file://${REPORT}`);
  await page.locator("#text").fill("nothing that anybody knows");
  await page.locator("#read button").click();
  await page.locator("#explained h2").waitFor();
  await page.locator("#step button.main").click();
  await page.locator("#stop").click();
  expect(await ended(page)).toStartWith("Stopped");
  expect(await page.locator("#steps").textContent()).toBe("");
  await runWithChange(page);
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

test.each(["SUCCESS", "FAILED"] as const)(
  "an unsigned envelope is simulated as by svc, %s",
  async (status) => {
    await using loopback = openLoopback();
    const { network } = loopback;
    const sent = network.transactions.find((each) => each.soroban && each.status === status);
    if (sent === undefined) throw new Error("no transaction");
    const envelope = openAnywhere(String(network.file(sent).rpcGetTransaction.result.envelopeXdr));
    const { xdr } = withoutSignatures(envelope);
    const node = loopback.url("rpc", `entries-at=${sent.ledger - 1},tip=${sent.ledger - 1}`);
    await using opened = await openPage();
    const { page } = opened;
    await openAnother(page);
    await page.locator("#network").selectOption("custom");
    await page.locator("#rpc").fill(node);
    await page.locator("#passphrase").fill(network.passphrase);
    await page.locator("#text").fill(xdr);
    await page.locator("#go").click();
    expect(await ended(page)).toStartWith("Done");
    const flags = ["--rpc-url", node, "--network-passphrase", network.passphrase, "--json"];
    const { stdout } = await svc(["simulate", xdr, ...flags]);
    const { outcome, minResourceFeeStroops, rpc } = JSON.parse(stdout);
    const lead = await page.locator("#content .simulation .lead").textContent();
    expect(lead?.replace(/^[✓✕]/, "")).toBe(outcome.headline.replaceAll("`", ""));
    const shown = (await page.locator("#content").textContent()) ?? "";
    if (outcome.cause !== null)
      expect(shown).toContain(outcome.cause.summary.replaceAll("`", "").slice(0, 40));
    else expect(shown).toContain(`${Number(minResourceFeeStroops).toLocaleString("en")} stroops`);
    if (rpc.transactionData) expect(shown).toContain(rpc.transactionData);
    expect(await violationsOf(page)).toEqual([]);
  },
);

test("the contract's own name of an error is read from its network", async () => {
  await using loopback = openLoopback();
  const { network } = loopback;
  const failed = network.named("get of missing key -> contract error");
  const { hostFunction } = openAnywhere(
    String(network.file(failed).rpcGetTransaction.result.envelopeXdr),
  );
  const contract = hostFunction?.kind === "invoke" ? hostFunction.contract : "";
  await using opened = await openPage();
  const { page } = opened;
  await openAnother(page);
  await page.locator("#network").selectOption("custom");
  await page.locator("#rpc").fill(loopback.url("rpc"));
  await page.locator("#passphrase").fill(network.passphrase);
  await page.locator("#text").fill("HostError: Error(Contract, #1)");
  await page.locator("#go").click();
  expect(await ended(page)).toStartWith("Done");
  expect(await page.locator("#asked").isVisible()).toBe(false);
  await page.locator("#contract").fill("CAAA");
  await page.locator("#names button").click();
  expect(await ended(page)).toStartWith("No answer");
  await page.locator("#contract").fill(contract);
  await page.locator("#names button").click();
  await page.locator("#asked").waitFor();
  expect(await ended(page)).toStartWith("Done");
  expect(await page.locator("#content").textContent()).toContain("NotFound");
});

test("an example is there, and parts of the page leave its address", async () => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await openAnother(page);
  await page.locator("#example").click();
  expect(await ended(page)).toStartWith("Done");
  await page.locator("#parts a").last().click();
  expect(await page.locator("#step:focus").count()).toBe(1);
  expect(page.url()).not.toContain("#step");
  expect(beside(noise)).toEqual([]);
});

test("a fork is its network", async () => {
  await using fork = await openFork();
  const alice = fork.keypair(0);
  const send = async (operation: xdr.Operation) => {
    const { hash } = await fork.node.sendTransaction(await fork.signed(alice, operation));
    return fork.node.pollTransaction(hash);
  };
  await send(Operation.createStellarAssetContract({ asset: Asset.native() }));
  const lumens = new Contract(Asset.native().contractId(fork.networkPassphrase));
  const [from, to] = [alice, fork.keypair(1)].map((each) =>
    new Address(each.publicKey()).toScVal(),
  );
  const amount = nativeToScVal(12_345n, { type: "i128" });
  const { txHash } = await send(
    lumens.call("transfer", from as xdr.ScVal, to as xdr.ScVal, amount),
  );
  using served = Bun.serve({
    port: 0,
    fetch: () => new Response(Bun.file(BROWSER_PAGE), { headers: { "content-type": "text/html" } }),
  });
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`http://localhost:${served.port}/`);
  await page.locator("#network").selectOption("custom");
  await page.locator("#rpc").fill(fork.url);
  await page.locator("#passphrase").fill(fork.networkPassphrase);
  await page.locator("#text").fill(txHash);
  await page.locator("#go").click();
  expect(await ended(page)).toStartWith("Done");
  expect(await page.locator("#content .verdict").textContent()).toContain("exact");
  expect(await page.locator("#asked-list").textContent()).toContain("127.0.0.1");
});

test("an address names the network and the transaction", async () => {
  await using opened = await openPage();
  const { page } = opened;
  const hash = "ab".repeat(32);
  const requests: string[] = [];
  await page.route(/^https?:/, (route) => {
    requests.push(route.request().url());
    return route.abort();
  });
  await openAnother(page, `#/testnet/${hash}`);
  expect(await ended(page)).toStartWith("No answer");
  expect(await page.locator("#text").inputValue()).toBe(hash);
  expect(await page.locator("#network").inputValue()).toBe("testnet");
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter((url) => !url.includes("testnet"))).toEqual([]);
  expect(await page.locator("#error").textContent()).toMatch(/may not allow requests from\s+pages/);
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

test("is stopped at once, and works without a network after it was loaded", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await openAnother(page);
  await page.context().setOffline(true);
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
  await page.locator("#step button.main").click();
  await page.locator("#steps .code [aria-current]").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate(SIDEWAYS)).toBe(false);
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
