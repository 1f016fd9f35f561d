// What is not a wasm module is refused before anything is asked of a node, with what is wrong.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SvcError } from "../../src/base/errors/errors.ts";
import { checkWasm, wasmSections } from "../../src/base/files/wasm-file.ts";

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

function refusal(bytes: readonly number[]): string {
  try {
    checkWasm(Uint8Array.from(bytes), "build.wasm");
  } catch (error) {
    const { code, message, remedy } = error as SvcError;
    return [code, message, remedy].join(" ");
  }
  return "taken";
}

test("a module is taken; an empty, a foreign and a cut one are not", () => {
  expect(refusal([...HEADER, 1, 1, 0])).toBe("taken");
  expect(refusal([])).toBe(
    "FILE_INVALID build.wasm is not a wasm file: it is empty. " +
      "Pass the .wasm file that the build of the contract wrote.",
  );
  expect(refusal([...Buffer.from("#!/bin/sh\n")])).toContain("does not begin like a wasm module");
  expect(refusal(HEADER)).toContain("it has no sections");
  expect(refusal([...HEADER, 1, 1, 0, 2, 9, 0])).toContain("in the section that begins at byte 11");
  expect(refusal([...HEADER, 1, 0xff])).toContain("in the section that begins at byte 8");
});

test("sections fill the module exactly, whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(11), fc.uint8Array({ maxLength: 100 }))), (written) => {
      const body = written.flatMap(([id, content]) => [id, content.length, ...content]);
      const whole = Uint8Array.from([...HEADER, ...body]);
      const { sections, flaw } = wasmSections(whole);
      expect(flaw).toBeNull();
      expect(sections).toEqual(written.map(([id, content]) => ({ id, content })));
      const [last] = written.slice(-1);
      if (last !== undefined) expect(wasmSections(whole.subarray(0, -1)).flaw).toContain("cut off");
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      wasmSections(Uint8Array.from([...HEADER, ...bytes]));
    }),
  );
});
