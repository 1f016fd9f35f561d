// The page in real Chromium, from `file:`: no request, no violation that axe-core finds, in light
// and dark, narrow and wide; with the keyboard alone; without scripts; on paper.

import { afterAll, expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { svc } from "../../cli/run-svc.ts";
import { violationsOf } from "../../support/axe.ts";
import { HAS_CHROMIUM, openPage } from "../../support/chromium.ts";
import { needs } from "../../support/needs.ts";
import { poisoned } from "../findings-of.ts";
import { investigate } from "../investigations.ts";
import { capsuleOf, pageOf, withCalls } from "./pages.ts";

const DIRECTORY = mkdtempSync(join(tmpdir(), "svc-page-"));
const EXAMPLE = resolve(import.meta.dir, "../../../examples/overflow-in-callee.capsule.json");
const WRITES = resolve(import.meta.dir, "../../../examples/write-bytes-too-low.capsule.json");
const HOSTILE = '"><script>window.owned = 1</script><img src=x onerror="window.owned = 1">\u202e`';

afterAll(() => rmSync(DIRECTORY, { recursive: true, force: true }));

function fileOf(name: string, page: string): string {
  const path = join(DIRECTORY, `${name}.html`);
  writeFileSync(path, page);
  return `file://${path}`;
}

async function pageOfCapsule(capsule: string): Promise<string> {
  return (await svc(["debug", "--from", capsule, "--format", "html"])).stdout;
}

type Look = readonly ["light" | "dark", number];
const NARROW = 400;
const WIDE = 1400;
const LOOKS: Readonly<Record<string, readonly Look[]>> = {
  trap: [
    ["light", NARROW],
    ["dark", WIDE],
  ],
  "write bytes": [
    ["light", WIDE],
    ["dark", NARROW],
  ],
  transfer: [["light", WIDE]],
  archived: [["dark", NARROW]],
  list: [["dark", WIDE]],
  hostile: [["light", NARROW]],
};
const OPEN_SECTIONS =
  "document.querySelectorAll('.folded > details').forEach((fold) => { fold.open = true; })";

const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  trap: () => pageOfCapsule(EXAMPLE),
  "write bytes": () => pageOfCapsule(WRITES),
  transfer: async () => pageOf(investigate("sac-transfer")),
  archived: async () => pageOf(investigate("entry-archived")),
  list: async () => pageOf(investigate("contract-error"), investigate("sac-transfer")),
  hostile: async () => pageOf(poisoned(investigate("contract-error"), HOSTILE)),
};

const chromium = needs("chromium", HAS_CHROMIUM);

for (const [name, make] of Object.entries(PAGES))
  chromium.test(`${name}: accessible, no request, nothing wider than it`, async () => {
    const url = fileOf(name, await make());
    for (const [colorScheme, width] of LOOKS[name] ?? []) {
      await using opened = await openPage({ colorScheme, viewport: { width, height: 900 } });
      const { page, noise } = opened;
      await page.goto(url);
      await page.evaluate(OPEN_SECTIONS);
      expect([colorScheme, width, await violationsOf(page)]).toEqual([colorScheme, width, []]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await page.evaluate("'owned' in window")).toBe(false);
      expect(noise).toEqual([]);
    }
  });

chromium.test("the flamegraph is drawn in a frame, in the page's theme", async () => {
  const url = fileOf("flamegraph", await pageOfCapsule(EXAMPLE));
  await using opened = await openPage({ colorScheme: "dark" });
  const { page, noise } = opened;
  await page.goto(url);
  await page.locator("#flamegraph").scrollIntoViewIfNeeded();
  const frame = page.frameLocator("#flamegraph iframe");
  await frame.locator("#status").getByText("585,170 instructions").waitFor();
  expect(await frame.locator("html").getAttribute("data-theme")).toBe("dark");
  await page.locator("#theme").click();
  await page.locator("#flamegraph iframe").waitFor();
  await frame.locator('html[data-theme="light"] #status').waitFor();
  const inner = page.frames().find((each) => each.url() === "about:srcdoc");
  expect(inner && (await violationsOf(inner))).toEqual([]);
  expect(noise.filter((line) => !line.startsWith("request: about:"))).toEqual([]);
});

