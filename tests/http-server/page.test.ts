// The daemon's pages in real Chromium: a hash becomes a page with a permanent address, with a token
// too, and a page of another site cannot make the daemon work.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRecentPages } from "../../src/http-server/page/recent-pages.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { inTemporaryDirectory, svc } from "../cli/run-svc.ts";
import { violationsOf } from "../support/axe.ts";
import { HAS_CHROMIUM, openPage } from "../support/chromium.ts";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";

const TOKEN = "correct-horse-battery-staple";

let loopback: Loopback;
let daemon: TestDaemon;
let hash: string;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
  hash = loopback.network.transactions.find(({ status }) => status === "FAILED")?.hash ?? "";
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const chromium = needs("chromium", HAS_CHROMIUM);

chromium.test("a hash becomes a page, after its progress", async () => {
  await using opened = await openPage({ colorScheme: "dark" });
  const { page, noise } = opened;
  await page.goto(daemon.url);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel("Transaction hash").fill(`  ${hash.toUpperCase()} `);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${daemon.url}/transactions/${hash}`);
  const headline = (await page.locator("h1").textContent()) ?? "";
  expect(headline).toContain("failed in ledger");
  await page.locator("#flamegraph").scrollIntoViewIfNeeded();
  await page.frameLocator("#flamegraph iframe").locator("#status").getByText("all").waitFor();
  await inTemporaryDirectory(async (directory) => {
    const file = join(directory, "page.html");
    writeFileSync(file, await (await daemon.get(`/transactions/${hash}`)).text());
    const report = JSON.parse((await svc(["debug", "--from", file, "--json"])).stdout);
    const answer = JSON.parse(await (await daemon.post("/v1/debug", { hash })).text());
    // What the capsule in the page says is its own word, which a node's answer is not.
    const { unconfirmed: _claims, ...verdict } = report.verdict;
    const { unconfirmed: _nodes, ...answered } = answer.verdict;
    expect(verdict).toEqual(answered);
  });
  await page.getByRole("link", { name: "Recent transactions" }).click();
  await page.locator(".recent").getByText(headline.slice(1)).waitFor();
  const others = noise.filter((line) => !line.startsWith(`request: ${daemon.url}`));
  expect(others.filter((line) => !line.startsWith("request: about:"))).toEqual([]);
});

chromium.test("the address of an explorer is taken, if it is of this network", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(daemon.url);
  const enter = async (text: string) => {
    await page.getByLabel("Transaction hash").fill(text);
    await page.keyboard.press("Enter");
  };
  await enter("https://stellar.expert/explorer/testnet/account/GABC");
  await page.getByRole("alert").getByText("does not contain the hash of a transaction").waitFor();
  await enter(` http://localhost:8000/transactions/${hash.toUpperCase()} `);
  await page.waitForURL(`${daemon.url}/transactions/${hash}`);
  const pasted = { hash: `https://stellar.expert/explorer/public/tx/${hash}` };
  const { passphrase } = NETWORKS.testnet;
  await using other = await openDaemon(loopback, { networkPassphrase: passphrase });
  const refused = JSON.parse(await (await other.post("/transactions", pasted)).text());
  expect(refused.error.message).toContain("on mainnet; this daemon serves testnet");
});

chromium.test("an error is worded for a page, or for the program that sent a request", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(daemon.url);
  await page.getByLabel("Transaction hash").fill("ab12");
  await page.keyboard.press("Enter");
  const alert = page.getByRole("alert");
  await alert.getByText("The hash has 4 characters, not 64. [HASH_INVALID]").waitFor();
  await alert.getByText("Enter all 64 characters of the hash").waitFor();
  const remedyAt = async (path: string) => {
    const answer = await daemon.post(path, { hash: "ab12" });
    return JSON.parse(await answer.text()).error.remedy;
  };
  expect(await remedyAt("/transactions")).toStartWith("Enter all 64 characters");
  expect(await remedyAt("/v1/debug")).toStartWith("Send all 64 characters");
});

chromium.test("an address that is not in memory is debugged by itself", async () => {
  const other = loopback.network.transactions.find(({ status }) => status === "SUCCESS")?.hash;
  await using opened = await openPage();
  await opened.page.goto(`${daemon.url}/transactions/${other}`);
  await opened.page.locator("h1").getByText("succeeded in ledger").waitFor();
  await opened.page.goto(`${daemon.url}/transactions/${"ab".repeat(32)}`);
  await opened.page.getByRole("alert").getByText("[TRANSACTION_NOT_FOUND]").waitFor();
});

