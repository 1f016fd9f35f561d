// The settings file: found or given, and refused when it is invalid.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SvcError } from "../../src/base/errors/errors.ts";
import { readConfigFile } from "../../src/base/settings/config-file.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-config-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const read = (named?: string) =>
  readConfigFile({
    named,
    workingDirectory: directory,
    known: { network: null, simPath: ["sets a program to run", "use a flag"] },
  });

test("a missing svc.json is not an error; a given file that is missing is", () => {
  expect(read()).toBeNull();
  expect(codeOf(() => read("missing.json"))).toEqual("FILE_UNREADABLE");
});

test("svc.json in the working directory is read, but may not name a program to run", () => {
  write("svc.json", { network: "mainnet" });
  expect(read()?.settings).toEqual({ network: "mainnet" });
  write("svc.json", { simPath: "./evil" });
  expect(codeOf(() => read())).toBe("CONFIG_INVALID");
  expect(read("svc.json")?.settings).toEqual({ simPath: "./evil" });
});

test("a file that is not a JSON object, or has an unknown setting, is refused", () => {
  for (const text of ["{", "[]", "null", '"network"', '{"netwrok":"testnet"}']) {
    writeFileSync(join(directory, "bad.json"), text);
    expect(codeOf(() => read("bad.json"))).toBe("CONFIG_INVALID");
  }
  write("bad.json", { netwrok: "testnet" });
  expect(errorOf(() => read("bad.json")).remedy).toBe('Did you mean "network"?');
});

test("a FIFO that nobody writes is empty, and a device without an end too large", () => {
  expect(Bun.spawnSync(["mkfifo", join(directory, "fifo")]).exitCode).toBe(0);
  expect(codeOf(() => read("fifo"))).toBe("CONFIG_INVALID");
  const { code, message } = errorOf(() => read("/dev/zero"));
  expect([code, message.includes("it is larger than 1048576 bytes")]).toEqual([
    "FILE_UNREADABLE",
    true,
  ]);
});

function write(name: string, content: unknown): void {
  writeFileSync(join(directory, name), JSON.stringify(content));
}

function errorOf(action: () => unknown): SvcError {
  try {
    action();
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function codeOf(action: () => unknown): string {
  return errorOf(action).code;
}
