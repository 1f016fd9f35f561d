// Files are written completely, and never outside the directory.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileWhole } from "../../src/base/terminal/output.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-output-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

test("a file is replaced completely, without temporary files", async () => {
  const inside = join(directory, "whole");
  const path = await writeFileWhole(inside, "report.json", "first");
  await writeFileWhole(inside, "report.json", new TextEncoder().encode("second"));
  expect(readFileSync(path, "utf8")).toBe("second");
  expect(readdirSync(inside)).toEqual(["report.json"]);
});

test("a name that leads out of the directory is refused", async () => {
  for (const name of ["../x", "a/b", "/tmp/x", "..", ".", "", "a\\b", "a\0b"]) {
    const written = writeFileWhole(directory, name, "x");
    await expect(written).rejects.toMatchObject({ code: "OUTPUT_UNWRITABLE" });
  }
});

test("a link under the file's name is replaced, not followed", async () => {
  const outside = join(directory, "outside.txt");
  writeFileSync(outside, "untouched");
  const inside = join(directory, "links");
  await writeFileWhole(inside, "other", "");
  symlinkSync(outside, join(inside, "report.txt"));
  await writeFileWhole(inside, "report.txt", "new");
  expect(readFileSync(outside, "utf8")).toBe("untouched");
  expect(readFileSync(join(inside, "report.txt"), "utf8")).toBe("new");
});

test("a directory that cannot be made is an error with a remedy, and leaves nothing", async () => {
  writeFileSync(join(directory, "file"), "");
  const written = writeFileWhole(join(directory, "file", "below"), "x", "x");
  await expect(written).rejects.toMatchObject({ code: "OUTPUT_UNWRITABLE" });
});
