// What a fork stands on: a network's ledger, the moment before a transaction, a capsule, a file.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keypair } from "@stellar/stellar-sdk";
import { LedgerEntry, LedgerKey } from "@stellar/stellar-sdk/xdr";
import { forgedPart } from "../../src/xdr/ledger/check-ledger.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { svc } from "../cli/run-svc.ts";
import { openFork, type TestFork } from "../support/fork.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(() => loopback[Symbol.asyncDispose]());

const network = () => ({
  networkPassphrase: loopback.network.passphrase,
  horizonUrl: loopback.url("horizon"),
  rpcUrl: loopback.url("rpc"),
});

const SETTINGS_SINCE = 136;

const NAMES = [
  "same ledger: inc main #3",
  "upload kitchen wasm",
  "SAC approve",
  "same ledger: prng",
];

/** All but the metas, whose diagnostics have times, and what is of the node's own window. */
const SAME = "status txHash feeBump envelopeXdr resultXdr events ledger createdAt".split(" ");

interface Found {
  readonly key: string;
  readonly xdr: string;
}

interface Answer {
  readonly status: string;
  readonly resultXdr: string;
  readonly envelopeXdr: string;
  readonly ledger: number;
  readonly createdAt: string;
  readonly [field: string]: unknown;
}

describe("a recorded transaction, sent again to the fork just before it", () => {
  const chosen = () => {
    // The recorded settings are those since that ledger.
    const soroban = loopback.network.transactions.filter(
      ({ soroban, ledger }) => soroban && ledger > SETTINGS_SINCE,
    );
    const named = soroban.filter(({ name }) => NAMES.includes(name));
    return [...named, ...soroban.filter((_, index) => index % 10 === 0)];
  };

  test("ends as it did on the chain", async () => {
    const different: string[] = [];
    for (const { hash, name } of chosen()) {
      const recorded = loopback.network.transactions.find((each) => each.hash === hash);
      if (recorded === undefined) continue;
      const chain = loopback.network.file(recorded).rpcGetTransaction.result as unknown as Answer;
      await using fork = await openFork({ ...network(), choice: { before: hash } });
      const sent = await fork.call("sendTransaction", { transaction: chain.envelopeXdr });
      const found = await fork.call<Answer>("getTransaction", { hash: sent.hash });
      expect(Object.keys(found)).toEqual(Object.keys(chain));
      const fields = SAME.filter((field) => !Bun.deepEquals(found[field], chain[field]));
      // Its ledger has the network's seed, and a set of its own that has the hash in the header.
      const { metadataXdr } = await fork.call<{ metadataXdr: string }>("getLatestLedger");
      const view = readLedgerCloseMeta(
        Buffer.from(metadataXdr, "base64"),
        loopback.network.passphrase,
      );
      const { transactionSetHash } = loopback.network.view(recorded.ledger)?.facts ?? {};
      expect([forgedPart(view), view.facts.transactionSetHash]).toEqual([
        null,
        transactionSetHash as string,
      ]);
      if (fields.length > 0) different.push(`${name}: ${sent.status}, ${fields.join(", ")}`);
    }
    expect(different).toEqual([]);
  }, 60_000);
});

test("what ledger-mates changed before a repeated transaction is known to svc", async () => {
  const reading = loopback.network.transactions.find(({ name }) => name === "same ledger: mixed 2");
  if (reading === undefined) throw new Error("no transaction reads what its ledger changed");
  const { hash, ledger } = reading;
  const recorded = loopback.network.file(reading).rpcGetTransaction.result as unknown as Answer;
  await using fork = await openFork({ ...network(), choice: { before: hash } });
  await fork.call("sendTransaction", { transaction: recorded.envelopeXdr });
  const node = ["--rpc-url", fork.url, "--network-passphrase", loopback.network.passphrase];
  const { stdout } = await svc(["verify", String(ledger), ...node, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ verdicts: { exact: 1 } });
});

test("what a repeated transaction draws is the network's, in whatever svc does with the fork", async () => {
  const drawing = loopback.network.transactions.find(({ name }) => name === "same ledger: prng");
  if (drawing === undefined) throw new Error("no transaction draws");
  expect(drawing.applicationOrder).toBe(4);
  const { hash, ledger } = drawing;
  const recorded = loopback.network.file(drawing).rpcGetTransaction.result as unknown as Answer;
  await using fork = await openFork({ ...network(), choice: { before: hash } });
  await fork.call("sendTransaction", { transaction: recorded.envelopeXdr });
  const node = ["--rpc-url", fork.url, "--network-passphrase", loopback.network.passphrase];
  const captured = await svc(["capture", hash, ...node, "--save", "-"]);
  const debugged = await svc(["debug", "--from", "-", "--json"], { stdin: captured.stdout });
  expect(JSON.parse(debugged.stdout).verdict.kind).toBe("exact");
  const verified = await svc(["verify", String(ledger), ...node, "--json"]);
  expect(JSON.parse(verified.stdout)).toMatchObject({ verdicts: { exact: 1 } });
  const file = { name: "x.json", text: captured.stdout, mayBeCapsule: true };
  await using again = await openFork({ ...network(), offline: true, choice: { file } });
  await again.call("sendTransaction", { transaction: recorded.envelopeXdr });
  const found = await again.call<Answer>("getTransaction", { hash });
  expect(found.resultXdr).toBe(recorded.resultXdr);
}, 60_000);

