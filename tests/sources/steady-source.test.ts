import { describe, expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { steadySource } from "../../src/sources/nodes/steady-source.ts";
import type { Source } from "../../src/sources/source.ts";
import { openStanding } from "../../src/sources/standing.ts";
import { failureOf } from "../support/failure.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { TestClock } from "../support/test-clock.ts";

const CONTEXT = { signal: NEVER_ABORTED };
const clock = new TestClock({ grantedUpTo: 0 });
const standing = openStanding("http://node", { clock });

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
    const steady = steadySource(source, standing);
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

test("requests that time out at once are one failure of the node: it does not rest", async () => {
  const clock = new TestClock({ grantedUpTo: 0 });
  const node = openStanding("http://node", { clock }, () => true);
  const late = new SvcError("NETWORK_TIMEOUT", { message: "too late", remedy: "-" });
  const { promise, reject } = Promise.withResolvers<never>();
  const atOnce = [1, 2, 3].map(() => failureOf(node.run(() => promise)));
  clock.advance(15_000);
  reject(late);
  await Promise.all(atOnce);
  expect(node.resting).toBe(false);
  await failureOf(node.run(() => Promise.reject(late)));
  expect(node.resting).toBe(true);
});
