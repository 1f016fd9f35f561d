import { describe, expect, test } from "bun:test";
import { batchName, openLedgerLake } from "../../src/sources/nodes/ledger-lake.ts";
import type { Source } from "../../src/sources/source.ts";
import { ledgerSequenceOf } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { failureOf } from "../support/failure.ts";
import { lakeObject } from "../support/made-network.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { openNode, type ScriptedNode } from "../support/scripted-node.ts";

const network = new RecordedNetwork();
const FIRST = 208;

function open(node: ScriptedNode): Source {
  const { dependencies } = node;
  const url = `${node.url}/stellar/ledgers/`;
  return openLedgerLake({ ...dependencies, url, networkPassphrase: network.passphrase });
}

const batch = (first: number, count: number) =>
  new Response(
    lakeObject(
      first,
      Array.from({ length: count }, (_, index) => network.ledgerBytes(first + index) as Buffer),
    ),
  );

describe("names of objects", () => {
  test("are as in SEP-54", () => {
    const layout = { ledgersPerBatch: 2, batchesPerPartition: 8 };
    expect(batchName(layout, 2)).toBe("FFFFFFFF--0-15/FFFFFFFD--2-3");
    expect(batchName(layout, 19)).toBe("FFFFFFEF--16-31/FFFFFFED--18-19");
  });

  test("leave out what is one", () => {
    expect(batchName({ ledgersPerBatch: 1, batchesPerPartition: 1 }, 2)).toBe("FFFFFFFD--2");
    expect(batchName({ ledgersPerBatch: 1, batchesPerPartition: 64_000 }, 53_312_000)).toBe(
      "FCD285FF--53312000-53375999/FCD285FF--53312000",
    );
  });
});

describe("ledgers", () => {
  test("come from a lake with a layout file, several in one object", async () => {
    await using node = openNode((path) => {
      if (path.endsWith("/.config.json")) {
        return { ledgersPerBatch: 2, batchesPerPartition: 1, compression: "zstd" };
      }
      return path.endsWith(`--${FIRST}-${FIRST + 1}.xdr.zst`)
        ? batch(FIRST, 2)
        : new Response("", { status: 404 });
    });
    const lake = open(node);
    const found = await lake.fetchLedgerCloseMeta?.(FIRST + 1, node.context);
    expect(ledgerSequenceOf(found as Uint8Array)).toBe(FIRST + 1);
    const run: number[] = [];
    for await (const { sequence } of lake.fetchLedgerCloseMetas?.(FIRST, 999, node.context) ?? []) {
      run.push(sequence);
    }
    expect(run).toEqual([FIRST, FIRST + 1]);
  });

  test("come from a lake of the usual layout, also under the older suffix", async () => {
    const path = "/stellar/ledgers/FFFFFFFF--0-63999/FFFFFF2F--208.xdr.zstd";
    await using node = openNode((asked) =>
      asked === path ? batch(FIRST, 1) : new Response("", { status: 404 }),
    );
    expect(await open(node).fetchLedgerCloseMeta?.(FIRST, node.context)).not.toBeNull();
    expect(node.asked).toContain(path);
  });

  test("that a lake does not have are not an error", async () => {
    await using node = openNode(() => new Response("<Error/>", { status: 403 }));
    expect(await open(node).fetchLedgerCloseMeta?.(FIRST, node.context)).toBeNull();
  });

  test("of another network are refused", async () => {
    const config = { networkPassphrase: "x", ledgersPerBatch: 1, batchesPerPartition: 1 };
    await using node = openNode(() => config);
    const asked = open(node).fetchLedgerCloseMeta?.(FIRST, node.context) as Promise<unknown>;
    expect((await failureOf(asked)).code).toBe("NODE_LIED");
    expect(node.succeeded).toEqual([false]);
  });

  test("that are none are a bad answer, as is a bomb", async () => {
    const bomb = Bun.zstdCompressSync(Buffer.alloc(512 * 1024 * 1024));
    const bodies = [new Uint8Array([1, 2, 3]), new Uint8Array(bomb)];
    for (const body of bodies) {
      await using node = openNode((path) =>
        path.endsWith(".json") ? new Response("", { status: 404 }) : new Response(body),
      );
      const asked = open(node).fetchLedgerCloseMeta?.(FIRST, node.context) as Promise<unknown>;
      expect((await failureOf(asked)).code).toBe("NETWORK_BAD_ANSWER");
    }
  });
});
