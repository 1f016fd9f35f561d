// The contract of tests/contracts/carried: an error that a branch carries to the end of its block is
// chosen by that branch, and only code without a choice fails for all arguments.

import { expect, test } from "bun:test";
import { type Stored, sayer, symbol } from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const STORED: Stored = { persistent: [[symbol("Admin"), symbol("a")]], absent: [symbol("Next")] };
const said = sayer(openTestSimulator(), "carried.wasm", STORED);

test("an error that a branch carries has that branch as its reason", async () => {
  expect(await said("cancel", [symbol("Admin")])).toBeNull();
  expect(await said("cancel", [symbol("Next")])).toBe(
    '`cancel` failed because there is no entry "Next" in its persistent storage (its argument, argument 1).',
  );
});

test("code without a choice fails for all arguments", async () => {
  expect(await said("never", [symbol("Next")])).toBe(
    "`never` fails with this error for all arguments that it accepts.",
  );
});
