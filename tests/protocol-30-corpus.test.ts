// Public ledgers, the streams of stellar-core's tests and an archive of testnet, as they would be of
// protocol 30 (support/protocol-30.ts). With the header alone in its form, every verdict is as it was.

import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { openHttp } from "../src/base/http/http.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import { archiveDirectory, openArchiveFiles } from "../src/history-archive/archive-files.ts";
import { openBucketStore } from "../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../src/history-archive/chain.ts";
import { StateReader } from "../src/history-archive/state-at.ts";
import { LedgerReader } from "../src/ledgers/ledger-reader.ts";
import { NETWORKS } from "../src/model/networks.ts";
import { hasEnoughSignatures } from "../src/model/state/proven-state.ts";
import { openLedgerEngine } from "../src/simulator/open-processes.ts";
import { readLedgerFile } from "../src/sources/files/ledger-file.ts";
import type { LedgerBytes } from "../src/sources/files/ledger-stream.ts";
import { openSources } from "../src/sources/open-source.ts";
import { readSorobanFacts } from "../src/xdr/envelope/envelope-facts.ts";
import { readLedgerHeader } from "../src/xdr/ledger/header.ts";
import { ledgerFactsOf, readLedgerCloseMeta } from "../src/xdr/ledger/ledger-close-meta.ts";
import { svc } from "./cli/run-svc.ts";
import { Session } from "./dap/debug-client.ts";
import { ARCHIVE, HAS_ARCHIVE, ofArchive } from "./support/archived-records.ts";
import { verifyCoreStreams } from "./support/core-streams.ts";
import { corpusPath, hasCorpus } from "./support/corpus.ts";
import { openFork } from "./support/fork.ts";
import { NEVER_ABORTED } from "./support/loopback-walk.ts";
import { framed } from "./support/made-archive.ts";
import { connectStdio } from "./support/mcp-client.ts";
import { needs } from "./support/needs.ts";
import {
  archiveInProtocol30,
  inProtocol30,
  type Rewriting,
  VALIDATOR_30,
} from "./support/protocol-30.ts";
import { openTestSimulator } from "./support/simulator.ts";
import { StreamNetwork } from "./support/stream-network.ts";
import { TestClock } from "./support/test-clock.ts";

beforeAll(ensureBuilt, 900_000);

const simulator = openTestSimulator();
const directory = mkdtempSync(join(tmpdir(), "svc-protocol-30-"));
afterAll(() => rmSync(directory, { recursive: true }), 60_000);
const FORM: Rewriting = { keepsProtocol: true };

const ledgersOf = (path: string) =>
  Array.fromAsync(readLedgerFile(path, { signal: NEVER_ABORTED }));

function written(name: string, ledgers: readonly LedgerBytes[]): string {
  const path = join(directory, name);
  writeFileSync(path, framed(ledgers.map(({ ledgerCloseMeta }) => ledgerCloseMeta)));
  return path;
}

/** Contract transactions of the ledgers, the first ones. */
function hashesOf(ledgers: readonly LedgerBytes[], passphrase: string, many = 6): string[] {
  const all = ledgers.flatMap(
    ({ ledgerCloseMeta }) => readLedgerCloseMeta(ledgerCloseMeta, passphrase).transactions,
  );
  const soroban = all.filter(({ placed }) => readSorobanFacts(placed.envelope) !== null);
  return soroban.slice(0, many).map(({ hash }) => hash);
}

async function debugAll(ledgers: readonly LedgerBytes[], passphrase: string, later: number) {
  const network = new StreamNetwork(ledgers, passphrase);
  await using nodes = network.serve();
  const clock = new TestClock({ grantedUpTo: 5_000 });
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const { sources } = openSources(
    { http, clock },
    {
      ...{ network: "custom", networkPassphrase: passphrase, horizonUrls: [] },
      ...{
        rpcUrls: [nodes.rpcUrl(network.last + later, true)],
        origins: { horizonUrl: { kind: "flag", setting: "horizonUrl" } } as never,
      },
    },
  );
  const reader = new LedgerReader({ sources, networkPassphrase: passphrase });
  const startEngine = () => openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
  const given = { sources, ledgers: reader, startEngine, networkPassphrase: passphrase };
  const found = [];
  for (const hash of hashesOf(ledgers, passphrase)) {
    const dependencies = { ...given, simulator, progress: () => {} };
    const { verdict, explanation, record } = await debugTransaction(dependencies, hash, {
      signal: NEVER_ABORTED,
    });
    const { success, headline, cause } = explanation;
    found.push({ record, shown: { hash, kind: verdict?.kind, success, headline, cause } });
  }
  return found;
}

