// The page that runs svc in itself: what its policy allows, and that nothing of a transaction gets
// more rights in it than in any other page. That it replays is tried in tests/browser.

import { expect, test } from "bun:test";
import { renderBrowserPage } from "../../../src/browser/page.ts";
import type { StatedOverride } from "../../../src/model/overrides.ts";
import {
  partsOfPage,
  type ReplayableParts,
  renderReplayable,
} from "../../../src/report/html/replayable.ts";
import { whatIfForm } from "../../../src/report/html/what-if.ts";
import { sourceHash } from "../../../src/report/profile/html.ts";
import { findingsOf, found } from "../findings-of.ts";
import { investigate } from "../investigations.ts";
import { capsuleOf, contentsOf, elementsOf } from "./pages.ts";

const PARTS: ReplayableParts = { core: "Y29yZQ==", module: "bW9kdWxl", version: "1.2.3" };
const MORE = { recordingModule: "cmVjb3JkZXI=", example: "{}" };
const HOSTILE = `</script><script>window.owned = 1</script><img src=x onerror="window.owned = 1">`;

function pageWith(headline?: string): string {
  const investigation = investigate("try-call-catches-callee-failure");
  const { explanation } = investigation;
  const finding = found({
    ...investigation,
    explanation: { ...explanation, headline: headline ?? explanation.headline },
  });
  return renderReplayable(findingsOf([finding], true), { capsuleOf }, PARTS);
}

function policyOf(page: string): string {
  return /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
}

test("it has its capsule, svc, and the fields of a what-if, and may connect to no host", () => {
  const page = pageWith();
  expect(partsOfPage(page)).toEqual(PARTS);
  const ids = elementsOf(page).flatMap(({ attributes }) =>
    attributes.flatMap(([name, value]) => (name === "id" ? [value] : [])),
  );
  expect(ids).toContain("capsule");
  for (const id of ["try", "step", "read", "variant", "steps", "stop"])
    expect(ids.filter((each) => each === id)).toEqual([id]);
  expect(new Set(ids).size).toBe(ids.length);
  const policy = policyOf(page);
  expect(policy).toStartWith("default-src 'none'; script-src 'sha256-");
  expect(policy).toContain("worker-src blob:");
  expect(policy).not.toMatch(/connect-src|unsafe-inline|'unsafe-eval'|https?:/);
  expect(page).toContain("proves nothing about who sent it");
});

test("the change that the report proposes is filled in, as text", () => {
  const investigation = investigate("try-call-catches-callee-failure");
  const { invocation } = investigation.explanation;
  const name = invocation?.argumentNames?.[0] ?? "0";
  const valuesWith = (override: StatedOverride, open: { readonly isOpen?: true } = {}) => {
    const next = [{ kind: "what-if-argument", override, purpose: "", ...open }] as const;
    return elementsOf(`${whatIfForm({ ...investigation, next })}`)
      .map(({ attributes }) => new Map(attributes))
      .filter((attributes) => attributes.get("data-argument") === name)
      .map((attributes) => attributes.get("value"));
  };
  expect(valuesWith({ kind: "argument", name, value: "7" })).toEqual(["7"]);
  expect(valuesWith({ kind: "argument", name, value: "true" })).toEqual(["true"]);
  const placeholder = { kind: "argument", name, value: "VALUE" } as const;
  expect(valuesWith(placeholder, { isOpen: true })).toEqual([undefined]);
  expect(valuesWith({ kind: "argument", name: `${name}2`, value: "7" })).toEqual([undefined]);
  const [hostile = ""] = valuesWith({ kind: "argument-value", name, json: `"${HOSTILE}"` });
  expect(hostile).toContain("window.owned");
  expect(hostile).not.toMatch(/[<>"]/);
});

test("every script that runs is allowed by its hash, and a hostile transaction adds none", () => {
  for (const page of [pageWith(), pageWith(HOSTILE)]) {
    const policy = policyOf(page);
    const scripts = contentsOf(page, "script");
    const elements = elementsOf(page).filter(({ name }) => name === "script");
    expect(scripts.length).toBe(elements.length);
    for (const [index, { attributes }] of elements.entries()) {
      const isData = attributes.some(([name]) => name === "type");
      if (!isData) expect(policy).toContain(sourceHash(scripts[index] ?? ""));
    }
    expect(elementsOf(page).filter(({ name }) => name === "img")).toEqual([]);
    for (const { attributes } of elementsOf(page))
      expect(attributes.filter(([name]) => name.startsWith("on") || name === "src")).toEqual([]);
  }
});

test("svc.html has the same parts, and may ask nodes", () => {
  const page = renderBrowserPage({ ...PARTS, ...MORE });
  expect(partsOfPage(page)).toEqual(PARTS);
  expect(policyOf(page)).toContain("connect-src https: http:");
  expect(() => partsOfPage("<!doctype html>")).toThrow("incomplete");
});
