// svc state on the compiled binary: a directory, and the same archive over HTTP.

import { afterAll, expect } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { proveSnapshot } from "../../src/history-archive/prove-snapshot.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import {
  ARCHIVE,
  configuredArchive,
  firstRecord,
  HAS_ARCHIVE,
  ignorantSnapshot,
  ofArchive,
} from "../support/archived-records.ts";
import { partOf } from "../support/made-archive.ts";
import { needs } from "../support/needs.ts";
import { opened } from "../support/opened.ts";
import { openTmux, TMUX } from "../support/tmux.ts";
import { svc, svcBinary } from "./run-svc.ts";

const { test } = ofArchive;
const CONTRACT = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
const cache = mkdtempSync(join(tmpdir(), "svc-state-"));
afterAll(() => rmSync(cache, { recursive: true }));
const run = (...words: string[]) => svc(["state", ...words, "--archive-cache", cache]);
const ofDirectory = ["--history-archive", ARCHIVE];

test("an entry with its value, and the proof up to the validators", async () => {
  const { exitCode, stdout, stderr } = await run(CONTRACT, "--ledger", "5000", ...ofDirectory);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("after ledger 5,000 of testnet");
  expect(stdout).toContain("instance of the Stellar asset contract");
  expect(stdout).toContain(
    "Proven: 3 validators (1 organisation, 1 needed) signed the header of ledger",
  );
  expect(stdout).toContain("last modified no later than ledger");
});

test("a settings file has the archive, and one that nobody named sets no validators", async () => {
  const directory = mkdtempSync(join(cache, "settings-"));
  const place = { historyArchive: ARCHIVE, archiveCache: cache };
  const run = (name: string, settings: object, ...words: string[]) => {
    writeFileSync(join(directory, name), JSON.stringify(settings));
    return svc(["state", CONTRACT, "--ledger", "5000", ...words], { directory });
  };
  const named = await run("archive.json", place, "--config", "archive.json");
  expect([named.exitCode, named.stdout]).toEqual([0, expect.stringContaining("Proven:")]);
  for (const refused of [{ validators: "GA" }, { archiveCacheSize: 1 }]) {
    const { exitCode, stderr } = await run("svc.json", { ...place, ...refused });
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining("found in the working directory"),
    ]);
  }
});

test("what does not exist is proven, too, and what may have changed is not known: 6", async () => {
  const absent = await run(CONTRACT, "--key", "Nothing", "--ledger", "5951", ...ofDirectory);
  expect(absent.exitCode).toBe(0);
  expect(absent.stdout).toContain("did not exist");
  expect(absent.stdout).toContain("Proven:");
  const account = "GAIH3ULLFQ4DGSECF2AR555KZ4KNDGEKN4AFI4SU2M7B43MGK3QJZNSR";
  const unknown = await run(account, "--ledger", "200", ...ofDirectory);
  expect([unknown.exitCode, unknown.stderr]).toEqual([6, ""]);
  expect(unknown.stdout).toMatch(/it may have changed between ledgers 200 and\s+255/);
  expect(unknown.stdout).toContain("pass `--ledger 191` or `--ledger 255`");
  const setting = ['{"config_setting":{"config_setting_id":"contract_compute_v0"}}', "--ledger"];
  const { stdout } = await run(...setting, "5000", ...ofDirectory);
  expect(stdout).toContain('"tx_max_instructions": "100000000"');
});

/** The archive over HTTP, whose buckets are `times` as large as they are. */
function serve(times = 1) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const isRoot = pathname === "/.well-known/stellar-history.json";
      const root = "history/00/00/17/history-0000177f.json";
      const path = join(ARCHIVE, isRoot ? root : pathname);
      if (!existsSync(path)) return new Response("", { status: 404 });
      const file = await Bun.file(path).bytes();
      const isBucket = pathname.startsWith("/bucket/");
      return partOf(file, request, { total: isBucket ? file.length * times : file.length });
    },
  });
}

