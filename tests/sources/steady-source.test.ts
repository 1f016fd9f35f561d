import { describe, expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { steadySource } from "../../src/sources/nodes/steady-source.ts";
import type { Source } from "../../src/sources/source.ts";
import { failureOf } from "../support/failure.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { TestClock } from "../support/test-clock.ts";

const CONTEXT = { signal: NEVER_ABORTED };
const NO_WAIT = new AbortController().signal;

function unsteady(code: "NETWORK_TIMEOUT" | "NETWORK_UNREACHABLE" | "NETWORK_BAD_STATUS") {
  const clock = new TestClock({ grantedUpTo: 60_000 });
  let calls = 0;
  const source: Source = {
    name: "a node",
    fetchTransaction() {
      calls += 1;
      return Promise.reject(new SvcError(code, { message: "no", remedy: "-" }));
    },
  };
  const steady = steadySource(source, clock);
  const ask = () => failureOf(steady.fetchTransaction?.("", CONTEXT) as Promise<unknown>);
  return { clock, ask, calls: () => calls };
}

describe("a node that fails", () => {
  test("to connect is left alone for half a minute", async () => {
    const { ask, calls, clock } = unsteady("NETWORK_UNREACHABLE");
    for (let i = 0; i < 5; i += 1) expect((await ask()).code).toBe("NETWORK_UNREACHABLE");
    expect(calls()).toBe(1);
    await clock.sleep(30_001, NO_WAIT);
    await ask();
    expect(calls()).toBe(2);
  });

  test("to answer in time is asked twice", async () => {
    const { ask, calls } = unsteady("NETWORK_TIMEOUT");
    for (let i = 0; i < 5; i += 1) await ask();
    expect(calls()).toBe(2);
  });

  test("otherwise is asked each time", async () => {
    const { ask, calls } = unsteady("NETWORK_BAD_STATUS");
    for (let i = 0; i < 5; i += 1) await ask();
    expect(calls()).toBe(5);
  });
});

describe("ledgers", () => {
  const ledger = (sequence: number) => new Uint8Array([sequence]);

  test("are fetched once, one by one or in a run", async () => {
    const asked: string[] = [];
    const source: Source = {
      name: "a node",
      async fetchLedgerCloseMeta(sequence) {
        asked.push(`one ${sequence}`);
        return ledger(sequence);
      },
      async *fetchLedgerCloseMetas(first, last) {
        asked.push(`run ${first}-${last}`);
        for (let sequence = first; sequence <= last; sequence += 1) {
          yield { sequence, ledgerCloseMeta: ledger(sequence) };
        }
      },
    };
    const steady = steadySource(source, new TestClock({ grantedUpTo: 0 }));
    const run = async (first: number, last: number) => {
      const found: number[] = [];
      for await (const each of steady.fetchLedgerCloseMetas?.(first, last, CONTEXT) ?? []) {
        found.push(each.sequence);
      }
      return found;
    };
    await steady.fetchLedgerCloseMeta?.(5, CONTEXT);
    await steady.fetchLedgerCloseMeta?.(5, CONTEXT);
    expect(await run(5, 7)).toEqual([5, 6, 7]);
    expect(await run(5, 7)).toEqual([5, 6, 7]);
    expect(await steady.fetchLedgerCloseMeta?.(7, CONTEXT)).toEqual(ledger(7));
    expect(asked).toEqual(["one 5", "run 6-7"]);
  });
});
