// The page of a report: it may run only its own script and make no request, text from the chain is
// never markup, and it contains the report and the capsule.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { neutralise } from "../../../src/base/text/neutralise.ts";
import { renderPage } from "../../../src/report/html/page.ts";
import { debugReport } from "../../../src/report/json.ts";
import { findingsOf, found, hostileText, notFound, overridden, poisoned } from "../findings-of.ts";
import { investigate, investigateClassic } from "../investigations.ts";
import { capsuleOf, contentsOf, dataOf, elementsOf, pageOf, withCalls } from "./pages.ts";

const FAILED = investigate("contract-error");
const SUCCEEDED = investigate("sac-transfer");
const WHAT_IF = overridden(investigate("sac-transfer"), investigate("write-bytes-exceeded"));
const CLASSIC = investigateClassic("payment-underfunded");
const ALL = [FAILED, SUCCEEDED, WHAT_IF, CLASSIC, investigate("fee-bump-failing")];
/** Code of the page and of the flamegraph's viewer, without any transaction. */
const MOST_CODE = 150_000;

const ATTRIBUTES = new Set(
  (
    "lang charset http-equiv content name id class type hidden tabindex role scope href title open " +
    "autocomplete spellcheck placeholder viewbox preserveaspectratio x width height rx " +
    "aria-hidden aria-label data-copy data-save data-file data-fold data-tree data-profile " +
    "data-head data-address"
  ).split(" "),
);

function expectHarmless(page: string): void {
  for (const { name, attributes } of elementsOf(page)) {
    const strange = attributes.filter(([attribute]) => !ATTRIBUTES.has(attribute.toLowerCase()));
    expect([name, strange]).toEqual([name, []]);
    for (const [attribute, value] of attributes)
      if (attribute === "href") expect(value).toMatch(/^#[a-z0-9-]+$/);
    expect(["iframe", "img", "link", "form", "object", "embed", "base"]).not.toContain(name);
  }
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  const own = contentsOf(page, "script").filter((text) => text.startsWith("\n"));
  expect(own.length).toBe(1);
  expect(policy).toStartWith(`default-src 'none'; script-src ${hashOf(own[0])} 'sha256-`);
  expect(policy).toContain(`style-src ${hashOf(contentsOf(page, "style")[0])} 'sha256-`);
  expect(policy).toEndWith("; base-uri 'none'; form-action 'none'");
  const data = contentsOf(page, "script").filter((text) => !text.startsWith("\n"));
  for (const text of data) JSON.parse(text);
  const markup = page.replace(/(<(?:script|style)[^>]*>)[\s\S]*?(?=<\/(?:script|style)>)/g, "$1");
  const shown = markup.replaceAll("\n", " ");
  expect(neutralise(shown)).toBe(shown);
}

function hashOf(text = ""): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

test("where the replay diverged, both values are beside each other", () => {
  const diverged = investigate("sac-transfer", (walk) => ({
    ...walk,
    execution: { ...walk.execution, changes: walk.execution.changes.slice(1) },
  }));
  const page = pageOf(diverged);
  const beside = /class="difference">[\s\S]*?<div class="beside">([\s\S]*?)<\/section>/.exec(page);
  const [sides = "", after = ""] = (beside?.[1] ?? "").split("likely cause");
  expect([...sides.matchAll(/<p class="soft">([^<]*)/g)].map(([, label]) => label)).toEqual([
    "on chain",
    "in the replay",
  ]);
  expect(after).not.toBe("");
  // Every comparison that differs, too.
  const different = diverged.verdict?.comparisons.filter(({ result }) => result === "different");
  const cards = page.split('<div class="card">').filter((card) => card.includes('bad">different'));
  expect(cards.length).toBe(different?.length ?? 0);
  for (const card of cards) expect(card).toMatch(/class="beside">[\s\S]*in the replay<\/p>/);
});

describe("a page", () => {
  for (const investigation of ALL)
    test(`${investigation.explanation.headline} has the report and the capsule in it`, () => {
      const page = pageOf(investigation);
      expectHarmless(page);
      expect(dataOf(page, "report")).toEqual(
        JSON.parse(JSON.stringify(debugReport(investigation))),
      );
      expect(dataOf(page, "capsule")).toEqual(JSON.parse(capsuleOf(investigation)));
    });

  test("whatever the chain says, its text is text", () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(...ALL), (text, investigation) => {
        const list = [found(poisoned(investigation, text)), notFound(text, text)];
        expectHarmless(renderPage(findingsOf(list), { capsuleOf: () => JSON.stringify({ text }) }));
      }),
      { numRuns: 60 },
    );
  });

  test("of several transactions has a list first, and no id twice", () => {
    const page = renderPage(findingsOf([...ALL.map((each) => found(each)), notFound("ab")]), {
      capsuleOf,
    });
    expectHarmless(page);
    const ids = elementsOf(page).flatMap(({ attributes }) =>
      attributes.filter(([name]) => name === "id").map(([, value]) => value),
    );
    expect(ids).toEqual([...new Set(ids)]);
    const links = elementsOf(page).flatMap(({ attributes }) =>
      attributes.filter(([name]) => name === "href").map(([, value]) => value.slice(1)),
    );
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
    expect(page).toContain("<h1>6 transactions: ");
    expect(page).toContain("Not investigated: TRANSACTION_NOT_FOUND");
  });

  test("has little code beside its data", () => {
    const page = renderPage(findingsOf([]));
    expect(page.length).toBeLessThan(MOST_CODE);
  });

  test("says first what happened, why, and what to do", () => {
    const page = pageOf(investigate("write-bytes-exceeded"));
    const order = ["<h1>", 'class="cause"', 'class="verdict"', 'class="report"', 'id="calls"'];
    const places = order.map((text) => page.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  test("has all calls, those of the host too, up to a limit that it states", () => {
    const page = pageOf(withCalls(5000));
    expect(page.match(/<b>call_\d+<\/b>/g)?.length).toBe(5000);
    expect(page).toContain("persistent Balance: ");
    expect(pageOf(withCalls(12_000))).toMatch(/In the JSON report: .* more calls/);
  });

  test("draws a stack of fees only when its parts are the whole", () => {
    expect(pageOf(SUCCEEDED)).toContain('class="stack"');
    const { explanation } = SUCCEEDED;
    const fees = { ...explanation.fees, inclusionFeeStroops: "99999999" };
    const wrong = { ...SUCCEEDED, explanation: { ...explanation, fees } };
    expect(pageOf(wrong)).not.toMatch(/Charged: <strong>/);
    const replayOnly = ["fees.nonRefundableStroops"] as const;
    const replayed = { ...SUCCEEDED, explanation: { ...explanation, replayOnly } };
    expect(pageOf(replayed)).not.toContain('class="stack"');
    expect(pageOf(replayed)).toContain("Non-refundable (in the replay)");
  });
});