test("over HTTP the same document, in parts", async () => {
  await using server = serve();
  const own = mkdtempSync(join(cache, "http-"));
  const words = ["state", CONTRACT, "--ledger", "5000", "--json", "--archive-cache", own];
  const url = `http://127.0.0.1:${server.port}`;
  const { exitCode, stdout, stderr } = await svc([...words, "--history-archive", url]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  const local = await run(CONTRACT, "--ledger", "5000", "--json", ...ofDirectory);
  const without = (text: string) => ({ ...JSON.parse(text), archive: null });
  expect(without(stdout)).toEqual(without(local.stdout));
});

test("a large download needs the user's word", async () => {
  await using server = serve(1000);
  const own = mkdtempSync(join(cache, "large-"));
  const url = `http://127.0.0.1:${server.port}`;
  const { exitCode, stdout } = await svc([
    ...["state", CONTRACT, "--history-archive", url, "--archive-cache", own, "--json"],
  ]);
  expect([exitCode, JSON.parse(stdout).error.code]).toEqual([2, "ARCHIVE_DOWNLOAD_LARGE"]);
  const place = ["--history-archive", url, "--archive-cache", own];
  const allowed = await svc(["state", CONTRACT, ...place, "--download"]);
  expect(allowed.stderr).toMatch(/Downloading \d+ buckets of http.*: \d+ MB\./);
});

needs("tmux", TMUX !== null && HAS_ARCHIVE).test(
  "on a terminal a large download is asked for",
  async () => {
    await using server = serve(1000);
    const environment = { SVC: svcBinary(), ARCHIVE: `http://127.0.0.1:${server.port}` };
    await using tmux = openTmux({ columns: 110, rows: 30, directory: cache, environment });
    for (const [typed, code] of [
      ["n", "ARCHIVE_DOWNLOAD_LARGE"],
      ["yes", "ARCHIVE_DAMAGED"],
    ] as const) {
      const words = `$SVC state ${CONTRACT} --history-archive $ARCHIVE --archive-cache asked`;
      tmux.type(`clear; ${words}`);
      tmux.keys("Enter");
      await tmux.until(/needs \d+ buckets of .* MB. Download them now\? \[y\/N\]/);
      tmux.type(typed);
      tmux.keys("Enter");
      await tmux.until(code);
      await tmux.until(/^\$\s*$/m);
    }
  },
  60_000,
);

test("a directory that is no archive, a word that is no key, a ledger too late: told apart", async () => {
  const none = await run(CONTRACT, "--history-archive", cache);
  expect([none.exitCode, none.stderr]).toEqual([4, expect.stringContaining("ARCHIVE_LACKS")]);
  const off = await run(CONTRACT, "--history-archive", "none");
  expect([off.exitCode, off.stderr]).toEqual([3, expect.stringContaining("ARCHIVE_NOT_SET")]);
  const word = await run("nonsense", ...ofDirectory);
  expect([word.exitCode, word.stderr]).toEqual([
    2,
    expect.stringContaining("is not an address (C… or G…), and is not base64 of a LedgerKey"),
  ]);
  for (const flags of [[], ["--key", "Count"]]) {
    const typo = await run(`${CONTRACT.slice(0, -1)}D`, ...flags, ...ofDirectory);
    expect([typo.exitCode, typo.stderr]).toEqual([
      2,
      expect.stringContaining("is not an address: its checksum is wrong."),
    ]);
  }
  const foreign = await run(CONTRACT, "--network", "mainnet", ...ofDirectory);
  const network = 'no state of this network: it is of "Test SDF Network ; September 2015"';
  expect([foreign.exitCode, foreign.stderr]).toEqual([4, expect.stringContaining(network)]);
  const stranger = ["--validators", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"];
  const twoOfThree = [ARCHIVE, cache, `${ARCHIVE}/`].join(",");
  const unsigned = [CONTRACT, "--ledger", "5000", "--history-archive", twoOfThree, ...stranger];
  const { stdout } = await run(...unsigned);
  expect(stdout).toContain("Not proven");
  expect(stdout).toContain("2 of 3 archives have this header.");
  const header = "4b9a3e9d1f03a804cd9cdae06acc6a57260926070ba365fc4fc6e09300f1446e";
  const trusting = await run(...unsigned, "--trusted-header", `5055:${header}`);
  expect(trusting.stdout).toContain(
    "Proven: the header is in the chain before that of ledger 5,055",
  );
  const late = await run(CONTRACT, "--ledger", "6010", ...ofDirectory);
  expect([late.exitCode, late.stderr]).toEqual([
    2,
    expect.stringContaining("end with ledger 5951"),
  ]);
  const validator = "GDKXE2OZMJIPOSLNA6N6F2BVCI3O777I2OOC4BV7VOYUEHYX7RTRYA7Y";
  const twice = await run(CONTRACT, "--validators", `${validator};${validator}`, ...ofDirectory);
  expect([twice.exitCode, twice.stderr]).toEqual([
    2,
    expect.stringContaining("must name each validator once"),
  ]);
});

test("svc debug --prove of a capsule proves its state, and asks no node", async () => {
  const record = await firstRecord();
  const { settings, ...rest } = ignorantSnapshot(record);
  const words = ["--prove", "--archive-cache", cache, ...ofDirectory, "--timeout", "30s"];
  const capsule = join(cache, "a.capsule.json");
  const known = await configuredArchive([ARCHIVE], cache, undefined, true);
  const snapshot = await proveSnapshot({ settings, ...rest }, opened({ record }), known);
  writeFileSync(capsule, encodeCapsule(record, snapshot));
  const elsewhere = await svc(["debug", capsule], {
    environment: { SVC_ARCHIVE_CACHE: join(cache, "elsewhere") },
  });
  expect(elsewhere.stdout).toContain("Proven by a history archive: result and ledger header.");
  expect(elsewhere.stdout).toContain("(from the capsule;");
  const here = await svc(["debug", capsule], { environment: { SVC_ARCHIVE_CACHE: cache } });
  expect(here.stdout).toMatch(
    /Proven by a history archive: result, ledger header, \d+ entr(y|ies) and/,
  );
  expect(here.stdout).not.toContain("Not confirmed");
  const { stdout, stderr } = await svc(["debug", capsule, ...words]);
  expect(stderr).toBe("");
  expect(stdout).toBe(here.stdout);
  const stranger = ["--validators", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"];
  const unsigned = await svc(["debug", capsule, ...words, ...stranger]);
  expect(unsigned.stdout).toMatch(/Not proven:\s+too\s+few\s+validators\s+signed\s+ledger/);
  expect(unsigned.stdout).not.toContain("Proven by");
}, 60_000);

test("svc debug --prove of a hash that no node has runs it from the archive alone", async () => {
  const record = await firstRecord();
  await using nowhere = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method === "GET") return Response.json({ status: 404 }, { status: 404 });
      const { id, method } = (await request.json()) as { id: number; method: string };
      const [latestLedger, oldestLedger] = [900_000, 800_000];
      const times = { latestLedgerCloseTime: "1800000000", oldestLedgerCloseTime: "1700000000" };
      const result = { status: "NOT_FOUND", latestLedger, oldestLedger, ...times };
      const error = { code: -32601, message: "method not found" };
      const answer = method === "getTransaction" ? { result } : { error };
      return Response.json({ jsonrpc: "2.0", id, ...answer });
    },
  });
  const url = `http://127.0.0.1:${nowhere.port}`;
  const nodes = ["--horizon-url", url, "--rpc-url", url, "--ledger-lake-url", "none"];
  const words = ["-n", "testnet", ...nodes, "--prove", "--archive-cache", cache, ...ofDirectory];
  const ledger = String(record.ledger.sequence);
  const found = await svc(["debug", record.hash, "--ledger", ledger, "--json", ...words]);
  expect([found.exitCode, found.stderr]).toEqual([0, ""]);
  const { verdict, snapshot } = JSON.parse(found.stdout);
  expect(verdict.kind).toBe("equivalent");
  expect(verdict.caveats.map(({ kind }: { kind: string }) => kind)).toEqual(["not-compared"]);
  expect(verdict.unconfirmed).toEqual({ record: [], entries: 0, settings: 0 });
  expect(snapshot.entries.length).toBeGreaterThan(0);
  // The transaction of another ledger, and none: nothing is found.
  const other = await svc(["debug", record.hash, "--ledger", "1000", ...words]);
  expect([other.exitCode, other.stderr]).toEqual([4, expect.stringContaining("was not found on")]);
  const without = await svc(["debug", record.hash, ...words]);
  expect(without.stderr).toContain("`--ledger N`");
}, 60_000);