describe("the latest ledger", () => {
  test("has what nodes have, and asks them for each entry once", async () => {
    await using fork = await openFork({ ...network(), choice: {} });
    expect(fork.ledger).toBe(loopback.network.latestLedger + 1);
    const transaction = loopback.network.transactions.find(({ soroban }) => soroban);
    const keys = (transaction && loopback.network.file(transaction).postEntries?.keys) ?? [];
    const ask = () =>
      fork.call<{ entries: object[] }>("getLedgerEntries", { keys: keys.slice(0, 5) });
    const { entries } = await ask();
    expect(entries.length).toBeGreaterThan(0);
    const asked = loopback.requests.length;
    expect((await ask()).entries).toEqual(entries);
    expect(loopback.requests.length).toBe(asked);
  });
});

test("a ledger that no source has is not forked", async () => {
  const choice = { ledger: 7 };
  await expect(openFork({ ...network(), choice })).rejects.toMatchObject({
    code: "FORK_STATE_UNKNOWN",
  });
});

test("an earlier ledger has the entries as it left them", async () => {
  const ledger = 408;
  const inc = loopback.network.transactions.find(({ name }) => name === NAMES[0]);
  const keys = (inc && loopback.network.file(inc).preEntries?.keys) ?? [];
  const answer = await fetch(loopback.url("rpc", `entries-at=${ledger}`), {
    method: "POST",
    body: JSON.stringify({ id: 1, method: "getLedgerEntries", params: { keys } }),
  });
  const { result } = (await answer.json()) as { result: { entries: Found[] } };
  await using fork = await openFork({ ...network(), choice: { ledger } });
  const { entries } = await fork.call<{ entries: Found[] }>("getLedgerEntries", { keys });
  const dataOf = (found: readonly Found[]) => found.map(({ key, xdr }) => [key, xdr]).sort();
  expect(entries.length).toBeGreaterThan(2);
  expect(dataOf(entries)).toEqual(dataOf(result.entries));
});

test("a reset forks another ledger, or the moment before a transaction", async () => {
  const inc = loopback.network.transactions.find(({ name }) => name === NAMES[0]);
  if (inc === undefined) throw new Error(`no transaction is named ${NAMES[0]}`);
  await using fork = await openFork({ ...network(), choice: { ledger: 408 } });
  const latest = async () => (await fork.call<{ sequence: number }>("getLatestLedger")).sequence;
  expect(await latest()).toBe(409);
  await fork.call("fork_reset", { ledger: 414 });
  expect(await latest()).toBe(415);
  await fork.call("fork_reset", { before: inc.hash });
  expect(await latest()).toBe(inc.ledger - 1);
  // Of the ledger before, the fork has what the network closed.
  const { metadataXdr } = await fork.call<{ metadataXdr: string }>("getLatestLedger");
  const meta = Buffer.from(metadataXdr, "base64");
  const view = readLedgerCloseMeta(meta, loopback.network.passphrase);
  const set = sha256(view.transactionSet ?? new Uint8Array()).toHex();
  expect(set).toBe(view.facts.transactionSetHash);
  await fork.call("fork_reset");
  expect(await latest()).toBe(409);
});

