// A capsule of a fee-bump transaction answers to both hashes, and remembers which one was asked for.

import { expect, test } from "bun:test";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

test("the hash that was asked for is the recording's, outer or inner", () => {
  const { record: recorded, snapshot } = walkOf("fee-bump-failing");
  const record = { ...recorded, assumedFacts: ["the ledger's close time"] };
  const capsule = { name: "capsule.json", text: encodeCapsule(record, snapshot) };
  const requested = (hash: string | null) => openCapsule(capsule, hash).record.requestedHash;
  expect(record.innerHash).not.toBeNull();
  expect(requested(null)).toBe(record.requestedHash);
  expect(requested(record.hash)).toBe(record.hash);
  expect(requested(record.innerHash)).toBe(record.innerHash ?? "");
});