test("the state just before a transaction, whose ledger a node says, or the user", async () => {
  const record = await firstRecord();
  const { hash, ledger } = record;
  const { readOnly = [] } = opened({ record }).envelope.soroban?.footprint ?? {};
  const [key = ""] = readOnly;
  const words = [key, "--before", hash, "--json", ...ofDirectory];
  const { exitCode, stdout } = await run(...words, "--ledger", String(ledger.sequence));
  expect(exitCode).toBe(0);
  const found = JSON.parse(stdout);
  expect([found.before, found.ledger]).toEqual([hash, ledger.sequence]);
  const known = await run(key, "--ledger", String(ledger.sequence - 1), "--json", ...ofDirectory);
  expect(found.entry).toEqual(JSON.parse(known.stdout).entry);
  await using node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      Response.json({
        ...{ hash, ledger: ledger.sequence, paging_token: "10913507606659072" },
        ...{ envelope_xdr: record.envelopeXdr, result_xdr: record.resultXdr },
        ...{ created_at: "2025-06-18T17:00:00Z", fee_charged: "1", successful: true },
      }),
  });
  const url = `http://127.0.0.1:${node.port}`;
  const nodes = ["-n", "testnet", "--horizon-url", url, "--ledger-lake-url", "none"];
  const asked = await run(...words, ...nodes, "--rpc-url", "http://127.0.0.1:9");
  expect([asked.stderr, JSON.parse(asked.stdout).entry]).toEqual(["", found.entry]);
  const nowhere = ["--horizon-url", "http://127.0.0.1:9", "--rpc-url", "http://127.0.0.1:9"];
  const unasked = await run(...words, "-n", "testnet", ...nowhere, "--ledger-lake-url", "none");
  expect(JSON.parse(unasked.stdout).error).toMatchObject({
    ...{ code: "NETWORK_UNREACHABLE", remedy: expect.stringContaining("`--ledger`") },
  });
  const elsewhere = await run(...words, "--ledger", "1000");
  expect(elsewhere.stdout).toContain("ARCHIVE_LACKS");
}, 60_000);

