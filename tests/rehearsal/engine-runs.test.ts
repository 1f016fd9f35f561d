// A call that does the same with the new code is compared by the ledger engine alone, and svc sees
// no execution of it. The answer is that of a rehearsal that sees every execution, whatever the
// build.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import type { Nodes } from "../../src/debugger/setup/open-engines.ts";
import { readBuild } from "../../src/rehearsal/new-builds.ts";
import { rehearseRange } from "../../src/rehearsal/read-traffic.ts";
import type { GroupKind } from "../../src/rehearsal/rehearsal.ts";
import { Rehearser } from "../../src/rehearsal/rehearse-traffic.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { openReplayEngines } from "../../src/verify/replay-transaction.ts";
import { codesIn } from "../support/archived-code.ts";
import { openLongChain } from "../support/long-chain.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

setDefaultTimeout(120_000);

/** Each ledger has copies of recorded calls: successes, failures, and failures that are caught. */
const chain = openLongChain({ successes: 15, failures: 10, varied: true });
const first = chain.first + 1;
const LEDGERS = 2;
chain.tip = first + LEDGERS;

beforeAll(ensureBuilt, 900_000);
afterAll(() => chain[Symbol.asyncDispose]());

const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
/** A custom section, which changes the hash of the code and nothing that it does. */
const SECTION = new Uint8Array([0, 5, 1, 0x78, 1, 2, 3]);

function uploaded(name: string): Uint8Array {
  const network = new RecordedNetwork();
  const { envelopeXdr } = network.file(network.named(name)).rpcGetTransaction.result;
  const [code = new Uint8Array()] = codesIn(Buffer.from(String(envelopeXdr), "base64")).values();
  return code;
}

/** Sees the execution of each call. */
class SeesEach extends Rehearser {
  override async codeFor(): Promise<null> {
    return null;
  }
}

/** Counts the calls whose execution it sees. */
class Counting extends Rehearser {
  seen = 0;

  override rehearse(...call: Parameters<Rehearser["rehearse"]>): Promise<void> {
    this.seen += 1;
    return super.rehearse(...call);
  }
}

async function rehearsed(Rehearsing: typeof Rehearser, bytes: Uint8Array) {
  const networkPassphrase = chain.passphrase;
  const http = openHttp({ clock: systemClock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const settings = {
    network: "custom" as const,
    networkPassphrase,
    horizonUrls: [],
    origins: {} as never,
  };
  const { sources } = openSources(
    { http, clock: systemClock },
    { ...settings, rpcUrls: [chain.url] },
  );
  const program = { path: SIMULATOR_BINARY };
  await using engines = openReplayEngines(program, 1);
  const builds = new Map([[KITCHEN, readBuild({ file: "new.wasm", bytes })]]);
  const choice = { function: null, everyPath: false, last: null, first: null, inSequence: false };
  const rehearser = new Rehearsing({ ...engines, recorder: null }, builds, choice);
  const options = { signal: NEVER_ABORTED, progress: () => {} };
  const work = { engines, rehearser, program, jobs: 1, ...options };
  const nodes = { sources, networkPassphrase } as Nodes;
  await rehearseRange(work, nodes, { first, last: first + LEDGERS - 1 });
  const document = await rehearser.finish(options);
  return { rehearser, document: { ...document, calls: [...document.calls] } };
}

const kitchen = uploaded("upload kitchen wasm");
const BUILDS: readonly (readonly [name: string, code: Uint8Array, groups: readonly GroupKind[]])[] =
  [
    ["the code that it has", kitchen, ["same"]],
    ["code with another hash", Buffer.concat([kitchen, SECTION]), ["same"]],
    ["other code", uploaded("upload err wasm"), ["function-gone", "same"]],
  ];

test.each(BUILDS)("with %s, the answer is that of all executions", async (_, code, groups) => {
  const { document, rehearser } = await rehearsed(Counting, code);
  expect(document.calls.length).toBeGreaterThan(10 * LEDGERS);
  expect([...new Set(document.calls.map(({ group }) => group))].sort()).toEqual([...groups]);
  expect(document).toEqual((await rehearsed(SeesEach, code)).document);
  // The engine judges most calls that are the same.
  const same = document.calls.filter(({ group }) => group === "same").length;
  const { seen } = rehearser as Counting;
  if (groups.length === 1) expect(seen).toBeLessThan(same / 2);
});
