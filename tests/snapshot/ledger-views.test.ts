import { describe, expect, test } from "bun:test";
import { LedgerReader } from "../../src/ledgers/ledger-reader.ts";
import { ChangesAhead } from "../../src/snapshot/gather/changes-ahead.ts";
import { traceBack } from "../../src/snapshot/gather/later-changes.ts";
import { openLedgerViews } from "../../src/snapshot/gather/ledger-views.ts";
import type { Source } from "../../src/sources/source.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { TestClock } from "../support/test-clock.ts";

const network = new RecordedNetwork();
const FIRST = 208;
const KEY = network.file(network.transactions[0] as never).preEntries?.keys[0] as string;

function bytesOf(sequence: number): Uint8Array | null {
  const metadata = network.ledger(sequence)?.rpc.result.ledgers[0]?.metadataXdr;
  return typeof metadata === "string" ? Buffer.from(metadata, "base64") : null;
}

function openSource(bytes: (sequence: number) => Uint8Array | null): Source {
  return {
    name: "ledgers",
    fetchLedgerCloseMeta: async (sequence) => bytes(sequence),
    async *fetchLedgerCloseMetas(first, last) {
      for (let sequence = first; sequence <= last; sequence += 1) {
        const ledgerCloseMeta = bytes(sequence);
        if (ledgerCloseMeta === null) return;
        yield { sequence, ledgerCloseMeta };
      }
    },
  };
}

function open(sources: readonly Source[], ledgers = 100, ahead = new ChangesAhead()) {
  const clock = new TestClock({ grantedUpTo: 60_000 });
  const views = openLedgerViews({
    ledgers: new LedgerReader({ sources, networkPassphrase: network.passphrase }),
    signal: NEVER_ABORTED,
    clock,
    limits: { ledgers, milliseconds: 10_000 },
    ahead,
  });
  return { views, clock };
}

describe("ledgers around a transaction", () => {
  test("one source takes over where another ends or is damaged", async () => {
    const damaged = openSource((sequence) =>
      sequence === FIRST ? bytesOf(sequence) : new Uint8Array([9]),
    );
    const { views } = open([damaged, openSource(bytesOf)]);
    const found: number[] = [];
    for await (const { facts } of views.run(FIRST, FIRST + 1)) found.push(facts.sequence);
    expect(found).toEqual([FIRST, FIRST + 1]);
    expect((await views.view(FIRST + 1))?.facts.sequence).toBe(FIRST + 1);
  });

  test("a run ends at a gap", async () => {
    const { views } = open([openSource(bytesOf)]);
    const gap = network.sequences.find((each) => !network.sequences.includes(each + 1)) as number;
    const found: number[] = [];
    for await (const { facts } of views.run(gap, gap + 5)) found.push(facts.sequence);
    expect(found).toEqual([gap]);
    expect(views.cut).toBeNull();
  });

  test("no more are read than allowed, and why is told", async () => {
    const { views } = open([openSource(bytesOf)], 1);
    expect(await views.view(FIRST)).not.toBeNull();
    expect(await views.view(FIRST + 1)).toBeNull();
    expect(await views.view(FIRST)).not.toBeNull();
    const traced = await traceBack(views, KEY, FIRST + 1, FIRST);
    expect(traced).toMatchObject({ kind: "lost", ledger: FIRST + 1 });
    expect(JSON.stringify(traced)).toContain("reading stopped after 1 ledgers");
  });

  test("none is read when the time for reading is up", async () => {
    const { views, clock } = open([openSource(bytesOf)]);
    await clock.sleep(10_001, NEVER_ABORTED);
    expect(await views.view(FIRST)).toBeNull();
    expect(views.cut).toBe("reading stopped after 10 s");
  });

  test("for ledgers that are asked about in turn, those after them are read once", async () => {
    const read: number[] = [];
    const source = openSource((sequence) => {
      read.push(sequence);
      return bytesOf(sequence);
    });
    const ahead = new ChangesAhead();
    const changesOf = async (first: number, last: number, by = ahead) => {
      const { views } = open([source], 100, by);
      const found = [];
      for await (const each of views.changes(first, last)) found.push(each);
      return found;
    };
    const once = await changesOf(FIRST, FIRST + 1);
    expect(once.map(({ sequence }) => sequence)).toEqual([FIRST, FIRST + 1]);
    expect(once[0]?.changes.size).toBeGreaterThan(0);
    expect((await changesOf(FIRST, FIRST + 2)).slice(0, 2)).toEqual(once);
    expect(read).toEqual([FIRST, FIRST + 1, FIRST + 2]);
    ahead.forgetBefore(FIRST + 1);
    await changesOf(FIRST, FIRST);
    expect(read).toEqual([FIRST, FIRST + 1, FIRST + 2, FIRST]);
    const small = new ChangesAhead(once[0]?.changes.size ?? 0);
    await changesOf(FIRST, FIRST + 1, small);
    await changesOf(FIRST, FIRST + 1, small);
    expect(read.slice(4)).toEqual([FIRST, FIRST + 1, FIRST + 1]);
  });
});
