// The words of `svc rehearse`: which of them are builds, capsules, ledger files, hashes and ranges.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { readTraffic } from "../../src/rehearsal/traffic-words.ts";

const ROOT = join(import.meta.dir, "../..");
const CONTRACT = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";

test("a demo is a capsule, as a file is", () => {
  const file = "examples/overflow-in-callee.capsule.json";
  const words = [`${CONTRACT}=new.wasm`, "demo:overflow-in-callee", file, "100-200"];
  expect(readTraffic(words, ROOT, false)).toEqual({
    builds: [{ contract: CONTRACT, file: "new.wasm" }],
    hashes: [],
    capsules: ["demo:overflow-in-callee", file],
    ledgerFiles: [],
    skipped: [],
    range: { first: 100, last: 200 },
  });
});

test("a pipe or a device is named, and is not taken for a hash", () => {
  const words = [`${CONTRACT}=new.wasm`, "/dev/null"];
  expect(() => readTraffic(words, ROOT, false)).toThrow("/dev/null is not a regular file.");
});
