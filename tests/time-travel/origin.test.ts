// Back to where a value came from, on every recorded failure of which it is known: the moment of the
// branch that decided, and where each argument and local of the call was given or written.

import { expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { recordTransaction } from "../../src/debugger/travel/record-transaction.ts";
import { openTravelSimulator } from "../../src/simulator/open-processes.ts";
import { decidingMoment, originOf } from "../../src/time-travel/origin.ts";
import { Traveller } from "../../src/time-travel/traveller.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded } from "../support/recorded-walks.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

test("the branch is at the moment that is named, and every value leads to an earlier one", async () => {
  let decided = 0;
  let origins = 0;
  for (const walk of await captureRecorded()) {
    if (walk.snapshot === null || readTransactionResult(walk.record.resultXdr).success) continue;
    const options = {
      signal: NEVER_ABORTED,
      builds: async () => ({ wasm: [], remarks: [] }),
      openTravel: () => openTravelSimulator({ path: SIMULATOR_BINARY }),
    };
    const opened = await recordTransaction({ simulator }, walk, options).catch(() => null);
    if (opened === null) continue;
    await using recording = opened;
    const why = await recording.why();
    if (why === null) continue;
    const moment = await decidingMoment(recording, why);
    if (moment === null) throw new Error(`${walk.name}: ${why.summary}`);
    decided += 1;
    const traveller = new Traveller(recording, () => {});
    traveller.goTo(moment);
    const [top] = await traveller.stack();
    const { frame, code, address, count } = why.branch;
    expect([walk.name, top?.frame]).toEqual([walk.name, frame]);
    expect(recording.trace.frames[frame]?.code).toBe(code);
    if (count !== null)
      expect([walk.name, top?.functions[0]?.address]).toEqual([walk.name, address]);
    const called = recording.lookup(why.contract)?.spec?.functions.get(why.function);
    for (const name of [
      ...(called?.inputs ?? []).map((input) => input.name),
      "local 0",
      "local 1",
    ]) {
      const origin = await originOf(traveller, name).catch(() => null);
      if (origin === null) continue;
      origins += 1;
      expect(origin.moment ?? 0).toBeLessThan(moment + 1);
    }
  }
  expect(decided).toBeGreaterThan(20);
  expect(origins).toBeGreaterThan(30);
}, 60_000);
