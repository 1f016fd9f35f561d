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
const ACTION = resolve(import.meta.dir, "../../release/github-action/action.yml");
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
  expect(recipe).toMatch(/sha256sum --check|sha256: /);
  const path = join(SCRATCH, `${schema}.yml`);
  writeFileSync(path, `${recipe}\n`);
  const run = runTool([JSON_SCHEMA, "--builtin-schema", schema, path]);
  expect(run).toMatchObject({ exitCode: 0 });
});

schemaChecker.test("the action", () => {
  const command = [JSON_SCHEMA, "--builtin-schema", "vendor.github-actions", ACTION];
  expect(runTool(command)).toMatchObject({ exitCode: 0 });
});

test("the workflow and the table use inputs and outputs that the action has", () => {
  const action = Bun.YAML.parse(readFileSync(ACTION, "utf8")) as {
    readonly inputs: object;
    readonly outputs: object;
  };
  const recipe = BLOCKS.find((block) => block.startsWith("name: transactions")) ?? "";
  const { jobs } = Bun.YAML.parse(recipe) as { jobs: { debug: { steps: { with?: object }[] } } };
  const given = Object.keys(jobs.debug.steps[1]?.with ?? {});
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(given));
  for (const [, name = ""] of recipe.matchAll(/steps\.svc\.outputs\.([\w-]+)/g))
    expect(Object.keys(action.outputs)).toContain(name);
  const [, table = ""] = /^\| input \|.*\n((?:\|.*\n)+)/m.exec(PAGE) ?? [];
  const rows = table
    .split("\n")
    .slice(1)
    .map((row) => row.split("|")[1] ?? "");
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(action.inputs).sort());
});

test("the recipes name this version", () => {
  expect(PAGE).toContain(`\`svc-${packageFile.version}-linux-x64.tar.gz\``);
  expect(PAGE).toContain(`SVC_VERSION: "${packageFile.version}"`);
});
