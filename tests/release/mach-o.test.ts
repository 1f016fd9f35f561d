// Ad-hoc signatures of macOS programs, on minimal programs: a header, __TEXT with a section,
// __LINKEDIT, and pages of bytes.

import { expect, test } from "bun:test";
import { checkSignature, signAdHoc } from "../../scripts/release/mach-o.ts";

const PAGE = 4096;
const SEGMENT = 72;
const SECTION = 80;

test("an unsigned program is signed, and the signature is valid", () => {
  const program = machO(3 * PAGE + 100, 2 * PAGE);
  expect(() => checkSignature(program)).toThrow("no code signature");
  const signed = signAdHoc(program, "svc");
  expect(() => checkSignature(signed)).not.toThrow();
  // The program is unchanged, except for the commands and their count.
  const commands = 32 + 2 * SEGMENT + SECTION;
  expect(signed.subarray(commands + 16, program.length)).toEqual(program.subarray(commands + 16));
  expect(signed.readUInt32LE(16)).toBe(program.readUInt32LE(16) + 1);
});

test("the last segment ends where the file ends", () => {
  const signed = signAdHoc(machO(3 * PAGE, 2 * PAGE), "svc");
  const linkEdit = 32 + SEGMENT + SECTION;
  const fileSize = Number(signed.readBigUInt64LE(linkEdit + 48));
  expect(2 * PAGE + fileSize).toBe(signed.length);
  expect(Number(signed.readBigUInt64LE(linkEdit + 32))).toBeGreaterThanOrEqual(fileSize);
});

test("signing again replaces the signature", () => {
  const once = signAdHoc(machO(3 * PAGE, 2 * PAGE), "svc");
  expect(signAdHoc(once, "svc").equals(once)).toBe(true);
  const renamed = signAdHoc(once, "another");
  expect(() => checkSignature(renamed)).not.toThrow();
  expect(renamed.includes("another")).toBe(true);
});

test.each([0, PAGE + 1, 3 * PAGE - 1])("a byte changed at %d after signing is found", (at) => {
  const signed = signAdHoc(machO(3 * PAGE, 2 * PAGE), "svc");
  // The first byte identifies the format; with another one the file is not a program.
  const index = at === 0 ? 4 : at;
  signed[index] = (signed[index] ?? 0) ^ 1;
  expect(() => checkSignature(signed)).toThrow(`page ${Math.floor(index / PAGE)} of 3`);
});

test("bytes added after the signature, or cut off, are found", () => {
  const signed = signAdHoc(machO(3 * PAGE, 2 * PAGE), "svc");
  expect(() => checkSignature(Buffer.concat([signed, Buffer.alloc(1)]))).toThrow("the end");
  expect(() => checkSignature(signed.subarray(0, signed.length - 1))).toThrow("the end");
});

// Bun leaves the signature of its own executable in programs for x64.
test("a signature that covers less than the program is found", () => {
  const signed = signAdHoc(machO(3 * PAGE, 2 * PAGE), "svc");
  const directory = signed.readUInt32LE(signed.readUInt32LE(20) + 32 - 8) + 20;
  signed.writeUInt32BE(2 * PAGE, directory + 32);
  expect(() => checkSignature(signed)).toThrow("covers 8192 of 12288 bytes");
});

test("a program without room for the command, and a file that is not a program, are refused", () => {
  const cramped = machO(3 * PAGE, 2 * PAGE);
  cramped.writeUInt32LE(32 + 2 * SEGMENT + SECTION + 8, 32 + SEGMENT + 48);
  expect(() => signAdHoc(cramped, "svc")).toThrow("no room");
  expect(() => signAdHoc(Buffer.alloc(PAGE), "svc")).toThrow("not a 64-bit Mach-O");
});

/** `linkEdit`: the offset of the last segment. */
function machO(size: number, linkEdit: number): Buffer {
  const program = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
  program.fill(0, 0, 1024);
  const words = [0xfeedfacf, 0x01000007, 3, 2, 2, 2 * SEGMENT + SECTION, 0, 0];
  for (const [index, word] of words.entries()) program.writeUInt32LE(word, index * 4);
  const second = 32 + SEGMENT + SECTION;
  writeSegment(program, 32, { name: "__TEXT", from: 0, size: linkEdit, sections: 1 });
  program.writeUInt32LE(1024, 32 + SEGMENT + 48);
  const rest = { name: "__LINKEDIT", from: linkEdit, size: size - linkEdit, sections: 0 };
  writeSegment(program, second, rest);
  return program;
}

interface SegmentFields {
  readonly name: string;
  readonly from: number;
  readonly size: number;
  readonly sections: number;
}

function writeSegment(program: Buffer, at: number, { name, from, size, sections }: SegmentFields) {
  program.writeUInt32LE(0x19, at);
  program.writeUInt32LE(SEGMENT + sections * SECTION, at + 4);
  program.write(name, at + 8);
  for (const [index, value] of [from, size, from, size].entries())
    program.writeBigUInt64LE(BigInt(value), at + 24 + index * 8);
  program.writeUInt32LE(sections, at + 64);
}