const publicLedgers = hasCorpus("mainnet-ledgers")
  ? readdirSync(corpusPath("mainnet-ledgers")).sort()
  : [];
const ofLedgers = needs("../shared/corpus", publicLedgers.length > 0);
const passphraseOf = (file: string) =>
  NETWORKS[file.startsWith("testnet") ? "testnet" : "mainnet"].passphrase;

ofLedgers.describe("a public ledger", () => {
  for (const file of publicLedgers)
    ofLedgers.test(
      `${file} has the same verdicts and causes with milliseconds in its header`,
      async () => {
        const passphrase = passphraseOf(file);
        const ledgers = await ledgersOf(corpusPath("mainnet-ledgers", file));
        const [before, after] = [
          await debugAll(ledgers, passphrase, 1),
          await debugAll(inProtocol30(ledgers, FORM), passphrase, 1),
        ];
        expect(after.map(({ shown }) => shown)).toEqual(before.map(({ shown }) => shown));
        for (const { record } of after)
          expect(record.ledger.closeTimeUnixMilliseconds).toStartWith(
            record.ledger.closeTimeUnixSeconds,
          );
      },
      120_000,
    );

  const FILE = "pubnet-63719136.xdr.gz";
  ofLedgers.test(
    "63719136 of protocol 30: each command does with it what it does with the recorded one",
    async () => {
      const passphrase = passphraseOf(FILE);
      const recorded = await ledgersOf(corpusPath("mainnet-ledgers", FILE));
      const upgraded = inProtocol30(recorded);
      const facts = ledgerFactsOf(upgraded[0]?.ledgerCloseMeta ?? new Uint8Array());
      expect(facts).toMatchObject({
        ...{ sequence: 63_719_136, protocolVersion: 30 },
        closeTimeUnixMilliseconds: `${facts.closeTimeUnixSeconds}136`,
      });
      const [hash = ""] = hashesOf(upgraded, passphrase);
      const ended = [];
      for (const [name, ledgers] of Object.entries({ recorded, upgraded })) {
        const network = new StreamNetwork(ledgers, passphrase);
        await using nodes = network.serve();
        const url = nodes.rpcUrl(network.last, true);
        const flags = ["--rpc-url", url, "--network-passphrase", passphrase];
        const alone = [...flags, "--ledger-lake-url", "none"];
        const path = written(`${name}.xdr`, ledgers);
        const run = async (...words: string[]) => {
          const { exitCode, stdout, stderr } = await svc(words, { directory });
          expect([words[0], stderr]).not.toEqual([
            words[0],
            expect.stringMatching(/decode|\[[A-Z_]+\]/),
          ]);
          return { exitCode, document: JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") };
        };
        const one = (...words: string[]) =>
          svc([...words, "--json"], { directory }).then(({ exitCode, stdout, stderr }) => {
            expect([words[0], stderr]).toEqual([words[0], expect.not.stringMatching(/decode/)]);
            return { exitCode, document: JSON.parse(stdout) };
          });
        const debugged = await one("debug", hash, ...alone);
        const capsule = join(directory, `${name}.json`);
        const captured = await svc(["capture", hash, ...alone, "--save", capsule]);
        const offline = await one("debug", "--from", capsule);
        const { envelopeXdr } = JSON.parse(await Bun.file(capsule).text()).record;
        const explained = await one("explain", envelopeXdr, ...alone);
        const simulated = await one("simulate", envelopeXdr, ...alone);
        const verified = await one("verify", path, "--network-passphrase", passphrase);
        const byNode = await one("verify", "63719136", ...alone);
        const watched = await run(
          ...[
            "watch",
            ...alone,
            "--from-ledger",
            "63719136",
            "--until-ledger",
            "63719136",
            "--json",
          ],
        );
        await using fork = await openFork({
          ...{ networkPassphrase: passphrase, rpcUrl: url, choice: { ledger: 63_719_136 } },
        });
        await fork.call("fork_closeLedgers", { ledgers: 3 });
        const { headerXdr } = await fork.call<{ headerXdr: string }>("getLatestLedger");
        const next = readLedgerHeader(headerXdr);
        expect(next.sequence).toBeGreaterThan(63_719_138);
        expect(next.closeTimeUnixMilliseconds === undefined).toBe(name === "recorded");
        await using session = new Session();
        // No ledger at hand has the code that ran.
        const launched = { hash, rpcUrl: url, networkPassphrase: passphrase, stopAt: "entry" };
        const stepped = await session.launch(launched).then(
          async () => (await session.until("configurationDone", {})).reason,
          ({ message }) => message,
        );
        await using agent = await connectStdio(alone);
        const told = await agent.call("debug_transaction", { hash });
        ended.push({
          ...{ stepped, toldKeys: Object.keys(told).sort() },
          exits: [debugged, offline, explained, simulated, verified, byNode, watched].map(
            ({ exitCode }) => exitCode,
          ),
          captured: captured.exitCode,
          causes: [debugged, offline].map(({ document }) => document.outcome.cause),
          kinds: [debugged, offline].map(({ document }) => document.verdict?.kind),
          counts: [verified, byNode].map(({ document }) => [
            ...[document.transactions, document.verdicts],
          ]),
          ledgers: watched.document.totals?.ledgers,
        });
      }
      expect(ended[1]).toEqual(ended[0] as never);
      expect(ended[0]?.counts).toEqual(
        Array(2).fill([197, expect.objectContaining({ diverged: 0 })]),
      );
    },
    240_000,
  );
});

const STREAMS = hasCorpus("core-streams")
  ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))].sort()
  : [];
