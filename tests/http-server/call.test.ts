// POST /v1/call and the form of a contract's page: a call by name on the nodes of the recorded
// network, without sending anything.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { violationsOf } from "../support/axe.ts";
import { HAS_CHROMIUM, openPage } from "../support/chromium.ts";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";

const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
/** No network has this contract. */
const NO_CONTRACT = "CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE";

setDefaultTimeout(60_000);

let loopback: Loopback;
let daemon: TestDaemon;
beforeAll(async () => {
  ensureBuilt();
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
}, 120_000);
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

test("a call is answered as svc call does, by name or in order", async () => {
  for (const values of [{ a: 1, b: 2 }, [1, 2]]) {
    const body = { contract: KITCHEN, function: "add", arguments: values };
    const answer = await daemon.post("/v1/call", body);
    expect(answer.status).toBe(200);
    const report = JSON.parse(await answer.text());
    expect(report.outcome.success).toBe(true);
    expect(report.invocation).toMatchObject({ contract: KITCHEN, function: "add" });
  }
  const failing = { contract: KITCHEN, function: "fail", arguments: [418] };
  const report = JSON.parse(await (await daemon.post("/v1/call", failing)).text());
  expect(report.outcome.success).toBe(false);
  expect(JSON.stringify(report.outcome)).toContain("Teapot");
  expect(loopback.requests).not.toContain("sendTransaction");
});

test("a mistake in the request is named with what would be right", async () => {
  for (const [body, message, remedy] of [
    [{ contract: KITCHEN, function: "addd" }, "has no function addd", "Did you mean `add`?"],
    [{ contract: "GX", function: "add" }, "is not the address of a contract", "begins with C"],
    [{ contract: KITCHEN, function: "" }, "function must not be empty", "Send {"],
    [{ contract: KITCHEN, function: "add", arguments: 5 }, "arguments", "Send {"],
  ] as const) {
    const answer = await daemon.post("/v1/call", body);
    expect(answer.status).toBe(400);
    const { error } = JSON.parse(await answer.text());
    expect(error.message).toContain(message);
    expect(error.remedy).toContain(remedy);
  }
  expect((await daemon.get("/contracts/CXYZ")).status).toBe(400);
});

test("a contract that the network does not have has no functions, and says so", async () => {
  const answer = await daemon.post("/functions", { contract: NO_CONTRACT });
  expect(answer.status).toBe(400);
  const { error } = JSON.parse(await answer.text());
  expect(error.message).toContain(`has no contract ${NO_CONTRACT}`);
});

const chromium = needs("chromium", HAS_CHROMIUM);

chromium.test("the form on a contract's page calls it", async () => {
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`${daemon.url}/contracts/${KITCHEN}`);
  // The page lists the functions by itself. One of them fills the form.
  await page.getByRole("button", { name: "add", exact: true }).click();
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.getByLabel("Function").inputValue()).toBe("add");
  expect(JSON.parse(await page.getByLabel("Arguments").inputValue())).toEqual({
    a: "<u32>",
    b: "<u32>",
  });
  await page.getByRole("button", { name: "Call" }).click();
  await page.locator("#call").getByText("Argument `a` has type u32").waitFor();
  await page.getByLabel("Arguments").fill('{"a": 1, "b": 2');
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByText("The arguments are not JSON.").waitFor();
  await page.getByLabel("Arguments").fill('{"a": 1, "b": 2}');
  await page.getByRole("button", { name: "Call" }).click();
  await page.locator("#call").getByText("succeeded in ledger").waitFor();
});
