// The arguments of svc verify: files, directories, patterns, ledgers and ranges.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseVerifyInputs } from "../../src/verification/commands/verify-inputs.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-inputs-"));
  mkdirSync(join(directory, "deep"));
  mkdirSync(join(directory, "other"));
  for (const name of ["b.xdr", "a.xdr", "deep/c.xdr", "100", "deep/index.jsonl", "other/d.bin"])
    writeFileSync(join(directory, name), "");
});
afterAll(() => rmSync(directory, { recursive: true }));

const files = (...names: string[]) => ({
  kind: "files" as const,
  paths: names.map((name) => join(directory, name)),
  skipped: [] as string[],
});

test("a pattern means the files that match it", () => {
  expect(parseVerifyInputs(["*.xdr"], directory)).toEqual(files("a.xdr", "b.xdr"));
  expect(parseVerifyInputs(["**/*.xdr"], directory)).toEqual(files("a.xdr", "b.xdr", "deep/c.xdr"));
});

test("a directory means its ledger files, or all files when none has the name of one", () => {
  const skipped = [join(directory, "deep/index.jsonl")];
  expect(parseVerifyInputs(["deep"], directory)).toEqual({ ...files("deep/c.xdr"), skipped });
  expect(parseVerifyInputs(["other"], directory)).toEqual(files("other/d.bin"));
  expect(parseVerifyInputs(["deep/*"], directory)).toEqual(files("deep/c.xdr", "deep/index.jsonl"));
});

test("a file that is named twice is one input", () => {
  expect(parseVerifyInputs(["a.xdr", "*.xdr", "./a.xdr"], directory)).toEqual(
    files("a.xdr", "b.xdr"),
  );
  const link = join(directory, "other", "a.link");
  symlinkSync(join(directory, "a.xdr"), link);
  expect(parseVerifyInputs(["a.xdr", link], directory)).toEqual(files("a.xdr"));
  rmSync(link);
});

test("an empty name is refused, and is not the current directory", () => {
  for (const words of [[""], ["a.xdr", ""]])
    expect(() => parseVerifyInputs(words, directory)).toThrow(
      "The name of a file or directory is empty.",
    );
});

test("a pattern that matches no file is an error", () => {
  expect(() => parseVerifyInputs(["*.zst"], directory)).toThrow('No file matches "*.zst".');
  expect(parseVerifyInputs(["missing.xdr"], directory)).toEqual(files("missing.xdr"));
});

test("a number is a ledger unless a file has that name", () => {
  expect(parseVerifyInputs(["7"], directory)).toEqual({ kind: "range", first: 7, last: 7 });
  expect(parseVerifyInputs(["7-9"], directory)).toEqual({ kind: "range", first: 7, last: 9 });
  expect(parseVerifyInputs(["100"], directory)).toEqual(files("100"));
  expect(() => parseVerifyInputs(["9-7"], directory)).toThrow("not a range");
});