test("what of a contract is different between two ledgers, by its specification's names", async () => {
  const contract = "CCLBPEYS3XFK65MYYXSBMOGKUI4ODN5S7SUZBGD7NALUQF64QILLX5B5";
  const diff = (...words: string[]) => run("diff", contract, ...words, ...ofDirectory);
  const { exitCode, stdout } = await diff("--since", "511", "--ledger", "575", "--json");
  expect(exitCode).toBe(0);
  const { changes, unknown } = JSON.parse(stdout);
  expect(unknown).toEqual([]);
  expect(changes.length).toBe(13);
  for (const each of changes) {
    expect(each).toMatchObject({ kind: "created", before: null, isProven: true });
    expect(each.liveUntil.after).toBeGreaterThan(575);
    // Each is what the later ledger has.
    const entry = await run(each.keyXdr, "--ledger", "575", "--json", ...ofDirectory);
    expect(JSON.parse(entry.stdout).entry.value.entryXdr).toBe(each.afterXdr);
  }
  const text = await diff("--since", "575", "--ledger", "1023");
  expect(text.stdout).toContain("ResData(");
  expect(text.stdout).toContain("backstop_credit: 0 -> 6379");
  // Between checkpoints, where a transaction wrote an entry twice, replays show what it was.
  const between = ["--since", "540", "--ledger", "550"];
  const replayed = await diff(...between);
  expect([replayed.exitCode, replayed.stderr]).toEqual([0, ""]);
  expect(replayed.stdout).toContain("Replayed, not signed: 1 of them.");
  expect(replayed.stdout).toContain("storage.Config.status: 6 -> 0");
  const entry = await run(contract, "--ledger", "540", ...ofDirectory);
  expect(entry.stdout).toMatch(/Replayed: \d+ transactions since ledger 511/);
  expect(entry.stdout).not.toContain("Proven");
  const environment = { SVC_SIM_PATH: "/nowhere/svc-sim" };
  const words = ["state", "diff", contract, ...between, ...ofDirectory, "--archive-cache", cache];
  const open = await svc(words, { environment });
  expect([open.exitCode, open.stdout]).toEqual([6, expect.stringContaining("Not known at one")]);
  expect(open.stderr).toContain("were not replayed: ");
  const backwards = await diff("--since", "575", "--ledger", "511");
  expect(backwards.exitCode).toBe(2);
}, 60_000);

