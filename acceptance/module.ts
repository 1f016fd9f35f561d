// svc-sim as a WebAssembly module beside the program: the same bytes for the same requests, and an
// end for whatever does not end by itself.
// Run it with `bun test ./acceptance/module.ts`, after release/prepare --module.

import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../scripts/ensure-built.ts";
import type { Captured } from "../src/debugger/walk/capture-transaction.ts";
import { openCapsule } from "../src/debugger/walk/open-capsule.ts";
import { type DebugOptions, replayCaptured } from "../src/debugger/walk/replay-captured.ts";
import { debugReport } from "../src/report/json.ts";
import { openConnected } from "../src/simulator/connected.ts";
import { connectModule, instanceInThread } from "../src/simulator/module/connection.ts";
import { openOneShot } from "../src/simulator/one-shot.ts";
import { replayRequest } from "../src/simulator/requests.ts";
import type { Simulator } from "../src/simulator/simulator.ts";
import { TravelSimulator } from "../src/simulator/travel-simulator.ts";
import type { ReplayRequest } from "../src/simulator/wire-schema.ts";
import { readChain } from "../src/xdr/outcome/chain-facts.ts";
import { corpusPath, hasCorpus } from "../tests/support/corpus.ts";
import { foldedStream } from "../tests/support/folded-stream.ts";
import { greedyRequest } from "../tests/support/greedy-contract.ts";
import {
  type ComparingSimulator,
  compileRecordingModule,
  compileTestModule,
  connectedModule,
  connectedProgram,
  openComparing,
  withoutTimes,
} from "../tests/support/module.ts";
import { captureRecorded } from "../tests/support/recorded-walks.ts";

const BUILD_MILLISECONDS = 3_600_000;
const ROOT = join(import.meta.dir, "..");
const NEVER = new AbortController().signal;
const EXAMPLES = ["overflow-in-callee", "write-bytes-too-low"];

const exchanges = readdirSync(join(ROOT, "tests/fixtures/protocol"))
  .filter((name) => name.endsWith(".json"))
  .map((name): { request: ReplayRequest } =>
    JSON.parse(readFileSync(join(ROOT, "tests/fixtures/protocol", name), "utf8")),
  );
const first = exchanges[0]?.request as ReplayRequest;

function capsuleNamed(name: string): Captured {
  const path = join(ROOT, `examples/${name}.capsule.json`);
  return openCapsule({ name: path, text: readFileSync(path, "utf8") }, null);
}