chromium.test("the keyboard alone searches, folds and moves", async () => {
  await using opened = await openPage();
  const { page, noise } = opened;
  await page.goto(fileOf("keys", pageOf(withCalls(5000))));
  await page.locator(".tools input").focus();
  await page.keyboard.type("call_4321");
  const output = page.locator(".tools output");
  expect(await output.textContent()).toMatch(/^1 of \d+ rows$/);
  expect(await page.locator(".tree .found").count()).toBe(1);
  await page.keyboard.press("Enter");
  expect(await output.textContent()).toBe("1 of 1 matches");
  const found = page.locator(".tree .current .own").first();
  expect(await found.isVisible()).toBe(true);
  expect(await found.textContent()).toContain("call_4321");
  await page.keyboard.press("Escape");
  expect(await output.textContent()).toBe("");
  await page.locator(".tree summary").first().focus();
  const focused = () => page.evaluate("document.activeElement.textContent.slice(0, 60)");
  const first = await focused();
  await page.keyboard.press("ArrowDown");
  expect(await focused()).not.toBe(first);
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe(first);
  const root = page.locator(".tree details").first();
  await page.keyboard.press("ArrowLeft");
  expect(await root.getAttribute("open")).toBeNull();
  await page.keyboard.press("ArrowRight");
  expect(await root.getAttribute("open")).toBe("");
  // Expanding lays out only the rows on the screen.
  await page.locator("[data-fold=open]").press("Enter");
  const laidOut = await page.evaluate<number>(
    `[...document.querySelectorAll(".tree .own")].filter((own) =>
      own.checkVisibility({ contentVisibilityAuto: true })).length`,
  );
  expect(laidOut).toBeGreaterThan(5);
  expect(laidOut).toBeLessThan(500);
  expect(noise).toEqual([]);
});

chromium.test("the buttons copy, and save the capsule and the report", async () => {
  const investigation = investigate("contract-error");
  await using opened = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = opened;
  await page.goto(fileOf("files", pageOf(investigation)));
  await page.locator("[data-copy=hash]").click();
  await page.locator("[data-copy=hash]").getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(investigation.record.hash);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the capsule" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe(`${investigation.record.hash}.capsule.json`);
  expect(JSON.parse(readFileSync(await saved.path(), "utf8"))).toEqual(
    JSON.parse(capsuleOf(investigation)),
  );
});

chromium.test("without scripts and on paper, all calls are there to read", async () => {
  const url = fileOf("plain", pageOf(withCalls(200)));
  await using opened = await openPage({ javaScriptEnabled: false });
  await opened.page.goto(url);
  expect(await opened.page.locator("button:visible").count()).toBe(0);
  expect(await opened.page.locator(".needs-script:visible").count()).toBe(0);
  await opened.page.locator(".tree details").nth(3).locator("> summary").click();
  await using printed = await openPage();
  await printed.page.goto(url);
  await printed.page.emulateMedia({ media: "print" });
  const shown = await printed.page.evaluate(
    `[...document.querySelectorAll(".tree .call")].filter(
      (call) => call.getBoundingClientRect().height > 0).length`,
  );
  expect(shown).toBe(200);
  expect((await printed.page.pdf()).length).toBeGreaterThan(10_000);
});

