// A fork that keeps itself in a file: the file has at any time what clients were told, whatever the
// process and the disk do.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Asset, Keypair, Operation } from "@stellar/stellar-sdk";
import fc from "fast-check";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openEmptyBase } from "../../src/fork/base/empty-base.ts";
import { encodedFork, openSavedFork } from "../../src/fork/base/saved-fork.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import { accountKeyOf } from "../../src/xdr/reader/keys.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { thrownBy } from "../support/failure.ts";
import { openFork, type TestFork } from "../support/fork.ts";
import { largeSavedFork } from "../support/large-fork.ts";
import { until } from "../support/until.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-fork-state-"));
afterAll(() => rmSync(directory, { recursive: true }));
let made = 0;
const newFile = () => {
  made += 1;
  return join(directory, `fork-${made}.json`);
};

/** What a fork that goes on with the text has, but for how it is written. */
async function contentOf(text: string) {
  const { base, read, overlay, followed } = await openSavedFork(text, "x", async () => null);
  const entries = new Map(overlay?.entries.map((entry) => [entry.keyXdr, entry]));
  const known = read.keysFrom(0).map((key): [string, unknown] => [key, read.get(key)]);
  const { headerXdr, ledgerHash } = overlay ?? base;
  return { headerXdr, ledgerHash, entries, read: new Map(known), followed };
}

type Step = (fork: TestFork, marks: number[]) => Promise<unknown>;

const account = fc.integer({ min: 0, max: 5 }).map((index) => {
  return Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)).publicKey();
});
const step: fc.Arbitrary<Step> = fc.oneof(
  account.map(
    (address): Step =>
      (fork) =>
        fork.call("fork_setBalance", { account: address, amount: "100000000" }),
  ),
  account.map(
    (address): Step =>
      (fork) =>
        fork.call("fork_setLedgerEntry", { key: accountKeyOf(address) }),
  ),
  account.map(
    (address): Step =>
      (fork) =>
        fork.call("getLedgerEntries", { keys: [accountKeyOf(address)] }),
  ),
  fc.constant((fork: TestFork) => fork.call("fork_closeLedgers")),
  fc.constant(async (fork: TestFork, marks: number[]) => {
    marks.push(await fork.call<number>("fork_snapshot"));
  }),
  fc.constant(async (fork: TestFork, marks: number[]) => {
    const id = marks.pop();
    if (id !== undefined) await fork.call("fork_revert", { id });
  }),
  fc.constant(async (fork: TestFork, marks: number[]) => {
    marks.length = 0;
    await fork.call("fork_reset");
  }),
  fc.constant(async (fork: TestFork, marks: number[]) => {
    marks.length = 0;
    await fork.call("fork_load", { state: await fork.call<string>("fork_dump") });
  }),
);

