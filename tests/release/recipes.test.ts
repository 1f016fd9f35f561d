// GitHub and GitLab accept the recipes of docs/ci.md, which use the archive of this version.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import packageFile from "../../package.json";
import { needs } from "../support/needs.ts";
import { findTool, runTool } from "../support/tools.ts";

const JSON_SCHEMA = findTool("check-jsonschema") ?? "";
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-recipes-"));
const PAGE = readFileSync(resolve(import.meta.dir, "../../docs/ci.md"), "utf8");
const BLOCKS = [...PAGE.matchAll(/(?:^ {4}.*\n|^\n)+/gm)].map(([block]) =>
  block.replace(/^ {4}/gm, "").trim(),
);

// Each test starts a third-party program.
setDefaultTimeout(60_000);

afterAll(() => rmSync(SCRATCH, { recursive: true }));

const schemaChecker = needs("check-jsonschema", JSON_SCHEMA !== "");

schemaChecker.test.each([
  ["name: transactions", "vendor.github-workflows"],
  ["debug-transactions:", "vendor.gitlab-ci"],
])("the recipe that begins with %s", (beginning, schema) => {
  const recipe = BLOCKS.find((block) => block.startsWith(beginning)) ?? "";
  expect(recipe).toContain("sha256sum --check");
  const path = join(SCRATCH, `${schema}.yml`);
  writeFileSync(path, `${recipe}\n`);
  const run = runTool([JSON_SCHEMA, "--builtin-schema", schema, path]);
  expect(run).toMatchObject({ exitCode: 0 });
});

test("the recipes name this version", () => {
  expect(PAGE).toContain(`/svc-${packageFile.version}-linux-x64.tar.gz"`);
  expect(PAGE).toContain(`SVC_VERSION: "${packageFile.version}"`);
});
