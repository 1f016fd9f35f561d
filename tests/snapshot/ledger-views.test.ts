import { describe, expect, test } from "bun:test";
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

function open(sources: readonly Source[], ledgers = 100) {
  const clock = new TestClock({ grantedUpTo: 60_000 });
  const views = openLedgerViews({
    sources,
    networkPassphrase: network.passphrase,
    signal: NEVER_ABORTED,
    clock,
    limits: { ledgers, milliseconds: 10_000 },
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
});