describe("files", () => {
  const capsule = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");

  test("a capsule needs nobody", async () => {
    const text = await Bun.file(capsule).text();
    const { record } = JSON.parse(text);
    await using fork = await openFork({
      choice: { file: { name: capsule, text, mayBeCapsule: true } },
      networkPassphrase: record.networkPassphrase,
      offline: true,
    });
    const sent = await fork.call("sendTransaction", { transaction: record.envelopeXdr });
    const found = await fork.call<Answer>("getTransaction", { hash: sent.hash });
    expect([sent.status, found.resultXdr]).toEqual(["PENDING", record.resultXdr]);
    expect(found.createdAt).toBe(record.ledger.closeTimeUnixSeconds);
  });

  test("a fork keeps itself in a file, which is whole at any time", async () => {
    const stateFile = join(mkdtempSync(join(tmpdir(), "svc-fork-")), "fork.json");
    let ledger = 0;
    {
      await using fork = await openFork({ stateFile });
      await fork.call("fork_closeLedgers", { ledgers: 5 });
      const { sequence } = await fork.call<{ sequence: number }>("getLatestLedger");
      ledger = sequence;
    }
    const text = await Bun.file(stateFile).text();
    await using again = await openFork({ choice: { file: { name: stateFile, text } } });
    const { sequence } = await again.call<{ sequence: number }>("getLatestLedger");
    expect(sequence).toBe(ledger);
  });

  test("a fork that could not be kept in its file ends with the error", async () => {
    const notDirectory = join(import.meta.dir, "bases.test.ts", "fork.json");
    const fork = await openFork({ stateFile: notDirectory });
    await expect(fork[Symbol.asyncDispose]()).rejects.toMatchObject({ code: "OUTPUT_UNWRITABLE" });
  });

  test("another file is refused, and one that is damaged, when it is opened", async () => {
    await using fork = await openFork();
    const state = await fork.call<string>("fork_dump");
    const damaged = (change: (saved: ReturnType<typeof JSON.parse>) => void) => {
      const saved = JSON.parse(state);
      change(saved);
      return JSON.stringify(saved);
    };
    const header = "headerXdr is not the header of a ledger";
    for (const [text, why] of [
      ['{"kind":"svc-fork","format":7}', "format must be 1"],
      [damaged(({ base }) => Object.assign(base, { headerXdr: "AAAA" })), `base.${header}`],
      [
        damaged(({ overlay }) => Object.assign(overlay, { headerXdr: "AAAA" })),
        `overlay.${header}`,
      ],
      [
        damaged(({ base }) => (base.settingsXdr[2] = "AAAA")),
        "base.settingsXdr[2] is not a setting",
      ],
      [damaged(({ base }) => (base.entries[0].keyXdr = "AAAA")), "its key AAAA cannot be decoded"],
      [damaged(({ overlay }) => (overlay.entries[0].entryXdr = "AAAA")), "cannot be decoded"],
      [
        damaged(({ overlay }) => (overlay.entries[0].keyXdr = overlay.entries[1].keyXdr)),
        "has another key",
      ],
    ] as const) {
      const file = { name: "x.json", text };
      const { code, message } = await openFork({ choice: { file } }).catch((error) => error);
      expect([code, message]).toEqual(["FILE_INVALID", expect.stringContaining(why)]);
      expect(message).toStartWith("x.json is not a valid saved fork: ");
    }
  });

  test("a file of another kind is named, and what is expected of it", async () => {
    await using fork = await openFork();
    const snapshot = JSON.stringify(await fork.call("fork_sdkSnapshot"));
    for (const [text, what] of [
      ["", "empty"],
      ["\u0000\u0001", "not JSON"],
      ["{}", "other JSON"],
      ["null", "other JSON"],
      [snapshot, "a snapshot for soroban-sdk, as svc writes one of a fork"],
      [await Bun.file(capsule).text(), "a capsule"],
    ] as const) {
      const file = { name: "x.json", text };
      await expect(openFork({ choice: { file } })).rejects.toMatchObject({
        code: "FILE_INVALID",
        message: `x.json is not a saved fork: it is ${what}.`,
      });
      if (what === "a capsule") continue;
      await expect(openFork({ choice: { file: { ...file, mayBeCapsule: true } } })).rejects.toThrow(
        `x.json is not a saved fork or a capsule: it is ${what}.`,
      );
    }
  });

  test("an indented saved fork is one", async () => {
    await using fork = await openFork();
    const text = JSON.stringify(JSON.parse(await fork.call<string>("fork_dump")), null, 2);
    await using again = await openFork({ choice: { file: { name: "x.json", text } } });
    expect(again.ledger).toBe(fork.ledger);
  });

  test("`--state` does not replace a file that is no saved fork", async () => {
    const state = join(mkdtempSync(join(tmpdir(), "svc-fork-")), "mine.json");
    const text = await Bun.file(capsule).text();
    await Bun.write(state, text);
    const { exitCode, stderr } = await svc(["fork", "--offline", "--port", "0", "--state", state]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`${state} is not a saved fork: it is a capsule.`),
    ]);
    expect(await Bun.file(state).text()).toBe(text);
  });
});