chromium.test("the token is asked for once a tab, and is in no address", async () => {
  const environment = { SVC_DAEMON_TOKEN: TOKEN };
  await using guarded = await openDaemon(loopback, { environment });
  await using opened = await openPage();
  const { page } = opened;
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.goto(guarded.url);
  expect(await page.getByLabel("Transaction hash").count()).toBe(0);
  await page.getByLabel("Token").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("The token is wrong.").waitFor();
  await page.getByLabel("Token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.getByLabel("Transaction hash").fill(hash);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${guarded.url}/transactions/${hash}`);
  await page.locator("h1").getByText("failed in ledger").waitFor();
  await page.reload();
  await page.locator("h1").getByText("failed in ledger").waitFor();
  expect(addresses.filter((address) => address.includes(TOKEN))).toEqual([]);
  const tab = await page.context().newPage();
  await tab.goto(`${guarded.url}/transactions/${hash}`);
  await tab.getByLabel("Token").waitFor();
  expect(await tab.content()).not.toContain("failed in ledger");
  for (const path of ["/", `/transactions/${hash}`]) {
    const wrong = { headers: { authorization: "Bearer wrong" } };
    expect((await fetch(`${guarded.url}${path}`, wrong)).status).toBe(401);
    expect(await (await guarded.get(path)).text()).not.toContain("failed in ledger");
  }
  for (const path of ["/transactions", "/simulations", "/what-ifs", "/replayable-pages"])
    expect((await guarded.post(path, { hash })).status).toBe(401);
});

chromium.test("without svc.html, the button that saves a page says so", async () => {
  await daemon.post("/transactions", { hash });
  await using opened = await openPage();
  await opened.page.goto(`${daemon.url}/transactions/${hash}`);
  await opened.page.getByRole("button", { name: "Save a page that replays itself" }).click();
  await opened.page.locator("#saved").getByText("[SIMULATOR_NOT_FOUND]").waitFor();
  expect(await opened.page.locator("#saved").textContent()).not.toContain("/nowhere");
});

chromium.test("a pasted envelope is simulated", async () => {
  const { xdr } = JSON.parse(await (await daemon.post("/v1/debug", { hash })).text());
  await using opened = await openPage();
  await opened.page.goto(daemon.url);
  await opened.page.getByLabel("TransactionEnvelope").fill("AAAA");
  await opened.page.getByRole("button", { name: "Simulate" }).click();
  await opened.page.locator("#simulation").getByText("[FILE_INVALID]").waitFor();
  await opened.page.getByLabel("TransactionEnvelope").fill(xdr.envelope);
  await opened.page.getByRole("button", { name: "Simulate" }).click();
  await opened.page.locator("#simulation .lead").first().waitFor();
});

chromium.test(
  "changes run in the page of a transaction, both outcomes beside each other",
  async () => {
    // `add_with` of 2147483647 and 4: it overflows.
    const overflow = "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e";
    await daemon.post("/transactions", { hash: overflow }).then((answer) => answer.text());
    await using opened = await openPage({ viewport: { width: 1280, height: 900 } });
    const { page } = opened;
    await page.goto(`${daemon.url}/transactions/${overflow}`);
    const outcomes = async () => {
      await page.getByRole("button", { name: "Run with changes" }).click();
      await page.locator("#variant .beside").waitFor();
      return page.locator("#variant .beside .badge").allTextContents();
    };
    await page.getByLabel("argument y").fill("0");
    expect(await outcomes()).toEqual(["failed", "succeeded"]);
    expect(await page.locator("#variant .beside").textContent()).toContain("2147483647");
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
    await page.getByLabel("argument y").fill("many");
    await page.getByRole("button", { name: "Run with changes" }).click();
    await page.locator("#variant").getByText("[OVERRIDE_IMPOSSIBLE]").waitFor();
    await page.getByLabel("argument y").fill("");
    const of = (group: string) => page.getByRole("group", { name: group }).last();
    const field = (group: string, label: string) =>
      of(group).getByLabel(label).and(page.locator("input"));
    const source = "GBBVQL7M2PWJGTIKY45VD32I67RQ77PZYCBWTCUMZTBVFWYRTVNHTKO4";
    await field("Balance", "account").fill(source);
    await field("Balance", "asset").fill(`LAB:${source}`);
    await field("Balance", "balance").fill("5");
    await page.getByRole("button", { name: "Run with changes" }).click();
    // An issuer has no trustline for its own asset: the changes reached the run.
    await page.locator("#variant").getByText("[OVERRIDE_IMPOSSIBLE]").waitFor();
    for (const label of ["account", "asset", "balance"]) await field("Balance", label).fill("");
    await of("Balance").getByRole("button", { name: "Another" }).click();
    expect(await field("Balance", "account").inputValue()).toBe("");
    const contract = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
    await field("Storage", "contract").fill(contract);
    await field("Storage", "key").fill("ledger_key_contract_instance");
    await field("Storage", "remove").check();
    expect(await outcomes()).toEqual(["failed", "failed"]);
    expect(await page.locator("#variant").textContent()).toContain("does not exist");
    const variant = page.locator("#variant");
    const button = page.getByRole("button", { name: "Run with changes" });
    const refused = async (said: string) => {
      await button.click();
      await variant.getByText(said).waitFor();
    };
    const closeTime = page.getByLabel("close time");
    expect(await closeTime.getAttribute("placeholder")).toBe("2026-11-21T02:41:50Z");
    await closeTime.fill("tomorrow");
    await refused("not valid: close time of the ledger: must be a time such as");
    await closeTime.fill("");
    await field("Balance", "account").fill("GABC");
    await refused("not valid: entry 1, account: must be an account's address");
    await page.reload();
    // The change that the report proposes.
    const first = page.getByLabel("argument x");
    expect(await first.inputValue()).toBe("2147483643");
    await first.fill("");
    await refused("Every field is empty.");
    // A run is not asked for twice.
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route("**/what-ifs", (route) => promise.then(() => route.continue()));
    await closeTime.fill("2026-11-21T02:41:51Z");
    await button.click();
    expect(await button.isDisabled()).toBe(true);
    resolve();
    await variant.locator(".beside").waitFor();
    expect(await button.isDisabled()).toBe(false);
    await closeTime.fill("2100-01-01T00:00:00Z");
    await page.getByLabel("argument y").fill("0");
    expect(await outcomes()).toEqual(["failed", "the call succeeded; refused by the network"]);
  },
);

chromium.test("a link from another site waits for a click", async () => {
  const unknown = "cd".repeat(32);
  const other = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(`<a href="${daemon.url}/transactions/${unknown}">link</a>`, {
        headers: { "content-type": "text/html" },
      }),
  });
  await using opened = await openPage();
  await opened.page.goto(`http://localhost:${other.port}`.replace("localhost", "127.0.0.1"));
  await opened.page.evaluate(
    `fetch("${daemon.url}/transactions", { method: "POST", mode: "no-cors", body: "{}" })`,
  );
  await opened.page.getByRole("link").click();
  await opened.page.getByRole("button", { name: "Debug this transaction" }).waitFor();
  expect(await opened.page.locator("#work li").count()).toBe(0);
  await other.stop(true);
});

