// Recorded transactions are stepped through: on the recorded network, and with the hosts of all
// protocols on stellar-core's test ledgers. Each call's code must run again exactly as the host ran it.

import { expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { ExecutionTrace } from "../../src/model/travel.ts";
import { openTravelSimulator } from "../../src/simulator/open-processes.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import type { TravelSimulator } from "../../src/simulator/travel-simulator.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { foldedStream } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { captureRecorded } from "../support/recorded-walks.ts";

async function recorded(
  record: ChainRecord,
  snapshot: Snapshot,
  use: (simulator: TravelSimulator, record: ExecutionTrace) => Promise<void>,
): Promise<boolean> {
  const options = { trace: true, diagnostics: true, feeTakenStroops: null } as const;
  await using simulator = openTravelSimulator({ path: SIMULATOR_BINARY });
  const request = replayRequest(record, snapshot, options);
  const { trace: travel } = await simulator.trace(request, [], { signal: NEVER_ABORTED });
  if (travel === null) return false;
  const unstepped = travel.frames.flatMap(({ function: name, notStepped }) =>
    notStepped === null ? [] : [`${record.hash} ${name}: ${notStepped}`],
  );
  expect(unstepped).toEqual([]);
  await use(simulator, travel);
  return true;
}

/** Forwards and backwards pass the same moments, from one end to the other. */
async function walkBothWays(
  simulator: TravelSimulator,
  { moments }: ExecutionTrace,
): Promise<void> {
  const walk = async (from: number, backwards: boolean) => {
    const passed: number[] = [];
    for (let moment = from; ; ) {
      const query = { from: moment, backwards, mode: "into" };
      const found = await simulator.travel("seek", query);
      if (found.reason !== "step" || passed.length > 2000) return passed;
      passed.push(found.moment);
      moment = found.moment;
    }
  };
  const forwards = await walk(0, false);
  const backwards = await walk(moments - 1, true);
  if (forwards.length <= 2000) expect(backwards.toReversed()).toEqual(forwards);
}

test("every call of the recorded network is stepped, both ways alike", async () => {
  let count = 0;
  for (const { record, snapshot } of await captureRecorded())
    if (snapshot !== null && (await recorded(record, snapshot, walkBothWays))) count += 1;
  expect(count).toBeGreaterThan(100);
}, 120_000);

const corpus = needs("../shared/corpus", hasCorpus("core-streams"));

corpus.describe("stellar-core's test ledgers", () => {
  test("the code of contracts runs again on the hosts of each protocol", async () => {
    const text = await Bun.file(corpusPath("core-streams", "index.jsonl")).text();
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const invocations = rows.filter(({ op }) => String(op).startsWith("invoke"));
    const perProtocol = new Map<number, number>();
    for (const row of invocations) {
      const done = perProtocol.get(row.proto) ?? 0;
      if (done >= 3) continue;
      const path = corpusPath("core-streams", row.dir, `${row.file}.zst`);
      for await (const { record, snapshot } of foldedStream(path)) {
        if (record.hash !== row.hash || snapshot === null) continue;
        let instructions = 0;
        await recorded(record, snapshot, async (_, travel) => {
          instructions = travel.instructions;
        });
        if (instructions > 0) perProtocol.set(row.proto, done + 1);
      }
    }
    const protocols = new Set(invocations.map(({ proto }) => proto));
    expect([...perProtocol.keys()].toSorted()).toEqual([...protocols].toSorted());
  }, 120_000);
});
