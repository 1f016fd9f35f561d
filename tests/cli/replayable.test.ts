// `svc debug --format html --replayable`: the page has svc in it, which comes from svc.html next to
// svc. That such a page replays is tried in tests/browser.

import { expect, test } from "bun:test";
import { linkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { version } from "../../package.json";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { renderBrowserPage } from "../../src/browser/page.ts";
import { partsOfPage } from "../../src/report/html/replayable.ts";
import { inTemporaryDirectory, svc, svcBinary } from "./run-svc.ts";

const CAPSULE = resolve(import.meta.dir, "../../examples/contract-error.capsule.json");
const PARTS = { core: "Y29yZQ==", module: "bW9kdWxl", version };
const MORE = { recordingModule: "cmVjb3JkZXI=", example: "{}" };
const PAGE = ["--format", "html", "--replayable"];

/** svc in a directory of its own, beside this svc.html. */
function installed(directory: string, page: string | null): string {
  const binary = join(directory, "svc");
  linkSync(svcBinary(), binary);
  linkSync(SIMULATOR_BINARY, join(directory, "svc-sim"));
  if (page !== null) writeFileSync(join(directory, "svc.html"), page);
  return binary;
}

test("the page has its capsule and the parts of svc.html", () =>
  inTemporaryDirectory(async (directory) => {
    const binary = installed(directory, renderBrowserPage({ ...PARTS, ...MORE }));
    const { exitCode, stdout, stderr } = await svc(["debug", "--from", CAPSULE, ...PAGE], {
      binary,
      directory,
    });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(partsOfPage(stdout)).toEqual(PARTS);
    const path = join(directory, "page.html");
    writeFileSync(path, stdout);
    const hashOf = async (from: string) =>
      JSON.parse((await svc(["debug", "--from", from, "--json"], { binary, directory })).stdout)
        .hash;
    expect(await hashOf(path)).toBe(await hashOf(CAPSULE));
  }));

test("a missing or another svc.html is named, and what the flag needs", () =>
  inTemporaryDirectory(async (directory) => {
    const binary = installed(directory, null);
    const page = join(directory, "svc.html");
    const refusal = async (words: readonly string[]) => {
      const { stderr, stdout } = await svc(["debug", "--from", CAPSULE, ...words], { binary });
      expect(stdout).toBe("");
      return stderr;
    };
    expect(await refusal(PAGE)).toMatch(/\[SIMULATOR_NOT_FOUND\]/);
    writeFileSync(page, "<!doctype html>");
    expect(await refusal(PAGE)).toContain("is another page");
    writeFileSync(page, renderBrowserPage({ ...PARTS, ...MORE, version: "9.9.9" }));
    expect(await refusal(PAGE)).toContain("is of version 9.9.9");
    expect(await refusal(["--replayable"])).toContain("--format html");
    const two = ["debug", "a".repeat(64), "b".repeat(64), ...PAGE];
    expect((await svc(two, { binary })).stderr).toContain("one transaction");
  }));