test("svc debug --prove replays what transactions since the checkpoint wrote", async () => {
  await using node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ status: 404 }, { status: 404 }),
  });
  const url = `http://127.0.0.1:${node.port}`;
  const nodes = ["-n", "testnet", "--horizon-url", url, "--rpc-url", url];
  const hash = "5dbc069910bf27fdf23555fcc574054b24db5d403bc9033b54e34d4974f92ccf";
  const proof = ["--prove", "--ledger", "546", "--archive-cache", cache, ...ofDirectory];
  const words = [hash, "--ledger-lake-url", "none", ...nodes, ...proof];
  const { exitCode, stdout } = await svc(["debug", ...words]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Verdict: equivalent.");
  expect(stdout).toMatch(/\d+ entries are as replays since the checkpoint\s+before left them/);
  // A capsule's entries are its author's word, until these transactions are replayed again.
  const capsule = join(cache, "replayed.capsule.json");
  await svc(["capture", ...words, "--save", capsule]);
  const lines = (text: string) => text.slice(text.indexOf("Verdict:"));
  const offline = await svc(["debug", capsule], { environment: { SVC_ARCHIVE_CACHE: cache } });
  expect(offline.stdout).toMatch(/Not confirmed by a ledger: \d+ entr/);
  const proofOfCapsule = proof.filter((word) => !["--ledger", "546"].includes(word));
  const again = await svc(["debug", capsule, ...proofOfCapsule]);
  expect(lines(again.stdout)).toBe(lines(stdout));
  // Capturing needs svc-sim, too: it folds the ledgers.
  const environment = { SVC_SIM_PATH: "/nowhere/svc-sim" };
  const captured = await svc(["capture", ...words, "--json", "--output", cache], { environment });
  expect(captured.exitCode).toBe(5);
  expect(JSON.parse(captured.stdout)).toMatchObject({ error: { code: "SIMULATOR_NOT_FOUND" } });
}, 60_000);

test("svc verify --archive counts the verdicts of a range, and names what is not known", async () => {
  const words = ["verify", "3776-3839", "--archive", "--archive-cache", cache, ...ofDirectory];
  const text = await svc(words);
  expect([text.exitCode, text.stderr]).toEqual([6, ""]);
  expect(text.stdout).toContain("an account or trustline may have changed");
  expect(text.stdout).toContain("An archive has no metas");
  // The command that is proposed is one that runs.
  const command = /svc (debug [0-9a-f]{64} --prove --ledger \d+ .*)/.exec(text.stdout)?.[1] ?? "";
  const nodes = ["--horizon-url", "http://127.0.0.1:9", "--rpc-url", "http://127.0.0.1:9"];
  const more = ["--ledger-lake-url", "none", "--archive-cache", cache];
  const debugged = await svc([...command.split(" "), ...nodes, ...more]);
  expect([debugged.exitCode, debugged.stderr]).toEqual([6, ""]);
  const json = JSON.parse((await svc([...words, "--json"])).stdout);
  expect(json).toMatchObject({ ledgers: 64, stateMismatches: 0, archive: ARCHIVE });
  expect(json.verdicts.exact + json.verdicts.inconclusive).toBe(json.transactions);
  for (const wrong of [
    ["--shard", "1/2", "--result", cache],
    ["--rehearse-protocol", "23"],
  ])
    expect((await svc([...words, ...wrong])).exitCode).toBe(2);
  const late = await svc(["verify", "5900-6000", ...words.slice(2)]);
  expect([late.exitCode, late.stderr]).toEqual([4, expect.stringContaining("ARCHIVE_BEHIND")]);
}, 60_000);