test("what a browser marks as from another site is refused, whatever it asks for", async () => {
  for (const path of ["/transactions", "/simulations", "/v1/debug", "/v1/simulate", "/rpc"])
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://example.invalid" },
      { origin: "null" },
    ]) {
      const refused = await daemon.post(path, { hash }, headers as Record<string, string>);
      const { error } = (await refused.json()) as { error: { code?: string; message: string } };
      expect([path, refused.status, error.message]).toEqual([
        path,
        400,
        "The request comes from a page of another site.",
      ]);
    }
  const own = await daemon.post("/v1/debug", { hash }, { origin: daemon.url });
  expect(own.status).toBe(200);
});

test("pages cannot be framed, read or cached by others", async () => {
  const { headers } = await daemon.get("/");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; script-src 'sha256-");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect((await daemon.get("/transactions/nothing")).status).toBe(400);
  // What a browser asks for is a page, also where there is no transaction.
  const asked = { headers: { accept: "text/html,*/*;q=0.8" } };
  const page = await fetch(`${daemon.url}/transactions/${"a".repeat(63)}`, asked);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    400,
    "text/html; charset=utf-8",
  ]);
  expect(await page.text()).toContain("The hash has 63 characters, not 64.");
});

test("the newest pages are kept, within both bounds", () => {
  const recent = openRecentPages({ pages: 3, characters: 100 });
  const page = (name: string, size: number) => ({
    hash: name,
    innerHash: `inner ${name}`,
    headline: "",
    success: true,
    verdict: null,
    html: "x".repeat(size),
  });
  for (const name of ["a", "b", "c", "d"]) recent.add(page(name, 10));
  expect(recent.list().map(({ hash: each }) => each)).toEqual(["d", "c", "b"]);
  recent.add(page("b", 10));
  expect(recent.list().map(({ hash: each }) => each)).toEqual(["b", "d", "c"]);
  expect(recent.find("inner d")?.hash).toBe("d");
  recent.add(page("e", 85));
  expect(recent.list().map(({ hash: each }) => each)).toEqual(["e", "b"]);
  recent.add(page("f", 101));
  expect(recent.list()).toEqual([]);
});