test("the file has all that the fork is, after each change", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const stateFile = newFile();
      await using fork = await openFork({ stateFile });
      const marks: number[] = [];
      for (const each of steps) {
        await each(fork, marks);
        // What was only read is in the file with the next change.
        await fork.call("fork_closeLedgers");
        const [file, dump] = await Promise.all([
          contentOf(readFileSync(stateFile, "utf8")),
          contentOf(await fork.call<string>("fork_dump")),
        ]);
        expect(file).toEqual(dump);
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

test("cut off anywhere in a line, it has the change before that", async () => {
  const stateFile = newFile();
  const states: { readonly bytes: number; readonly text: string }[] = [];
  const remember = () => {
    const text = readFileSync(stateFile, "utf8");
    states.push({ bytes: text.length, text });
  };
  {
    await using fork = await openFork({ stateFile });
    remember();
    for (let ledger = 0; ledger < 3; ledger += 1) {
      await fork.call("fork_closeLedgers");
      remember();
    }
  }
  const { text: all } = states.at(-1) ?? { text: "" };
  for (const [index, { bytes, text }] of states.entries()) {
    const next = states[index + 1]?.bytes ?? bytes;
    const expected = await contentOf(text);
    for (let cut = bytes; cut < next; cut += 1)
      expect((await contentOf(all.slice(0, cut))).ledgerHash).toBe(expected.ledgerHash);
  }
  const damaged = all.replace('"kind":"svc-fork-changes"', '"kind":"other"');
  await expect(contentOf(damaged)).rejects.toThrow(
    "x is not a valid saved fork: line 2: kind must",
  );
});

test("a fork that svc could not read again is not written", async () => {
  const context = { signal: new AbortController().signal };
  const opened = openEmptyBase({
    ...{ networkPassphrase: "test", protocolVersion: 27, closeTimeUnixSeconds: 1n },
  });
  const chain = openChain(opened.base, { replay: () => Promise.reject(new Error("not used")) });
  const state = { opened, networkPassphrase: "test", overlay: chain.overlay(), followed: null };
  const mebibyte = 1024 * 1024;
  expect([...encodedFork(state, mebibyte)].join("")).toEndWith("}\n");
  for (let index = 0; index < 100; index += 1)
    await opened.base.entries([`${index}`.padEnd(mebibyte / 64, "A")], context);
  expect(thrownBy(() => [...encodedFork(state, mebibyte)])).toMatchObject({
    code: "FORK_TOO_LARGE",
    message: "The fork has more than 1 MiB of entries, the limit for a saved fork.",
  });
});

describe("where the disk does not take it", () => {
  const readyOf = async (fork: TestFork) => {
    const answer = await fetch(`${fork.url}/ready`);
    const { error } = (await answer.json()) as { error?: { code: string; message: string } };
    return { status: answer.status, error };
  };
  const savedOf = async (fork: TestFork) =>
    /^svc_fork_state_saved (\d)$/m.exec(await (await fetch(`${fork.url}/metrics`)).text())?.[1];

  test("the operator sees it, the fork goes on, and it is tried again", async () => {
    const home = mkdtempSync(join(directory, "home-"));
    const away = `${home}-away`;
    const stateFile = join(home, "fork.json");
    await using fork = await openFork({ stateFile });
    expect([await savedOf(fork), (await readyOf(fork)).status]).toEqual(["1", 200]);
    const { sequence } = await fork.call<{ sequence: number }>("getLatestLedger");
    renameSync(home, away);
    await fork.call("fork_closeLedgers", { ledgers: 3 });
    expect(await savedOf(fork)).toBe("0");
    const lost = `the ledgers ${sequence + 1} to ${sequence + 3} are not in its file`;
    expect(await readyOf(fork)).toEqual({
      status: 503,
      error: expect.objectContaining({
        code: "FORK_STATE_UNSAVED",
        message: `The fork's state cannot be saved (no such directory): ${lost}.`,
      }),
    });
    renameSync(away, home);
    // No other change is needed.
    await until(async () => (await savedOf(fork)) === "1");
    expect((await readyOf(fork)).status).toBe(200);
    const messages = () => fork.log.map(({ message }) => message);
    await until(() => messages().includes("fork saved again"));
    expect(messages().filter((each) => each === "fork not saved")).toHaveLength(1);
    expect((await contentOf(readFileSync(stateFile, "utf8"))).headerXdr).toBe(
      JSON.parse(await fork.call<string>("fork_dump")).overlay.headerXdr,
    );
  }, 60_000);

  test("the end says what is lost", async () => {
    const home = mkdtempSync(join(directory, "home-"));
    const fork = await openFork({ stateFile: join(home, "fork.json") });
    const { sequence } = await fork.call<{ sequence: number }>("getLatestLedger");
    rmSync(home, { recursive: true });
    await fork.call("fork_closeLedgers");
    await expect(fork[Symbol.asyncDispose]()).rejects.toMatchObject({
      code: "OUTPUT_UNWRITABLE",
      message: expect.stringContaining(`ledger ${sequence + 1} is not in its file. Changes that`),
      details: { savedLedger: sequence, latestLedger: sequence + 1 },
    });
  });

  test("a file that somebody removes is written again, as a whole", async () => {
    const stateFile = newFile();
    await using fork = await openFork({ stateFile });
    rmSync(stateFile);
    await fork.call("fork_closeLedgers");
    const dump = await fork.call<string>("fork_dump");
    expect(await contentOf(readFileSync(stateFile, "utf8"))).toEqual(await contentOf(dump));
  });
});

describe("the program", () => {
  beforeAll(ensureBuilt, 900_000);
  const environment = { PATH: process.env.PATH, HOME: directory, SVC_SIM_PATH: SIMULATOR_BINARY };

  async function start(words: readonly string[], command = [svcBinary()]) {
    const child = Bun.spawn([...command, "fork", "--port", "0", "--json", ...words], {
      ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe", env: environment },
    });
    const { value } = await child.stdout.getReader().read();
    const { url, ledger } = JSON.parse(new TextDecoder().decode(value));
    const call = async <T>(method: string, params: object = {}) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body });
      const { result, error } = (await answer.json()) as { result: T; error?: object };
      if (error !== undefined) throw error;
      return result;
    };
    return { child, url: url as string, ledger: ledger as number, call };
  }

  test("killed as soon as a ledger was answered, it goes on from there", async () => {
    const stateFile = newFile();
    const account = Keypair.random().publicKey();
    let told = 0;
    for (let kill = 1; kill <= 8; kill += 1) {
      const { child, ledger, call } = await start(["--empty", "--state", stateFile]);
      expect(ledger).toBeGreaterThanOrEqual(told);
      const amount = String(kill * 10_000_000);
      const answers = Array.from({ length: kill }, () =>
        call<{ latestLedger: number }>("fork_setBalance", { account, amount }),
      );
      told = (await Promise.any(answers)).latestLedger;
      child.kill("SIGKILL");
      await Promise.allSettled([...answers, child.exited]);
    }
    const { child, ledger, call } = await start(["--empty", "--state", stateFile]);
    expect(ledger).toBeGreaterThanOrEqual(told);
    const keys = [accountKeyOf(account)];
    const { entries } = await call<{ entries: object[] }>("getLedgerEntries", { keys });
    expect(entries).toHaveLength(1);
    child.kill();
    await child.exited;
  }, 60_000);

  test("sweeps what killed processes left, and nothing else", async () => {
    const stateFile = newFile();
    const name = stateFile.slice(directory.length + 1);
    const left = `.${name}.${crypto.randomUUID()}.part`;
    const others = [`.${name}.mine.part`, `.other-${name}.${crypto.randomUUID()}.part`];
    for (const each of [left, ...others]) writeFileSync(join(directory, each), "");
    const { child } = await start(["--empty", "--state", stateFile]);
    const names = readdirSync(directory);
    expect([left, ...others].map((each) => names.includes(each))).toEqual([false, true, true]);
    child.kill();
    await child.exited;
  });

  test("a file that the system lets grow no more: it goes on, and its end is an error", async () => {
    const stateFile = newFile();
    // A limit stands for a full disk; its signal is ignored, so that writing fails.
    const limited = `trap '' XFSZ; ulimit -f 100; exec "$@"`;
    const command = ["sh", "-c", limited, "sh", svcBinary()];
    const { child, url, call } = await start(["--empty", "--state", stateFile], command);
    const status = async () => (await fetch(`${url}/ready`)).status;
    expect(await status()).toBe(200);
    const amount = "10000000";
    while ((await status()) === 200)
      await call("fork_setBalance", { account: Keypair.random().publicKey(), amount });
    const { sequence } = await call<{ sequence: number }>("getLatestLedger");
    const size = statSync(stateFile).size;
    await call("fork_closeLedgers");
    expect(statSync(stateFile).size).toBe(size);
    child.kill("SIGINT");
    expect(await child.exited).toBe(3);
    const errors = await new Response(child.stderr).text();
    expect(errors).toContain("fork not saved");
    expect(errors).toContain("OUTPUT_UNWRITABLE");
    expect(errors).toMatch(
      new RegExp(`ledgers? (\\d+ to )?${sequence + 1} (is|are) not in its file`),
    );
    const again = await start(["--empty", "--state", stateFile]);
    expect(again.ledger).toBeLessThanOrEqual(sequence);
    again.child.kill();
    await again.child.exited;
  }, 60_000);

  const ofLinux = process.platform === "linux" ? test : test.skip;
  ofLinux(
    "two names of one file are one state",
    async () => {
      const stateFile = newFile();
      const other = newFile();
      const first = await start(["--empty", "--state", stateFile]);
      first.child.kill();
      await first.child.exited;
      linkSync(stateFile, other);
      const running = await start(["--empty", "--state", stateFile]);
      const refusedAt = async (path: string) => {
        const words = ["fork", "--empty", "--port", "0", "--state", path];
        const { exitCode, stderr } = await svc(words);
        expect([exitCode, stderr]).toEqual([3, expect.stringContaining("FORK_STATE_IN_USE")]);
      };
      await refusedAt(other);
      await running.call("fork_closeLedgers");
      // The fork has written another file, and the one that it began with is still its own.
      await refusedAt(other);
      const later = newFile();
      linkSync(stateFile, later);
      await refusedAt(later);
      running.child.kill();
      await running.child.exited;
      const ended = await start(["--empty", "--state", other]);
      expect(ended.ledger).toBe(running.ledger);
      ended.child.kill();
      await ended.child.exited;
    },
    60_000,
  );

  test("a state of 80 MiB is read, saved and loaded again", async () => {
    const stateFile = newFile();
    const saved = newFile();
    writeFileSync(stateFile, await largeSavedFork(80 * 1024 * 1024));
    const { child, url, ledger, call } = await start(["--offline", "--state", stateFile]);
    await call("fork_closeLedgers");
    expect((await svc(["fork", "save", "--url", url, "--output", saved])).exitCode).toBe(0);
    expect(statSync(saved).size).toBeGreaterThan(80 * 1024 * 1024);
    await call("fork_closeLedgers", { ledgers: 5 });
    const loaded = await svc(["fork", "load", saved, "--url", url]);
    expect([loaded.stdout, loaded.stderr]).toEqual([`ledger ${ledger + 1}\n`, ""]);
    child.kill();
    expect(await child.exited).toBe(0);
    const again = await start(["--offline", "--from", stateFile]);
    expect(again.ledger).toBe(ledger + 1);
    again.child.kill();
    await again.child.exited;
  }, 120_000);

  test("a FIFO keeps no state", async () => {
    const fifo = newFile();
    await Bun.spawn(["mkfifo", fifo]).exited;
    const { exitCode, stderr } = await svc(["fork", "--empty", "--port", "0", "--state", fifo]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${fifo} is not a file.`)]);
    expect(existsSync(fifo)).toBeTrue();
  });
});

test("what is sent and answered is in the file before the answer", async () => {
  const stateFile = newFile();
  await using fork = await openFork({ stateFile });
  const source = fork.keypair(0);
  const destination = fork.accounts[1]?.address ?? "";
  const operation = Operation.payment({ destination, asset: Asset.native(), amount: "1" });
  const { hash } = await fork.node.sendTransaction(await fork.signed(source, operation));
  const { headerXdr } = await contentOf(readFileSync(stateFile, "utf8"));
  const { ledger } = (await fork.node.getTransaction(hash)) as { ledger: number };
  const dump = JSON.parse(await fork.call<string>("fork_dump"));
  expect(headerXdr).toBe(dump.overlay.headerXdr);
  expect(ledger).toBe((await fork.call<{ sequence: number }>("getLatestLedger")).sequence);
});
