// A typo finds its word; a different word does not.

import { expect, test } from "bun:test";
import { nearestWord } from "../../src/base/errors/did-you-mean.ts";

const WORDS = ["network", "network-passphrase", "json", "save", "debug", "verify"];

test("a typo finds the word that was meant", () => {
  const typos = { netwrk: "network", jsno: "json", JSON: "json", verfiy: "verify", dbeug: "debug" };
  for (const [typo, meant] of Object.entries(typos)) expect(nearestWord(typo, WORDS)).toBe(meant);
});

test("what resembles nothing finds nothing", () => {
  for (const word of ["", "x", "colour", "6f3a".repeat(16)])
    expect(nearestWord(word, WORDS)).toBeNull();
});
