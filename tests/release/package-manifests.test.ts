// The manifests for Homebrew, Nix and Scoop: what is in them, and that each has the form that its package
// manager reads. The formula is parsed as Ruby, and calls only what a formula may; the manifest of Scoop has
// only fields of Scoop's schema.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { version } from "../../package.json";
import { archiveNames } from "../../scripts/release/file-names.ts";
import { renderManifests } from "../../scripts/release/package-manifests.ts";
import { sha256 } from "../../scripts/release/provenance.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { secondName } from "../../scripts/release/write-archive.ts";
import { grammarOf } from "../support/grammar.ts";

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-manifests-"));
afterAll(() => rmSync(SCRATCH, { recursive: true }));

const URL = "https://example.org/svc";
const ARCHIVES = new Map(
  TARGETS.map((target) => {
    const { archive } = archiveNames(version, target);
    return [archive, Buffer.from(archive)];
  }),
);
const MANIFESTS = renderManifests(ARCHIVES, URL);
const textOf = (name: string) => MANIFESTS.get(name) ?? "";

test("without an address there are no manifests; archives that were not built are left out", () => {
  expect(renderManifests(ARCHIVES, "").size).toBe(0);
  const few = new Map([...ARCHIVES].filter(([name]) => /linux-x64\.|darwin-arm64/.test(name)));
  const manifests = renderManifests(few, URL);
  expect([...manifests.keys()]).toEqual(["svc.rb", "flake.nix"]);
  const formula = manifests.get("svc.rb") ?? "";
  expect(formula.match(/^ +(on_\w+|url)/gm)?.map((each) => each.trim())).toEqual([
    "on_macos",
    "on_arm",
    "url",
    "on_linux",
    "on_intel",
    "url",
  ]);
});

test("the flake has the archive of every system of Nix, with its hash", () => {
  const found = textOf("flake.nix").matchAll(
    /(\S+) = \{\n +url = ".*\/(.*)";\n +hash = "sha256-(.{43}=)";/g,
  );
  const rows = [...found].map(([, system, archive, hash]) => [system, archive, hash]);
  expect(rows).toEqual(
    [
      ["x86_64-linux", "linux-x64"],
      ["aarch64-linux", "linux-arm64"],
      ["x86_64-darwin", "darwin-x64"],
      ["aarch64-darwin", "darwin-arm64"],
    ].map(([system, target]) => {
      const archive = `svc-${version}-${target}.tar.gz`;
      return [system, archive, Buffer.from(sumOf(archive), "hex").toString("base64")];
    }),
  );
});

const ruby = grammarOf("ruby");

ruby.test("the formula is Ruby", () => {
  const file = join(SCRATCH, "svc.rb");
  writeFileSync(file, textOf("svc.rb"));
  expect(ruby.faultsIn(file)).toEqual([]);
  writeFileSync(file, textOf("svc.rb").replace("  end\n", ""));
  expect(ruby.faultsIn(file)).not.toEqual([]);
});

test("the formula has one archive for each processor of macOS and Linux, and calls nothing unknown", () => {
  const lines = textOf("svc.rb")
    .split("\n")
    .map((line) => line.trim());
  const blocks = lines.filter((line) => /^(on_|url|sha256)/.test(line));
  const archive = (target: string) => `svc-${version}-${target}.tar.gz`;
  const block = (on: string, target: string) => [
    `${on} do`,
    `url "${URL}/${archive(target)}"`,
    `sha256 "${sumOf(archive(target))}"`,
  ];
  expect(blocks).toEqual([
    "on_macos do",
    ...block("on_arm", "darwin-arm64"),
    ...block("on_intel", "darwin-x64"),
    "on_linux do",
    ...block("on_arm", "linux-arm64"),
    ...block("on_intel", "linux-x64"),
  ]);
  const called = lines
    .map((line) => /^[\w.]+/.exec(line)?.[0])
    .filter((word) => word !== undefined);
  expect([...new Set(called)].filter((word) => !OF_FORMULAS.has(word))).toEqual([]);
});

/** Of the methods of a formula (Homebrew's Formula Cookbook) those that this one calls, and Ruby's own words. */
const OF_FORMULAS = new Set([
  ...["class", "def", "end", "desc", "homepage", "version", "license", "on_macos", "on_linux"],
  ...["on_arm", "on_intel", "url", "sha256", "bin.install", "man1.install", "doc.install", "test"],
  ...["bash_completion.install", "zsh_completion.install", "fish_completion.install"],
  "assert_match",
]);

test("the manifest of Scoop has the archive for Windows, and only fields that Scoop knows", () => {
  const manifest = v.parse(ScoopSchema, JSON.parse(textOf("svc-debugger.json")));
  const archive = `svc-${version}-windows-x64.zip`;
  expect(manifest.architecture).toEqual({
    "64bit": {
      url: `${URL}/${archive}`,
      hash: sumOf(archive),
      extract_dir: `svc-${version}-windows-x64`,
    },
  });
  expect(manifest.bin).toEqual(["svc.exe", secondName("zip").path]);
});

/**
 * The fields that this manifest may use, with the rules that Scoop's own schema has for them (schema.json of
 * ScoopInstaller/Scoop), which refuses unknown fields, too.
 */
const ScoopSchema = v.strictObject({
  version: v.pipe(v.string(), v.regex(/^[\w\-.+_]+$/)),
  description: v.string(),
  homepage: v.pipe(v.string(), v.url()),
  license: v.string(),
  architecture: v.strictObject({
    "64bit": v.strictObject({
      url: v.pipe(v.string(), v.url(), v.regex(/^[^$]*$/)),
      hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/i)),
      extract_dir: v.string(),
    }),
  }),
  bin: v.array(v.string()),
});

function sumOf(archive: string): string {
  return sha256(ARCHIVES.get(archive) ?? Buffer.alloc(0));
}