describe("svc-sim as a module", () => {
  let module: WebAssembly.Module;
  beforeAll(() => {
    ensureBuilt();
    module = compileTestModule();
  }, BUILD_MILLISECONDS);

  const replaying = { progress: () => {} };
  const everything: DebugOptions = {
    signal: NEVER,
    locate: { wasm: null },
    profile: true,
    hostCalls: true,
  };

  /** All runs of a transaction, by both. The report of the module alone is the program's too. */
  async function compare(comparing: ComparingSimulator, captured: Captured): Promise<void> {
    await replayCaptured({ ...replaying, simulator: comparing }, captured, everything);
    expect(comparing.differences).toEqual([]);
  }

  test("both modules import a clock and a log, and nothing else", () => {
    for (const each of [module, compileRecordingModule()]) {
      const imports = WebAssembly.Module.imports(each);
      expect(imports.map(({ module, name }) => `${module}.${name}`).sort()).toEqual([
        "svc.log",
        "svc.now",
      ]);
    }
  });

  test("answers each recorded exchange with the program's bytes", async () => {
    await using comparing = openComparing(connectedModule(module));
    for (const { request } of exchanges) await comparing.replay(request, { signal: NEVER });
    expect(comparing.differences).toEqual([]);
    expect(comparing.compared()).toBe(exchanges.length);
  });

  test("answers all runs of the examples with the program's bytes", async () => {
    await using comparing = openComparing(connectedModule(module));
    for (const name of EXAMPLES) await compare(comparing, capsuleNamed(name));
    expect(comparing.compared()).toBeGreaterThan(EXAMPLES.length);
  });

  test("the examples have one report", async () => {
    for (const name of EXAMPLES) {
      const report = async (simulator: Simulator) => {
        const captured = capsuleNamed(name);
        const found = await replayCaptured({ ...replaying, simulator }, captured, everything);
        return withoutTimes(JSON.stringify(debugReport(found)));
      };
      const ofModule = await report(openConnected(connectedModule(module)));
      expect(ofModule).toEqual(await report(openOneShot({ path: connectedProgram.path })));
    }
  });

  test("answers all runs of the recorded network with the program's bytes", async () => {
    await using comparing = openComparing(connectedModule(module));
    const walks = await captureRecorded();
    for (const captured of walks) await compare(comparing, captured);
    expect(comparing.compared()).toBeGreaterThan(walks.length);
  }, 600_000);

  test.skipIf(!hasCorpus("core-streams"))(
    "answers the transactions of ledger streams with the program's bytes",
    async () => {
      await using comparing = openComparing(connectedModule(module));
      let sent = 0;
      const files = readdirSync(corpusPath("core-streams"), { recursive: true, encoding: "utf8" });
      for (const name of files.filter((each) => each.endsWith(".xdr.zst")))
        for await (const { record, snapshot } of foldedStream(corpusPath("core-streams", name))) {
          if (snapshot === null) continue;
          const { feeTakenStroops } = readChain(record);
          const options = { trace: false, diagnostics: true, feeTakenStroops };
          await comparing.replay(replayRequest(record, snapshot, options), { signal: NEVER });
          sent += 1;
        }
      expect(comparing.differences).toEqual([]);
      expect(comparing.compared()).toBe(sent);
      expect(sent).toBeGreaterThan(2_000);
    },
    1_800_000,
  );

  test("records and steps as the program", async () => {
    for (const name of EXAMPLES) {
      const { record, chain, snapshot } = capsuleNamed(name);
      if (snapshot === null) throw new Error("nothing ran");
      const { feeTakenStroops, refundIsPaid } = chain;
      const fees = { feeTakenStroops, refundIsPaid };
      const request = replayRequest(record, snapshot, { ...fees, trace: true, diagnostics: true });
      const steps = async (program: typeof connectedProgram) => {
        await using travel = new TravelSimulator(program);
        const { trace } = await travel.trace(request, [], { signal: NEVER });
        const moments = trace?.moments ?? 0;
        const asked = [0, 1, Math.floor(moments / 2), moments - 1];
        const states = asked.map((moment) => travel.travel("state", { moment }));
        return { moments, states: await Promise.all(states) };
      };
      const stepped = await steps(connectedModule(module));
      expect(stepped.moments).toBeGreaterThan(1);
      expect(stepped).toEqual(await steps(connectedProgram));
    }
  });

  test("what does not end is ended, and the next request is answered", async () => {
    const simulator = openConnected(connectedModule(module));
    const endless = greedyRequest({ wants: "instructions", instructions: 4_000_000_000 });
    const hasty = openConnected({ ...connectedModule(module), patienceMilliseconds: 50 });
    const late = hasty.replay(endless, { signal: NEVER });
    await expect(late).rejects.toMatchObject({ code: "SIMULATOR_TIMEOUT" });
    const leaving = new AbortController();
    const left = simulator.replay(endless, { signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect((await simulator.replay(first, { signal: NEVER })).transactionHash).toBeString();
  });

  test("a contract that wants all memory ends alone", async () => {
    const simulator = openConnected(connectedModule(module));
    const greedy = greedyRequest({ wants: "memory", instructions: 400_000_000, free: true });
    await expect(simulator.replay(greedy, { signal: NEVER })).rejects.toMatchObject({
      code: expect.stringMatching(/^SIMULATOR_/),
    });
    expect((await simulator.replay(first, { signal: NEVER })).transactionHash).toBeString();
  });

  test("runs in the thread of its caller too", async () => {
    const connect = connectModule(() => instanceInThread(module));
    const simulator = openConnected({ path: "svc-sim.wasm", connect });
    const answer = await simulator.replay(first, { signal: NEVER });
    const other = await openOneShot({ path: connectedProgram.path }).replay(first, {
      signal: NEVER,
    });
    expect({ ...answer, hostNanoseconds: 0 }).toEqual({ ...other, hostNanoseconds: 0 });
  });
});
