// Storage at the end of each recorded transaction is what the replay left in the ledger, and at its
// beginning what was there before.

import { expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openTravelSimulator } from "../../src/simulator/open-processes.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import type { Recording } from "../../src/time-travel/recording.ts";
import { storageAt } from "../../src/time-travel/storage.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded } from "../support/recorded-walks.ts";

test("what contracts have stored, before and after", async () => {
  let writes = 0;
  let undone = 0;
  for (const { name, record: chain, snapshot } of await captureRecorded()) {
    if (snapshot === null) continue;
    await using simulator = openTravelSimulator({ path: SIMULATOR_BINARY });
    const options = { trace: true, diagnostics: true, feeTakenStroops: null } as const;
    const request = replayRequest(chain, snapshot, options);
    const { trace, execution } = await simulator.trace(request, [], { signal: NEVER_ABORTED });
    if (trace === null) continue;
    // A call has its own cost, whatever of its caller's code was counted with it.
    for (const call of trace.calls.filter((each) => !each.failed))
      expect(BigInt(call.cpuAfter)).toBeGreaterThan(BigInt(call.cpuBefore));
    const at = (entries: Recording["entries"], moment: number) => {
      const recording = { trace, entries, lookup: () => null } as unknown as Recording;
      return [...new Set(trace.frames.flatMap(({ contract }) => contract ?? []))].flatMap(
        (contract) => storageAt(recording, contract, moment).map((stored) => ({ name, ...stored })),
      );
    };
    const failed = execution.outcome.kind !== "success";
    const after = new Map(execution.changes.map(({ keyXdr, afterXdr }) => [keyXdr, afterXdr]));
    const [some] = snapshot.entries;
    const left = [
      ...new Set([...snapshot.entries.map(({ keyXdr }) => keyXdr), ...after.keys()]),
    ].map((keyXdr) => {
      const before = snapshot.entries.find((entry) => entry.keyXdr === keyXdr);
      const entryXdr = after.has(keyXdr) ? after.get(keyXdr) : before?.entryXdr;
      return { ...(before ?? some), keyXdr, entryXdr: entryXdr ?? null };
    }) as Recording["entries"];
    const end = at(snapshot.entries, trace.moments - 1);
    for (const stored of at(snapshot.entries, 0)) expect(stored.now).toBe(stored.before);
    const values = (list: typeof end, pick: "before" | "now") =>
      Object.fromEntries(
        list.flatMap((of) =>
          of[pick] === null
            ? []
            : [[`${name} ${of.contract} ${of.durability} ${of.keyXdr}`, of[pick]] as const],
        ),
      );
    if (!failed) expect(values(end, "now")).toEqual(values(at(left, 0), "before"));
    else if (trace.frames[0]?.failed) expect(values(end, "now")).toEqual(values(end, "before"));
    writes += end.filter(({ changedAt }) => changedAt !== null).length;
    const made = trace.calls.filter((call) => call.function === "put_contract_data").length;
    if (trace.frames.some((frame) => frame.failed)) undone += made;
  }
  expect(writes).toBeGreaterThan(30);
  expect(undone).toBeGreaterThan(0);
}, 120_000);