const ofStreams = needs("../shared/corpus", STREAMS.length > 0);

ofStreams.test(
  "the streams of stellar-core's tests have the verdicts that they had, in the form of protocol 30",
  async () => {
    const paths = STREAMS.filter((_, index) => index % 5 === 0);
    const given = paths.map((path) => corpusPath("core-streams", path));
    const rewritten = [];
    for (const [index, path] of given.entries())
      rewritten.push(written(`${index}.xdr`, inProtocol30(await ledgersOf(path), FORM)));
    const { signal } = new AbortController();
    const [before, after] = [
      await verifyCoreStreams(given, { signal }),
      await verifyCoreStreams(rewritten, { signal }),
    ];
    expect(after.transactions).toBeGreaterThan(300);
    expect([after.transactions, after.verdicts]).toEqual([before.transactions, before.verdicts]);
  },
  240_000,
);

ofArchive.describe("an archive", () => {
  const { passphrase } = NETWORKS.testnet;
  const UPGRADE = 3_000;
  const ALTERED = 4_000;
  const place = (name: string) => join(directory, name);
  beforeAll(() => {
    if (!HAS_ARCHIVE) return;
    const rewritings = {
      form: FORM,
      upgraded: { upgradeAt: UPGRADE },
      altered: {
        ...{ upgradeAt: UPGRADE, messagesFrom: place("upgraded") },
        alter: ((header) => {
          const { ext } = header.scpValue;
          if (header.ledgerSeq !== ALTERED || ext.v !== 3) return header;
          const closeTimeMs = ext.signedMsValue.closeTimeMs + 1n;
          const signedMsValue = { ...ext.signedMsValue, closeTimeMs };
          return { ...header, scpValue: { ...header.scpValue, ext: { v: 3, signedMsValue } } };
        }) as Parameters<typeof archiveInProtocol30>[2]["alter"],
      },
    };
    for (const [name, rewriting] of Object.entries(rewritings)) {
      mkdirSync(place(name));
      archiveInProtocol30(ARCHIVE, place(name), {
        ...{ ...(rewriting as Rewriting), networkPassphrase: passphrase },
      });
    }
  }, 120_000);

  async function open(root: string, validators: readonly (readonly string[])[]) {
    const chain = openArchivedChain(
      await openArchiveFiles(archiveDirectory(root)),
      validators,
      passphrase,
    );
    const store = openBucketStore(place("cache"));
    const given = { chain, store, networkPassphrase: passphrase };
    return { chain, states: new StateReader({ ...given, allow: async () => {} }) };
  }
  const opened = (name: string) => open(place(name), [[VALIDATOR_30]]);

  ofArchive.test(
    "proves what it proved, with both forms and across the upgrade",
    async () => {
      const recorded = await open(ARCHIVE, NETWORKS.testnet.validators);
      const others = [await opened("form"), await opened("upgraded")];
      let count = 0;
      for (let ledger = 64; ledger < 5_951; ledger += 1)
        for (const envelope of await recorded.chain.envelopes(ledger)) {
          const facts = readSorobanFacts(envelope);
          if (facts === null || count++ % 25 !== 0) continue;
          for (const keyXdr of [...facts.footprint.readOnly, ...facts.footprint.readWrite]) {
            const key = Uint8Array.fromBase64(keyXdr);
            const right = await recorded.states.at(key, ledger - 1);
            for (const { states } of others) {
              const { entry, liveUntil } = await states.at(key, ledger - 1);
              for (const [one, other] of [
                [entry, right.entry],
                [liveUntil, right.liveUntil],
              ] as const) {
                expect(one?.kind).toBe(other?.kind as never);
                if (one?.kind !== "known" || other?.kind !== "known") continue;
                expect(one.value).toEqual(other.value as never);
                expect(hasEnoughSignatures(one.proof.signatures)).toBe(
                  hasEnoughSignatures(other.proof.signatures),
                );
              }
            }
          }
        }
      expect(count).toBeGreaterThan(500);
      const { chain } = await opened("upgraded");
      for (const ledger of [UPGRADE - 1, UPGRADE, UPGRADE + 1, UPGRADE + 2]) {
        const { protocolVersion, closeTimeUnixMilliseconds } = await chain.header(ledger);
        expect([ledger, protocolVersion, closeTimeUnixMilliseconds !== undefined]).toEqual([
          ...[ledger, ledger < UPGRADE ? 22 : 30, ledger > UPGRADE],
        ] as never);
        expect(hasEnoughSignatures(await chain.signatures(ledger))).toBeTrue();
      }
    },
    240_000,
  );

  ofArchive.test(
    "proves nothing from a millisecond on that somebody altered",
    async () => {
      const { chain } = await opened("altered");
      for (const [ledger, signed] of [
        [UPGRADE, true],
        [ALTERED - 1, true],
        [ALTERED, false],
        [ALTERED + 1, false],
        [5_000, false],
      ] as const)
        expect([ledger, hasEnoughSignatures(await chain.signatures(ledger))]).toEqual([
          ledger,
          signed,
        ]);
      // Where the headers that follow are not made anew, too, they are not the archive's.
      const files = archiveDirectory(place("upgraded"));
      const other = archiveDirectory(place("altered"));
      const hex = (ALTERED | 63).toString(16).padStart(8, "0");
      const mixed = {
        ...files,
        read: (name: string) => (name.includes(`ledger-${hex}`) ? other : files).read(name),
      };
      const mixedChain = openArchivedChain(
        await openArchiveFiles(mixed),
        [[VALIDATOR_30]],
        passphrase,
      );
      const found = await mixedChain.signatures(ALTERED).then(
        (signatures) => hasEnoughSignatures(signatures),
        (error) => error.code,
      );
      expect([false, "ARCHIVE_DAMAGED"]).toContain(found);
    },
    60_000,
  );

  ofArchive.test(
    "state, debug --prove and verify --archive as commands",
    async () => {
      const contract = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
      const from = (name: string) => [
        ...["--history-archive", name === "recorded" ? ARCHIVE : place(name), "-n", "testnet"],
        ...(name === "recorded" ? [] : ["--validators", VALIDATOR_30]),
        ...["--archive-cache", place("cache"), "--json"],
      ];
      const run = async (name: string, ...words: string[]) => {
        const { exitCode, stdout, stderr } = await svc([...words, ...from(name)], {
          ...{ directory, limitMilliseconds: 60_000 },
        });
        if (stdout === "") throw new Error(stderr);
        return { exitCode, document: JSON.parse(stdout) };
      };
      const { chain } = await open(ARCHIVE, NETWORKS.testnet.validators);
      const called = async (sequence: number) =>
        (await chain.transactions(sequence)).find(
          ({ envelope }) => readSorobanFacts(envelope) !== null,
        )?.hash;
      let ledger = UPGRADE - 100;
      let hash = await called(ledger);
      for (; hash === undefined; hash = await called(ledger)) ledger -= 1;
      const nowhere = ["--rpc-url", "--horizon-url"].flatMap((flag) => [
        flag,
        "http://127.0.0.1:9",
      ]);
      const commands = [
        ["state", contract, "--ledger", String(UPGRADE - 10)],
        ["state", contract, "--ledger", "5000"],
        ["debug", hash, "--prove", "--ledger", String(ledger), ...nowhere],
        ["verify", "2100-2200", "--archive"],
      ];
      for (const words of commands) {
        const ended = [];
        for (const name of ["recorded", "form", "upgraded"]) {
          const { exitCode, document } = await run(name, ...words);
          const { entry, verdict, outcome, transactions, verdicts, error } = document;
          ended.push({
            ...{ exitCode, code: error?.code, value: entry?.value, kind: verdict?.kind },
            ...{ headline: outcome?.headline, transactions, verdicts },
          });
        }
        expect(ended).toEqual(Array(3).fill(ended[0]));
        expect([words[0], ended[0]?.exitCode, ended[0]?.code]).toEqual([words[0], 0, undefined]);
      }
      for (const [name, organisations] of [
        ["upgraded", 1],
        ["altered", 0],
      ] as const) {
        const { document } = await run(name, "state", contract, "--ledger", "5000");
        expect(document.entry.proof.signatures).toMatchObject({ organisations, needed: 1 });
      }
    },
    240_000,
  );
});
