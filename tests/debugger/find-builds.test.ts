// A build for stepping is used where its code is that of the contract, and nowhere else.

import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wasmSections } from "../../src/base/files/wasm-file.ts";
import { findBuilds } from "../../src/debugger/travel/find-builds.ts";
import { ownContract } from "../support/other-code.ts";

const OWN = ownContract("panics.wasm");
const WITH_LINES = ownContract("panics-debug.wasm");
const CODES = new Map([["ab".repeat(32), OWN]]);

function workspace(files: Readonly<Record<string, Uint8Array>>): string {
  const directory = mkdtempSync(join(tmpdir(), "svc-builds-"));
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
  return directory;
}

const search = (workingDirectory: string, codes = CODES) =>
  findBuilds({ workingDirectory, directory: "target" }, codes);

test("a build with lines and the same code is found, and named", async () => {
  const built = "target/wasm32v1-none/release/panics.wasm";
  const found = await search(workspace({ [built]: WITH_LINES, "target/own.wasm": OWN }));
  expect(found.wasm.map((bytes) => Buffer.compare(bytes, WITH_LINES))).toEqual([0]);
  expect(found.remarks).toEqual([
    `The lines of wasm abababab… are those of ${built}, which has the same code.`,
  ]);
});

test("a byte of its code that differs makes it another build", async () => {
  const other = new Uint8Array(WITH_LINES);
  const code = wasmSections(other).sections.find(({ id }) => id === 10)?.content;
  if (code === undefined) throw new Error("it has no code");
  code[code.length - 2] = (code[code.length - 2] as number) ^ 1;
  const found = await search(workspace({ "target/release/panics.wasm": other }));
  expect(found).toEqual({
    wasm: [],
    remarks: [
      "No build with debug information in target has the code of wasm abababab… (1 wasm file " +
        "there, 1 with debug information): it is shown as its disassembly.",
    ],
  });
});

test("nothing is said where nothing was built, and nothing read where lines are there", async () => {
  const nothing = { wasm: [], remarks: [] };
  expect(await search(workspace({}))).toEqual(nothing);
  const known = new Map([["ab".repeat(32), WITH_LINES]]);
  expect(await search(workspace({ "target/panics.wasm": WITH_LINES }), known)).toEqual(nothing);
});

test("what cargo keeps for itself is no build", async () => {
  const found = await search(workspace({ "target/release/deps/panics.wasm": WITH_LINES }));
  expect(found.wasm).toEqual([]);
});
