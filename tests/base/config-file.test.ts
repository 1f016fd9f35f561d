// The settings file: found or given, and refused when it is invalid.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSmallFile, whyUnreadable } from "../../src/base/files/read-file.ts";
import { readConfigFile } from "../../src/base/settings/config-file.ts";
import { thrownBy } from "../support/failure.ts";

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
  expect(thrownBy(() => read("missing.json")).code).toEqual("FILE_UNREADABLE");
});

test("svc.json in the working directory is read, but may not name a program to run", () => {
  write("svc.json", { network: "mainnet" });
  expect(read()?.settings).toEqual({ network: "mainnet" });
  write("svc.json", { simPath: "./evil" });
  expect(thrownBy(() => read()).code).toBe("CONFIG_INVALID");
  expect(read("svc.json")?.settings).toEqual({ simPath: "./evil" });
});

test("a file that is not a JSON object, or has an unknown setting, is refused", () => {
  for (const text of ["{", "[]", "null", '"network"', '{"netwrok":"testnet"}']) {
    writeFileSync(join(directory, "bad.json"), text);
    expect(thrownBy(() => read("bad.json")).code).toBe("CONFIG_INVALID");
  }
  write("bad.json", { netwrok: "testnet" });
  expect(thrownBy(() => read("bad.json")).remedy).toBe('Did you mean "network"?');
});

test("a FIFO that nobody writes is empty, and a device without an end too large", () => {
  expect(Bun.spawnSync(["mkfifo", join(directory, "fifo")]).exitCode).toBe(0);
  expect(thrownBy(() => read("fifo")).code).toBe("CONFIG_INVALID");
  const { code, message } = thrownBy(() => read("/dev/zero"));
  expect([code, message.includes("it is larger than 1048576 bytes")]).toEqual([
    "FILE_UNREADABLE",
    true,
  ]);
});

test("a FIFO whose writer does not end is given up", () => {
  const path = join(directory, "endless");
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  const writer = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  writeSync(writer, '{"network":');
  let problem = "";
  try {
    readSmallFile(path, 0);
  } catch (error) {
    problem = whyUnreadable(error);
  }
  closeSync(writer);
  expect(problem).toBe("its writer did not end within 0 seconds");
});

function write(name: string, content: unknown): void {
  writeFileSync(join(directory, name), JSON.stringify(content));
}