chromium.test("on paper full addresses stay within the page, beside whole words", async () => {
  await using opened = await openPage({ viewport: { width: 718, height: 1000 } });
  await opened.page.goto(fileOf("flow", pageOf(investigate("sac-transfer"))));
  await opened.page.emulateMedia({ media: "print" });
  expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(718);
  const addresses = await opened.page.evaluate(
    `[...document.querySelectorAll(".tokens .address")].map(
      (short) => getComputedStyle(short, "::after").content.length)`,
  );
  expect(addresses).toEqual([58, 58, 58]);
  const words = await opened.page.evaluate(
    `[...document.querySelectorAll(".tokens tbody th")].map((word) => {
      const range = document.createRange();
      range.selectNodeContents(word);
      return range.getClientRects().length;
    })`,
  );
  expect(words).toEqual([1]);
});

chromium.test("on paper all sections are open, and addresses are in full", async () => {
  const url = fileOf("paper", await pageOfCapsule(EXAMPLE));
  await using opened = await openPage();
  await opened.page.goto(url);
  await opened.page.emulateMedia({ media: "print" });
  const closed = await opened.page.evaluate(
    `[...document.querySelectorAll(".sections details > :not(summary)")].filter(
      (part) => part.getBoundingClientRect().height === 0).length`,
  );
  expect(closed).toBe(0);
  const addresses = await opened.page.evaluate(
    `[...document.querySelectorAll(".address")].map(
      (short) => getComputedStyle(short, "::after").content)`,
  );
  const full = investigatedAddresses(await pageOfCapsule(EXAMPLE));
  expect(full.length).toBeGreaterThan(0);
  for (const content of addresses as string[]) expect(full).toContain(JSON.parse(content));
  // The width of A4 without its margins.
  await opened.page.setViewportSize({ width: 718, height: 1000 });
  const cut = await opened.page.evaluate(
    `[...document.querySelectorAll("table, .drawn")].filter(
      (part) => part.getBoundingClientRect().right > innerWidth).length`,
  );
  expect(cut).toBe(0);
  await opened.page.locator(".drawn text").getByText("CBBU…PT2J:add_with 540,794").waitFor();
  // The names of the drawn frames are cut, but not their number: what is left out is the rest.
  const leftOut = await opened.page.locator(".drawn p").textContent();
  expect(leftOut).toMatch(
    /^Not drawn: frames with less than 0\.3 % of the instructions each, \d+\.\d % of them together\.$/,
  );
});

chromium.test(
  "the keyboard skips to the content; the contents say what is being read",
  async () => {
    const url = fileOf("sections", await pageOfCapsule(EXAMPLE));
    await using opened = await openPage({ viewport: { width: WIDE, height: 700 } });
    const { page } = opened;
    await page.goto(url);
    const current = () => page.locator("nav [aria-current]").allTextContents();
    expect(await current()).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    for (const name of ["Resources", "Fees", "Files"]) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page.locator("nav [aria-current]").getByText(name, { exact: true }).waitFor();
      expect(await current()).toEqual([name]);
    }
    // A table is a stop of the keyboard where it scrolls.
    const table = page.locator("#resources .wide");
    await table.and(page.locator("[tabindex='-1']")).waitFor();
    await page.evaluate(`document.querySelector("#resources table").style.width = "2000px"`);
    await page.setViewportSize({ width: 1000, height: 700 });
    await table.and(page.locator("[tabindex='0']")).waitFor();
  },
);

chromium.test("a cost is in one line at any width", async () => {
  const url = fileOf("costs", pageOf(withCalls(40)));
  for (const width of [320, NARROW, WIDE]) {
    await using opened = await openPage({ viewport: { width, height: 900 } });
    await opened.page.goto(url);
    await opened.page.evaluate(
      "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })",
    );
    const lines = await opened.page.evaluate(
      `[...document.querySelectorAll(".host .line > .soft")].map((cost) => {
        const text = document.createRange();
        text.selectNodeContents(cost);
        return text.getClientRects().length;
      })`,
    );
    expect([width, new Set(lines as number[])]).toEqual([width, new Set([1])]);
    expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
});

function investigatedAddresses(page: string): string[] {
  return [...new Set(page.match(/\b[GC][A-Z2-7]{55}\b/g) ?? [])];
}