describe("a saved fork that reads on", () => {
  // A fork is a node, too: here it is the network of another one.
  const saved = async () => {
    await using live = await openFork();
    // Networks that begin in the same second have the same ledgers, as long as nothing happens.
    await live.call("fork_warp", { seconds: 1000 });
    await using fork = await openFork({ rpcUrl: live.url, choice: {} });
    const text = await fork.call<string>("fork_dump");
    const file = { name: "fork.json", text };
    await using again = await openFork({ rpcUrl: live.url, choice: { file } });
    expect(again.log).toEqual([]);
    return { file, ledger: fork.ledger - 1 };
  };
  const entriesOf = (fork: TestFork) => {
    const account = Keypair.random().publicKey();
    const key = LedgerKey.fromJson({ account: { account_id: account } }).toXdr("base64");
    return fork.call<{ entries: Found[] }>("getLedgerEntries", { keys: [key] });
  };

  test("does not with nodes of the network after a reset", async () => {
    const { file, ledger } = await saved();
    await using after = await openFork();
    await after.call("fork_closeLedgers", { ledgers: ledger });
    const opening = openFork({ rpcUrl: after.url, choice: { file } });
    await expect(opening).rejects.toMatchObject({
      code: "FORK_OTHER_NETWORK",
      message: expect.stringContaining(`Ledger ${ledger} has another hash at `),
    });
    await using alone = await openFork({ rpcUrl: after.url, offline: true, choice: { file } });
    expect((await entriesOf(alone)).entries).toEqual([]);
  });

  test("with nodes that do not have its ledger any more, says that nothing was checked", async () => {
    const { file, ledger } = await saved();
    await using later = await openFork();
    await later.call("fork_warp", { toLedger: ledger + 100 });
    await using fork = await openFork({ rpcUrl: later.url, choice: { file } });
    await entriesOf(fork);
    await entriesOf(fork);
    expect(fork.log.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      `svc could not check that the nodes belong to the forked network: none shows ledger ${ledger}.`,
    ]);
  });

  test("says that another ledger is not forked", async () => {
    const { file, ledger } = await saved();
    await using fork = await openFork({ offline: true, choice: { file, ledger: 7 } });
    expect(fork.log[0]?.message).toBe(
      `--ledger 7 had no effect: the saved fork of ledger ${ledger} was resumed.`,
    );
  });

  test("does not where it began empty: the network is no node's", async () => {
    await using empty = await openFork();
    const text = await empty.call<string>("fork_dump");
    const file = { name: "fork.json", text };
    // Nothing answers there.
    await using fork = await openFork({ rpcUrl: "http://127.0.0.1:1", choice: { file } });
    expect((await entriesOf(fork)).entries).toEqual([]);
    expect(fork.log.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test("starts while nodes fail, and checks them before it reads", async () => {
    const { file, ledger } = await saved();
    await using after = await openFork();
    await after.call("fork_closeLedgers", { ledgers: ledger });
    let isUp = false;
    // Neither an answer nor an end.
    await using silent = Bun.serve({ port: 0, fetch: () => new Promise<never>(() => {}) });
    await using alone = await openFork({ rpcUrl: silent.url.href, choice: { file } });
    expect(alone.ledger).toBe(ledger + 1);
    await using server = Bun.serve({
      port: 0,
      fetch: async (request) =>
        isUp
          ? fetch(after.url, {
              method: "POST",
              body: await request.text(),
              headers: request.headers,
            })
          : new Response("busy", { status: 503 }),
    });
    const rpcUrl = server.url.href;
    await using fork = await openFork({ rpcUrl, choice: { file } });
    isUp = true;
    await expect(entriesOf(fork)).rejects.toMatchObject({
      message: expect.stringContaining("has another hash at "),
    });
  }, 60_000);
});

describe("an entry that changed since the forked ledger", () => {
  // A fork is a node, too: here it is the network of another one.
  test.each([
    ["in nearly every ledger", 0],
    ["once, long after", 2],
  ])("%s, is as that ledger left it", async (_, index) => {
    await using live = await openFork();
    const account = live.accounts[index]?.address ?? "";
    const key = LedgerKey.fromJson({ account: { account_id: account } }).toXdr("base64");
    const read = (fork: TestFork) =>
      fork.call<{ entries: Found[] }>("getLedgerEntries", { keys: [key] });
    const set = (amount: number) => live.call("fork_setBalance", { account, amount });
    await set(7);
    const { sequence: ledger } = await live.call<{ sequence: number }>("getLatestLedger");
    const { entries } = await read(live);
    for (let round = 0; round < 90; round += 1)
      await (index === 0 ? set(100 + round) : live.call("fork_closeLedgers"));
    await set(8);
    await using fork = await openFork({ rpcUrl: live.url, choice: { ledger } });
    expect((await read(live)).entries).not.toEqual(entries);
    // The fork funds its accounts; an entry of the base is read before that.
    const saved = JSON.parse(await fork.call<string>("fork_dump"));
    const base = saved.base.entries.find(({ keyXdr }: { keyXdr: string }) => keyXdr === key);
    expect(LedgerEntry.fromXdr(base.entryXdr, "base64").data.toXdr("base64")).toBe(
      entries[0]?.xdr ?? "",
    );
  });
});
