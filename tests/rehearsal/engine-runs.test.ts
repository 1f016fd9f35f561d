// A call that does the same with the new code is compared by the ledger engine alone, and svc sees
// no execution of it. The answer is that of a rehearsal that sees every execution, whatever the
// build.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import type { GroupKind } from "../../src/rehearsal/rehearsal.ts";
import { Rehearser } from "../../src/rehearsal/rehearse-traffic.ts";
import { codesIn } from "../support/archived-code.ts";
import { openLongChain } from "../support/long-chain.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { rehearsedRange } from "../support/rehearsed-range.ts";

setDefaultTimeout(120_000);

/** Each ledger has copies of recorded calls: successes, failures, and failures that are caught. */
const chain = openLongChain({ successes: 15, failures: 10, varied: true });
const first = chain.first + 1;
const LEDGERS = 4;
chain.tip = first + LEDGERS;

beforeAll(ensureBuilt, 900_000);
afterAll(() => chain[Symbol.asyncDispose]());

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

/** Counts the calls whose execution it sees, and those for which it names the new code. */
class Counting extends Rehearser {
  seen = 0;
  named = 0;

  override codeFor(...call: Parameters<Rehearser["codeFor"]>): ReturnType<Rehearser["codeFor"]> {
    this.named += 1;
    return super.codeFor(...call);
  }

  override rehearse(...call: Parameters<Rehearser["rehearse"]>): Promise<void> {
    this.seen += 1;
    return super.rehearse(...call);
  }
}

function rehearsed(rehearsing: typeof Rehearser, bytes: Uint8Array) {
  const range = { first, last: first + LEDGERS - 1 };
  return rehearsedRange(chain, { range, bytes, rehearsing });
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
  const { seen, named } = rehearser as Counting;
  if (groups.length === 1) expect(seen).toBeLessThan(same / 2);
  // Most calls are no calls of svc at all: their state is known, and so is their code.
  expect(named).toBeLessThan(document.calls.length / 2);
  expect(named).toBeGreaterThan(0);
});
