// Recorded transactions of protocol 23, run again under later hosts: the same until 25, and a
// different rounding of rent from 26 on.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { differencesOf } from "../../src/debugger/run/rehearse.ts";
import type { ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { svc } from "../cli/run-svc.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { failureIn } from "../support/failure.ts";
import { CORE_TESTS_PASSPHRASE } from "../support/folded-stream.ts";
import { follow, ledgersOfFile, testEngines } from "../support/follow-run.ts";
import { needs } from "../support/needs.ts";
import { StreamNetwork } from "../support/stream-network.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

let engines: ReplayEngines;
beforeAll(async () => {
  await ensureBuilt();
  engines = testEngines();
}, 900_000);
afterAll(() => engines[Symbol.asyncDispose]());

const STREAM = ["core-streams", "InvokeHostFunctionTests", "279b3ea1936ed91c.xdr.zst"] as const;

const corpus = needs("../shared/corpus", hasCorpus(...STREAM));

corpus.describe("a rehearsal", () => {
  const verifying = async (protocol: number) => {
    const network = new StreamNetwork(
      await ledgersOfFile(corpusPath(...STREAM)),
      CORE_TESTS_PASSPHRASE,
    );
    await using nodes = network.serve({ live: { tip: () => network.last } });
    const words = ["verify", `${network.first}-${network.last}`, "--rpc-url", nodes.liveUrl()];
    const own = ["--network-passphrase", network.passphrase, "--ledger-lake-url", "none"];
    return await svc([...words, ...own, "--rehearse-protocol", String(protocol), "--json"]);
  };
  const differencesUnder = async (rehearseProtocol: number) => {
    const network = new StreamNetwork(
      await ledgersOfFile(corpusPath(...STREAM)),
      CORE_TESTS_PASSPHRASE,
    );
    await using nodes = network.serve({ live: { tip: () => network.last } });
    const { totals, events } = await follow({
      networkPassphrase: network.passphrase,
      rpcUrls: [nodes.liveUrl()],
      engines,
      options: { fromLedger: network.first, untilLedger: network.last },
      with: { rehearseProtocol },
    });
    expect(totals.rehearsed).toBe(24);
    const found = events.flatMap((event) => (event.kind === "rehearsal" ? event : []));
    expect(found).toHaveLength(totals.rehearsalDifferences);
    // Equal differences are one alert.
    const groups = new Set(found.map(({ contract, function: name }) => `${contract}.${name}`));
    expect(found.filter(({ alert }) => alert)).toHaveLength(groups.size);
    return found;
  };

  test("finds nothing where the hosts agree", async () => {
    for (const protocol of [24, 25]) expect(await differencesUnder(protocol)).toEqual([]);
  }, 60_000);

  test("of the chain's own protocol, or an older one, is refused", async () => {
    for (const protocol of [22, 23]) {
      const error = await failureIn(() => differencesUnder(protocol));
      expect([error.code, error.message]).toEqual([
        "USAGE",
        expect.stringContaining("has protocol 23."),
      ]);
    }
  });

  test("of svc verify finds what that of svc watch finds", async () => {
    const { rehearsal } = JSON.parse((await verifying(26)).stdout);
    expect(rehearsal).toMatchObject({ protocolVersion: 26, transactions: 24, different: 6 });
    const watched = await differencesUnder(26);
    const differences: { hash: string; detail: string }[] = rehearsal.differences;
    expect(differences.map(({ hash, detail }) => [hash, detail])).toEqual(
      watched.map(({ hash, detail }) => [hash ?? "", detail]),
    );
    const { exitCode, stdout } = await verifying(23);
    expect([exitCode, JSON.parse(stdout).error.code]).toEqual([2, "USAGE"]);
  }, 60_000);

  test("lists what would differ, with both values", async () => {
    const found = await differencesUnder(26);
    expect(found.map(({ differences }) => differences)).toEqual(Array(6).fill(["fee"]));
    expect(found[0]?.detail).toBe(
      "fee: 50669 + 50579 stroops now, 50669 + 50580 stroops under protocol 26.",
    );
  }, 60_000);
});

test("values that begin alike are shown where they differ", async () => {
  const bytes = (last: number) => {
    const value = Buffer.alloc(300, 1);
    value[250] = last;
    return ScVal.scvBytes(value).toXdr("base64");
  };
  const { execution } = walkOf("sac-transfer");
  const returning = (last: number) => ({ ...execution, returnValueXdr: bytes(last) });
  const { detail } = differencesOf(returning(0xaa), returning(0xbb), 27);
  const [one, two] = /: (.*) now, (.*) under/.exec(detail)?.slice(1) ?? [];
  expect([one?.includes("aa"), two?.includes("bb"), one === two]).toEqual([true, true, false]);
});
