// The lake that nobody named: the newest folder that holds the ledger, announced before the first
// download, and left out for good where it fails.

import { describe, expect, test } from "bun:test";
import { openPublicLake } from "../../src/sources/nodes/public-lake.ts";
import { ledgerSequenceOf } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { lakeObject } from "../support/made-network.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { openNode, type ScriptedNode } from "../support/scripted-node.ts";

const network = new RecordedNetwork();
const FIRST = 208;
const PREFIX = "v1.1/stellar/ledgers/testnet";

const batch = (sequence: number) =>
  new Response(lakeObject(sequence, [network.ledgerBytes(sequence) as Buffer]));

function open(node: ScriptedNode, folders: boolean) {
  const said: string[] = [];
  const { http } = node.dependencies;
  const lake = openPublicLake(
    { url: `${node.url}/${PREFIX}`, folders },
    { http, networkPassphrase: network.passphrase, progress: (text) => said.push(text) },
  );
  return { lake, said };
}

const MISSING = () => new Response("", { status: 404 });
const listing = (...folders: readonly string[]) =>
  new Response(
    `<?xml version="1.0"?><ListBucketResult><Prefix>${PREFIX}/</Prefix>${folders
      .map((name) => `<CommonPrefixes><Prefix>${PREFIX}/${name}/</Prefix></CommonPrefixes>`)
      .join("")}</ListBucketResult>`,
  );

test("of a network that was reset, the newest folder that holds the ledger is read", async () => {
  await using node = openNode((path) => {
    if (path === "/") return listing("2024-06-01", "2025-12-17", "2025-02-01");
    if (path.includes("/2025-12-17/") && path.includes(`--${FIRST}.`)) return batch(FIRST);
    if (path.includes("/2025-02-01/") && path.includes(`--${FIRST + 1}.`)) return batch(FIRST + 1);
    return MISSING();
  });
  const { lake, said } = open(node, true);
  const ledgers = await Array.fromAsync(
    lake.fetchLedgerCloseMetas?.(FIRST, FIRST + 5, node.context) ?? [],
  );
  expect(ledgers.map(({ ledgerCloseMeta }) => ledgerSequenceOf(ledgerCloseMeta))).toEqual([
    FIRST,
    FIRST + 1,
  ]);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("about 1 MB each");
  expect(node.asked.filter((path) => path.includes("list-type"))).toHaveLength(1);
  const ofOldest = node.asked.filter((path) => /2024-06-01.*--/.test(path));
  const found = [`--${FIRST}.`, `--${FIRST + 1}.`];
  expect(ofOldest.filter((path) => found.some((name) => path.includes(name)))).toEqual([]);
});

describe("a lake that fails is left out, with why:", () => {
  const FAILURES: Readonly<Record<string, () => Response>> = {
    "an error status": () => new Response("no", { status: 400 }),
    "a web page as its listing": () => new Response("<html>welcome</html>"),
    "an empty listing": () => listing(),
  };
  for (const [what, answer] of Object.entries(FAILURES))
    test(what, async () => {
      await using node = openNode(answer);
      const { lake, said } = open(node, true);
      expect(lake.lapse?.()).toBeNull();
      expect(await lake.fetchLedgerCloseMeta?.(FIRST, node.context)).toBeNull();
      const asked = node.asked.length;
      expect(await lake.fetchLedgerCloseMeta?.(FIRST + 1, node.context)).toBeNull();
      expect([node.asked.length, said.length]).toEqual([asked, 1]);
      expect(lake.lapse?.()).toStartWith("Ledgers that no node has were not read from the lake");
    });
});

test("an interruption is none of its failures", async () => {
  await using node = openNode(MISSING);
  const { lake } = open(node, false);
  const context = { signal: AbortSignal.abort() };
  const asked = (async () => lake.fetchLedgerCloseMeta?.(FIRST, context))();
  expect(await asked.catch(() => "interrupted")).toBe("interrupted");
  expect(lake.lapse?.()).toBeNull();
});
