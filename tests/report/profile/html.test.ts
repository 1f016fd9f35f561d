// The flamegraph page: it may run only its own script, it contains the complete profile, and a name
// from the chain is never markup.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { renderHtml } from "../../../src/report/profile/html.ts";
import { framesOf, HOSTILE_NAMES, largeProfile, profileFrom, ROUTER, SMALL } from "./profiles.ts";

const HOSTILE = {
  ...profileFrom(
    HOSTILE_NAMES.map((name) => ({
      frames: framesOf("invoke_contract", `${ROUTER}:${name}`, name, "MemCpy"),
      cpu: "11",
      memory: "5",
    })),
  ),
  headline: "Contract call </p><script>alert(1)</script> failed.",
};

/** Text of each element as the HTML parser ends it. */
function elements(page: string, name: "script" | "style"): { attributes: string; text: string }[] {
  const found = page.matchAll(new RegExp(`<${name}([^>]*)>([\\s\\S]*?)</${name}`, "gi"));
  return [...found].map(([, attributes = "", text = ""]) => ({ attributes, text }));
}

function dataOf(page: string): { names: string[]; rows: number[][] } {
  return JSON.parse(elements(page, "script")[0]?.text ?? "");
}

describe("the flamegraph page", () => {
  for (const [name, profile] of [
    ["small", profileFrom(SMALL)],
    ["large", largeProfile(10_000)],
    ["hostile", HOSTILE],
  ] as const)
    test(`${name}: data, one script and one style in the policy, nothing else`, () => {
      const page = renderHtml(profile);
      const scripts = elements(page, "script");
      const styles = elements(page, "style");
      expect(scripts.map(({ attributes }) => attributes)).toEqual([
        ' type="application/json" id="profile"',
        "",
      ]);
      const hashOf = (text = "") => createHash("sha256").update(text).digest("base64");
      const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
      expect(policy?.split("; ")).toEqual([
        "default-src 'none'",
        `script-src 'sha256-${hashOf(scripts[1]?.text)}'`,
        `style-src 'sha256-${hashOf(styles[0]?.text)}'`,
        "base-uri 'none'",
        "form-action 'none'",
      ]);
      expect(styles.length).toBe(1);
      const markup = page.replace(/(<(script|style)[^>]*>)[\s\S]*?(?=<\/\2>)/g, "$1");
      expect(markup).not.toMatch(/<[^>]* (?:src|href|style|on\w+)\s*=/i);
      expect(page).not.toMatch(/https?:|@import|url\(/i);
    });

  test("the root is the metered total, and all frames are in the data", () => {
    const profile = largeProfile(10_000);
    const { names, rows } = dataOf(renderHtml(profile));
    expect(rows[0]).toEqual([-1, 0, 0, profile.cpuInstructions, profile.memoryBytes]);
    expect(names[0]).toBe("all");
    expect(rows.length).toBeGreaterThan(10_000);
  });

  test("hostile names are data without a `<`, and neutral", () => {
    const page = renderHtml(HOSTILE);
    expect(elements(page, "script")[0]?.text).not.toContain("<");
    const { names } = dataOf(page);
    expect(names).toContain("</script><script>alert(1)</script>");
    expect(names).toContain("\\u{202e}gnp.exe");
    expect(names).toContain("two\\u{a}lines 5");
    expect(names).toContain("(no name)");
    expect(page).not.toContain("<script>alert(1)");
    expect(page).toContain("&#60;script&#62;alert(1)");
    expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  });
});
