// Files are written completely, and nothing but a regular file is replaced.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeOutputFile } from "../../src/base/files/write-file.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

const options = { signal: NEVER_ABORTED };
const write = (directory: string, name: string, content: string | Uint8Array) =>
  writeOutputFile(directory, name, content, options);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-output-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

test("a file is replaced completely, without temporary files", async () => {
  const inside = join(directory, "whole");
  const path = await write(inside, "report.json", "first");
  await write(inside, "report.json", new TextEncoder().encode("second"));
  expect(readFileSync(path, "utf8")).toBe("second");
  expect(readdirSync(inside)).toEqual(["report.json"]);
});

test("a name that leads out of the directory is refused", async () => {
  for (const name of ["../x", "a/b", "/tmp/x", "..", ".", "", "a\\b", "a\0b"]) {
    const written = write(directory, name, "x");
    await expect(written).rejects.toMatchObject({ code: "OUTPUT_UNWRITABLE" });
  }
});

test("a link is followed, also to a file that is not there yet", async () => {
  const inside = join(directory, "links");
  await write(inside, "target", "old");
  symlinkSync("target", join(inside, "link"));
  symlinkSync("link", join(inside, "link-to-link"));
  expect(await write(inside, "link-to-link", "new")).toBe(join(inside, "link-to-link"));
  symlinkSync("later", join(inside, "early"));
  await write(inside, "early", "made");
  const contents = ["target", "later"].map((name) => readFileSync(join(inside, name), "utf8"));
  expect(contents).toEqual(["new", "made"]);
  for (const name of ["link", "link-to-link", "early"])
    expect(lstatSync(join(inside, name)).isSymbolicLink()).toBe(true);
  expect(readdirSync(inside).sort()).toEqual(["early", "later", "link", "link-to-link", "target"]);
});

test("links in a circle are refused", async () => {
  const inside = join(directory, "circle");
  await write(inside, "other", "");
  symlinkSync("b", join(inside, "a"));
  symlinkSync("a", join(inside, "b"));
  const written = write(inside, "a", "x");
  await expect(written).rejects.toMatchObject({ message: expect.stringContaining("(ELOOP)") });
});

test("a file that is replaced keeps its mode; a new one gets 0644", async () => {
  const inside = join(directory, "modes");
  const modeOf = (path: string) => statSync(path).mode & 0o7777;
  const path = await write(inside, "capsule", "old");
  expect(modeOf(path)).toBe(0o644 & ~process.umask());
  for (const mode of [0o600, 0o640, 0o666, 0o400]) {
    chmodSync(path, mode);
    await write(inside, "capsule", String(mode));
    expect([modeOf(path), readFileSync(path, "utf8")]).toEqual([mode, String(mode)]);
  }
});

describe("what is not a regular file is written to, and stays what it is", () => {
  test("a FIFO, to the end, although its reader is slow", async () => {
    const inside = join(directory, "fifo");
    mkdirSync(inside);
    const path = join(inside, "pipe");
    makeFifo(path);
    const content = "a capsule\n".repeat(100_000);
    // The FIFO has a reader before the slow one opens it.
    const held = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const written = write(inside, "pipe", content);
    const reader = Bun.spawn(["sh", "-c", '{ head -c 10; cat; } < "$0"', path]);
    expect(await new Response(reader.stdout).text()).toBe(content);
    expect(await written).toBe(path);
    closeSync(held);
    expect(lstatSync(path).isFIFO()).toBe(true);
  });

  test("a FIFO that no process reads is refused at once", async () => {
    makeFifo(join(directory, "unread"));
    await expect(write(directory, "unread", "x")).rejects.toMatchObject({
      code: "OUTPUT_UNWRITABLE",
      message: expect.stringContaining("(ENXIO)"),
      remedy: "Open it for reading before svc writes it.",
    });
    expect(lstatSync(join(directory, "unread")).isFIFO()).toBe(true);
  });

  test("a device", async () => {
    expect(await write("/dev", "null", "x")).toBe("/dev/null");
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
    const full = write("/dev", "full", "x");
    await expect(full).rejects.toMatchObject({ message: "Cannot write /dev/full (ENOSPC)." });
  });

  test("a directory and a socket are refused", async () => {
    const inside = join(directory, "others");
    mkdirSync(join(inside, "folder"), { recursive: true });
    using server = Bun.listen({ unix: join(inside, "socket"), socket: { data() {} } });
    for (const name of ["folder", "socket"])
      await expect(write(inside, name, "x")).rejects.toMatchObject({ code: "OUTPUT_UNWRITABLE" });
    expect(server.unix).toBe(join(inside, "socket"));
    expect(readdirSync(inside).sort()).toEqual(["folder", "socket"]);
  });
});

function makeFifo(path: string): void {
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
}

test("a directory that cannot be made is an error with a remedy, and leaves nothing", async () => {
  writeFileSync(join(directory, "file"), "");
  const written = write(join(directory, "file", "below"), "x", "x");
  await expect(written).rejects.toMatchObject({ code: "OUTPUT_UNWRITABLE" });
});
