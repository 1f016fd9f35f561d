// The fix of the first cause can uncover another cause that no change fixes: the call only succeeds
// in an earlier ledger. The advice ends there.

import { expect, test } from "bun:test";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { contractEntries, executeCall } from "../support/executed.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { ownContract } from "../support/other-code.ts";
import { key, map, u32, u64 } from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

type Json = ReturnType<typeof JSON.parse>;

const ENDS = 1_789_999_810;
const simulator = openTestSimulator();

/** `vote(number, weight)` of tests/contracts/market, some seconds after the end of the draft. */
async function voted(secondsLate: number) {
  const { contract, entries } = contractEntries(ownContract("market-s.wasm"), 11);
  const [own, code] = entries as Json[];
  const val = map({
    against: u32(1),
    ends: u64(ENDS),
    executed: { bool: false },
    quorum: "void",
    voted: u32(1),
  });
  const draft = { ext: "v0", contract, durability: "persistent", key: key("Draft", u32(1)), val };
  const { ran } = await executeCall(simulator, {
    ...{ contract, function: "vote", arguments: [u32(1), u32(4_294_967_295)] },
    ...{ readOnly: [own, code, { contract_data: draft }], resources: { instructions: 1_000 } },
    ledger: { closeTimeUnixSeconds: `${ENDS + secondsLate}`, sequence: 5000 },
  });
  const dependencies = { simulator, progress: () => {} };
  return replayCaptured(dependencies, ran, { signal: NEVER_ABORTED });
}

test("a follower that only an earlier ledger helps ends the advice", async () => {
  const { fix, remedy } = await voted(3);
  expect(phraseFor(fix?.summary ?? "", SHELL)).toContain(
    "the ledger's time (1789999813) is greater than Draft(1).ends (1789999810, persistent storage)",
  );
  expect(fix?.proof).toMatchObject({ outcome: "fails-next", isTooLate: true });
  expect(phraseFor(remedy ?? "", SHELL)).toBe(
    "Removing this cause alone does not help: after it, the call is too late for the known state (see Fix).",
  );
});

test("a follower says which value decided it", async () => {
  const { fix, remedy } = await voted(-3);
  expect(fix?.proof).not.toHaveProperty("isTooLate");
  expect(phraseFor(fix?.summary ?? "", SHELL)).toContain(
    "Draft(1).voted (1, persistent storage) + `weight` (4294967295, argument 2) does not fit a u32",
  );
  expect(phraseFor(remedy ?? "", SHELL)).toBe(
    "Removing this cause alone does not help: after it, the contract itself refuses the call (see Fix).",
  );
});
