// Third-party programs unpack the archives, and the archives contain nothing of this machine.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArchivedFile,
  secondName,
  writeTarGz,
  writeZip,
} from "../../scripts/release/write-archive.ts";
import { needs } from "../support/needs.ts";
import { findTool, runTool } from "../support/tools.ts";

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-archives-"));
const PYTHON = findTool("python3") ?? "";
const NOON = Date.UTC(2026, 0, 2, 12, 30, 40) / 1000;
const FILES: readonly ArchivedFile[] = [
  file("svc-1/svc", Buffer.alloc(70_000, "program "), true),
  file("svc-1/man/svc.1", Buffer.from("text\n"), false),
  file("svc-1/empty", Buffer.alloc(0), false),
  // Exactly one block of tar, which needs no padding.
  file("svc-1/block", Buffer.alloc(512, "b"), false),
];
const LINKED = [...FILES, secondName("tar.gz", "svc-1/")];

afterAll(() => rmSync(SCRATCH, { recursive: true }));

test("tar lists names, sizes, modes, no owner and the one time", () => {
  const path = put("some.tar.gz", writeTarGz(LINKED, NOON));
  const { text } = runTool(["tar", "--utc", "--numeric-owner", "-tvzf", path]);
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => line.replace(/ +/g, " ")),
  ).toEqual([
    "-rw-r--r-- 0/0 512 2026-01-02 12:30 svc-1/block",
    "-rw-r--r-- 0/0 0 2026-01-02 12:30 svc-1/empty",
    "-rw-r--r-- 0/0 5 2026-01-02 12:30 svc-1/man/svc.1",
    "lrwxr-xr-x 0/0 0 2026-01-02 12:30 svc-1/stellar-svc -> svc",
    "-rwxr-xr-x 0/0 70000 2026-01-02 12:30 svc-1/svc",
  ]);
  expect(runTool(["tar", "-xzOf", path, "svc-1/svc"]).text).toBe("program ".repeat(8750));
});

const python = needs("python3", PYTHON !== "");

python.test("a zip is complete, with the same names, modes and time", () => {
  const path = put("some.zip", writeZip(FILES, NOON));
  const script = [
    "import sys, zipfile",
    "archive = zipfile.ZipFile(sys.argv[1])",
    "assert archive.testzip() is None",
    "for one in archive.infolist():",
    "  print(one.filename, one.file_size, oct(one.external_attr >> 16), *one.date_time)",
    "sys.stdout.write(archive.read('svc-1/man/svc.1').decode())",
  ].join("\n");
  expect(runTool([PYTHON, "-c", script, path])).toEqual({
    exitCode: 0,
    text: [
      "svc-1/block 512 0o100644 2026 1 2 12 30 40",
      "svc-1/empty 0 0o100644 2026 1 2 12 30 40",
      "svc-1/man/svc.1 5 0o100644 2026 1 2 12 30 40",
      "svc-1/svc 70000 0o100755 2026 1 2 12 30 40",
      "text\n",
    ].join("\n"),
  });
});

test.each([writeTarGz, writeZip])("the order of the files given does not matter to %p", (write) => {
  expect(write(FILES.toReversed(), NOON).equals(write(FILES, NOON))).toBe(true);
});

test("a name too long for the format is refused", () => {
  const long = file(`svc-1/${"x".repeat(100)}`, Buffer.alloc(0), false);
  expect(() => writeTarGz([long], NOON)).toThrow("too long");
});

function file(path: string, bytes: Buffer, executable: boolean): ArchivedFile {
  return { path, bytes, executable };
}

function put(name: string, bytes: Buffer): string {
  const path = join(SCRATCH, name);
  writeFileSync(path, bytes);
  return path;
}
