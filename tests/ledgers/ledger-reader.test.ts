import { describe, expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { keptLedgers, LedgerReader, type RunContext } from "../../src/ledgers/ledger-reader.ts";
import type { LedgerContext, Source } from "../../src/sources/source.ts";
import { failureOf } from "../support/failure.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();
const FIRST = 208;
const CONTEXT = { signal: NEVER_ABORTED };

const bytesOf = (sequence: number): Uint8Array | null => network.ledgerBytes(sequence);

/** Takes note of what it is asked for; reads as adapters of nodes do. */
function openSource(name: string, asked: string[], bytes = bytesOf): Source {
  const found = async (sequence: number, { check }: LedgerContext) => {
    const ledgerCloseMeta = bytes(sequence);
    if (ledgerCloseMeta !== null) await check?.({ sequence, ledgerCloseMeta });
    return ledgerCloseMeta;
  };
  return {
    name,
    async fetchLedgerCloseMeta(sequence, context) {
      asked.push(`${name} ${sequence}`);
      return found(sequence, context);
    },
    async *fetchLedgerCloseMetas(first, last, context) {
      asked.push(`${name} ${first}-${last}`);
      for (let sequence = first; sequence <= last; sequence += 1) {
        const ledgerCloseMeta = await found(sequence, context);
        if (ledgerCloseMeta === null) return;
        yield { sequence, ledgerCloseMeta };
      }
    },
  };
}

/** One bit of the header is wrong. */
function forged(sequence: number): Uint8Array | null {
  const bytes = network.ledgerBytes(sequence);
  const previousHash = network.view(sequence)?.facts.previousHash ?? "";
  if (bytes === null) return null;
  const wrong = Buffer.from(bytes);
  const at = wrong.indexOf(Buffer.from(previousHash, "hex"));
  wrong[at] = (wrong[at] ?? 0) ^ 1;
  return wrong;
}

function open(...sources: readonly Source[]) {
  const ledgers = new LedgerReader({ sources, networkPassphrase: network.passphrase });
  const run = async (first: number, last: number, more: Partial<RunContext> = {}) => {
    const found = [];
    for await (const each of ledgers.run(first, last, { ...CONTEXT, ...more })) found.push(each);
    return found.map(({ sequence, source }) => `${source} ${sequence}`);
  };
  return { ledgers, run };
}

describe("a ledger", () => {
  test("is fetched once, one by one or in a run", async () => {
    const asked: string[] = [];
    const { ledgers, run } = open(openSource("a", asked));
    await ledgers.view(FIRST, CONTEXT);
    await ledgers.view(FIRST, CONTEXT);
    const both = [`a ${FIRST}`, `a ${FIRST + 1}`];
    expect(await run(FIRST, FIRST + 1)).toEqual(both);
    expect(await run(FIRST, FIRST + 1)).toEqual(both);
    await ledgers.view(FIRST + 1, CONTEXT);
    expect(asked).toEqual([`a ${FIRST}`, `a ${FIRST + 1}-${FIRST + 1}`]);
  });

  test("that was prefetched is waited for", async () => {
    const asked: string[] = [];
    const { ledgers, run } = open(openSource("a", asked));
    ledgers.prefetch(FIRST, CONTEXT);
    expect(await run(FIRST, FIRST)).toEqual([`a ${FIRST}`]);
    expect((await ledgers.view(FIRST, CONTEXT))?.view.facts.sequence).toBe(FIRST);
    expect(asked).toEqual([`a ${FIRST}`]);
  });

  test("is asked for again by those who wait when who asked for it has left", async () => {
    const leaving = new AbortController();
    let asked = 0;
    const source: Source = {
      name: "a",
      fetchLedgerCloseMeta: (sequence, { signal }) => {
        asked += 1;
        if (asked > 1) return Promise.resolve(bytesOf(sequence));
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
    const { ledgers } = open(source);
    const left = failureOf(ledgers.view(FIRST, { signal: leaving.signal }));
    const waits = ledgers.view(FIRST, CONTEXT);
    leaving.abort(new SvcError("INTERRUPTED", { message: "left", remedy: "-" }));
    expect((await left).code).toBe("INTERRUPTED");
    expect((await waits)?.sequence).toBe(FIRST);
    expect(asked).toBe(2);
  });

  test("whom nobody waits for any more is not waited for", async () => {
    const silent: Source = { name: "a", fetchLedgerCloseMeta: () => new Promise(() => {}) };
    const { ledgers } = open(silent);
    const leaving = new AbortController();
    ledgers.prefetch(FIRST, CONTEXT);
    const left = failureOf(ledgers.view(FIRST, { signal: leaving.signal }));
    leaving.abort(new SvcError("INTERRUPTED", { message: "left", remedy: "-" }));
    expect((await left).code).toBe("INTERRUPTED");
  });
});

describe("a run", () => {
  test("goes on with the next source where one fails", async () => {
    const asked: string[] = [];
    const ends = openSource("a", asked, (sequence) => {
      if (sequence === FIRST) return bytesOf(sequence);
      throw new SvcError("NETWORK_TIMEOUT", { message: "too late", remedy: "-" });
    });
    const { run } = open(ends, openSource("b", asked));
    expect(await run(FIRST, FIRST + 1)).toEqual([`a ${FIRST}`, `b ${FIRST + 1}`]);
    expect((await failureOf(open(ends).run(FIRST, FIRST + 1))).code).toBe("NETWORK_TIMEOUT");
  });

  test("a ledger that does not pass the caller's check is asked for again", async () => {
    const asked: string[] = [];
    const { run } = open(openSource("a", asked));
    await run(FIRST, FIRST);
    let checked = 0;
    const check = () => {
      checked += 1;
      if (checked === 1) throw new Error("another one is wanted");
    };
    expect(await run(FIRST, FIRST, { check })).toEqual([`a ${FIRST}`]);
    expect(asked).toEqual([`a ${FIRST}-${FIRST}`, `a ${FIRST}-${FIRST}`]);
  });
});

describe("a ledger that its hashes refute", () => {
  const liar = () => openSource("liar", [], forged);

  test("is NODE_LIED, alone and in a run", async () => {
    const { ledgers, run } = open(liar(), openSource("b", []));
    for (const asked of [ledgers.view(FIRST, CONTEXT), run(FIRST, FIRST)]) {
      const error = await failureOf(asked);
      expect(error).toMatchObject({ code: "NODE_LIED", details: { field: "header" } });
      expect(error.message).toStartWith(`liar gave a wrong ledger ${FIRST}: its header does not`);
    }
  });

  test("of a source that is forgiven is a failure of it, whether or not it checks", async () => {
    const { fetchLedgerCloseMetas: _, ...one } = liar();
    const unchecked: Source = { name: "lake", fetchLedgerCloseMeta: async () => forged(FIRST) };
    for (const source of [one, unchecked]) {
      const { ledgers } = open({ ...source, forgiven: true }, openSource("b", []));
      expect((await ledgers.view(FIRST, CONTEXT))?.source).toBe("b");
    }
    const { run } = open({ ...liar(), forgiven: true }, openSource("b", []));
    expect(await run(FIRST, FIRST)).toEqual([`b ${FIRST}`]);
  });
});

test("ledgers that the caller keeps itself are not kept, and are asked for again", async () => {
  const asked: string[] = [];
  const { ledgers } = open(openSource("a", asked));
  const last = FIRST + 1;
  const context = { ...CONTEXT, keepsLedgers: false };
  const sequences = async () =>
    (await Array.fromAsync(ledgers.run(FIRST, last, context))).map(({ sequence }) => sequence);
  expect(await sequences()).toEqual([FIRST, last]);
  expect(await sequences()).toEqual([FIRST, last]);
  expect(asked).toEqual([`a ${FIRST}-${last}`, `a ${FIRST}-${last}`]);
  // The reader keeps a ledger that was read by itself, and the range takes it.
  await ledgers.view(FIRST, CONTEXT);
  expect(await sequences()).toEqual([FIRST, last]);
  expect(asked.slice(2)).toEqual([`a ${FIRST}`, `a ${last}-${last}`]);
});

test("as many ledgers are kept as fit, those that were used last", () => {
  const kept = keptLedgers(10);
  const ledger = (sequence: number, length = 4) => ({
    sequence,
    ledgerCloseMeta: new Uint8Array(length),
  });
  const held = () => [1, 2, 3, 4].filter((sequence) => kept.get(sequence) !== undefined);
  kept.set(1, ledger(1));
  kept.set(2, ledger(2));
  kept.get(1);
  kept.set(3, ledger(3));
  expect(held()).toEqual([1, 3]);
  // One that does not fit at all is not kept, and the others are.
  kept.set(4, ledger(4, 11));
  expect(held()).toEqual([1, 3]);
  kept.set(1, ledger(1));
  kept.set(1, ledger(1, 8));
  kept.set(2, ledger(2, 2));
  expect(held()).toEqual([1, 2]);
});
