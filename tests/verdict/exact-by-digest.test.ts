// The quick way to `exact`, on real ledgers: it says so of what the judge finds exact, and of nothing
// else, whichever byte of a record is another.

import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { ExecutionDigest } from "../../src/simulator/digest.ts";
import { openPool, type SimulatorPool } from "../../src/simulator/pool.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { decideSnapshot } from "../../src/snapshot/decide-snapshot.ts";
import { readStep } from "../../src/snapshot/stream/fold-ledger.ts";
import { foldedRecord } from "../../src/snapshot/stream/folded-record.ts";
import { LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { judge } from "../../src/verdict/judge.ts";
import {
  type CapturedTransaction,
  replayTransaction,
} from "../../src/verify/replay-transaction.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { CORE_TESTS_PASSPHRASE, firstMentionsOf } from "../support/folded-stream.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { captureRecorded } from "../support/recorded-walks.ts";

/** Every so many streams: protocols 20 to 27, all three operations, successes and failures. */
const EVERY = 12;
const FLIPS = 30;
/** The topic of a fee event, and from there to the last byte of its amount: address and i128. */
const FEE = Buffer.from("\0\0\0\x0f\0\0\0\x03fee\0");
const TO_AMOUNT = FEE.length + 4 + 4 + 4 + 32 + 4 + 15;
const BUILD_MILLISECONDS = 900_000;
const STREAMS = hasCorpus("core-streams")
  ? [...new Bun.Glob("*/*.xdr.zst").scanSync(corpusPath("core-streams"))]
      .sort()
      .filter((_, i) => i % EVERY === 0)
      .map((stream) => corpusPath("core-streams", stream))
  : [];

interface Ran {
  readonly captured: CapturedTransaction;
  readonly execution: Execution;
  /** Null: not asked for. */
  readonly digest: ExecutionDigest | null;
}

const corpus = needs("../shared/corpus", STREAMS.length > 0);

describe("exact by digest", () => {
  beforeAll(ensureBuilt, BUILD_MILLISECONDS);

  corpus.test("is exact to the judge, and the other way round", async () => {
    await using pool = openPool({ path: SIMULATOR_BINARY, size: 1 });
    const exact = { before: 0, withLaterTtls: 0 };
    for (const path of STREAMS) {
      for await (const captured of transactionsOf(path)) {
        const ran = await run(pool, captured);
        expect(await isExactByDigest(ran)).toBe(isExactToJudge(ran));
        if (await expectNoOther(captured, ran)) exact.before += 1;
        if (await expectNoOther(withLaterTtls(captured), ran)) exact.withLaterTtls += 1;
        await expectNoOther(withReportedAbsence(captured), ran);
        for (const changed of flipped(captured)) await expectNoOther(changed, ran);
      }
    }
    expect(exact.before).toBeGreaterThan(20);
    expect(exact.withLaterTtls).toBeGreaterThan(20);
  });

  test("is exact to the judge, with the fee events of a network", async () => {
    await using pool = openPool({ path: SIMULATOR_BINARY, size: 1 });
    const exact = { before: 0, withReportedAbsence: 0, withOtherFeeEvents: 0 };
    for (const captured of await recordedTransactions()) {
      const ran = await run(pool, captured);
      if (await expectNoOther(captured, ran)) exact.before += 1;
      if (await expectNoOther(withReportedAbsence(captured), ran)) exact.withReportedAbsence += 1;
      for (const changed of flipped(captured)) await expectNoOther(changed, ran);
      for (const changed of withOtherFeeEvents(captured))
        if (await expectNoOther(changed, ran)) exact.withOtherFeeEvents += 1;
    }
    expect(exact.before).toBeGreaterThan(100);
    expect(exact.withReportedAbsence).toBeGreaterThan(100);
    expect(exact.withOtherFeeEvents).toBe(0);
  });

  test("proves what is assumed absent as further replays do", async () => {
    await using pool = openPool({ path: SIMULATOR_BINARY, size: 1 });
    const exact = { byDigest: 0, byReplays: 0 };
    for (const captured of await recordedTransactions()) {
      const assumed = withAssumedAbsence(captured);
      if (assumed === null) continue;
      const options = { signal: NEVER_ABORTED };
      const replay = (request: ReplayRequest) => pool.replay(request, options);
      const byReplays = await verifyWith(assumed, { digest: refused, replay });
      const digest = (request: ReplayRequest) => pool.digest(request, options);
      const byDigest = await verifyWith(assumed, { digest, replay: refused });
      if (byReplays === null) exact.byReplays += 1;
      if (byDigest === null) exact.byDigest += 1;
      if (byDigest === null) expect(byReplays).toBeNull();
    }
    expect(exact.byReplays).toBeGreaterThan(20);
    expect(exact.byDigest).toBe(exact.byReplays);
  });
});

async function refused(): Promise<never> {
  throw new SvcError("SIMULATOR_FAILED", { message: "Not exact.", remedy: "None." });
}

/** Exact by digest; then it is exact to the judge too. */
async function expectNoOther(captured: CapturedTransaction, ran: Ran): Promise<boolean> {
  const other = { ...ran, captured };
  const exact = await isExactByDigest(other);
  if (exact) expect(isExactToJudge(other)).toBe(true);
  return exact;
}

/** Of the recorded network, with the state that a node gives at their ledger. */
async function recordedTransactions(): Promise<CapturedTransaction[]> {
  const network = new RecordedNetwork();
  const { passphrase: networkPassphrase } = network;
  return (await captureRecorded()).flatMap(({ record, snapshot }) => {
    const view = network.view(record.ledger.sequence);
    const transaction = view?.transactions.find(({ hash }) => hash === record.hash);
    if (view == null || transaction === undefined || snapshot === null) return [];
    const ledger = { view, facts: record.ledger, assumed: [] };
    const origin = { networkPassphrase, source: "network" };
    const folded = foldedRecord(transaction, ledger, origin);
    return [{ record: folded, snapshot, step: readStep(transaction) }];
  });
}

async function* transactionsOf(path: string): AsyncGenerator<CapturedTransaction> {
  const read = () => readLedgerFile(path, { signal: NEVER_ABORTED });
  const networkPassphrase = CORE_TESTS_PASSPHRASE;
  const firstMentions = await firstMentionsOf(read(), { networkPassphrase, settingsOnly: true });
  const fold = new LedgersFold({ networkPassphrase, firstMentions });
  for await (const { ledgerCloseMeta } of read()) {
    for (const { record, step, evidence } of fold.fold(fold.open(ledgerCloseMeta), path)) {
      if (evidence !== null) yield { record, step, snapshot: decideSnapshot(evidence) };
    }
  }
}

/** What svc-sim answers to the requests that `replayTransaction` makes. */
async function run(pool: SimulatorPool, captured: CapturedTransaction): Promise<Ran> {
  const options = { signal: NEVER_ABORTED };
  let digest: ExecutionDigest | null = null;
  let execution: Execution | null = null;
  await verifyWith(captured, {
    digest: async (request) => {
      digest = await pool.digest(request, options);
      return { ...digest, digest: null };
    },
    replay: async (request) => {
      execution = await pool.replay(request, options);
      return execution;
    },
  });
  if (execution === null) throw new Error("not run");
  return { captured, digest, execution };
}

/** The same TTLs, as if a node had shown them in a later ledger. */
function withLaterTtls(captured: CapturedTransaction): CapturedTransaction {
  const entries = captured.snapshot.entries.map((entry) =>
    entry.liveUntilLedger === null ? entry : { ...entry, provisional: "ttl-unchanged" as const },
  );
  return { ...captured, snapshot: { ...captured.snapshot, entries } };
}

/** What does not exist, as if only a node said so. */
function withReportedAbsence(captured: CapturedTransaction): CapturedTransaction {
  const provenance = { kind: "rpc-unchanged", detail: "by a node" } as const;
  const entries = captured.snapshot.entries.map((entry) =>
    entry.entryXdr === null ? { ...entry, provenance } : entry,
  );
  return { ...captured, snapshot: { ...captured.snapshot, entries } };
}

/** What does not exist, as if nothing said so; null where everything exists. */
function withAssumedAbsence(captured: CapturedTransaction): CapturedTransaction | null {
  const provenance = { kind: "assumed", detail: "nothing says so" } as const;
  const entries = captured.snapshot.entries.map((entry) =>
    entry.entryXdr === null ? { ...entry, provenance } : entry,
  );
  if (entries.every(({ entryXdr }) => entryXdr !== null)) return null;
  return { ...captured, snapshot: { ...captured.snapshot, entries } };
}

async function isExactByDigest({ captured, digest }: Ran): Promise<boolean> {
  const notExact = await verifyWith(captured, {
    digest: async () => {
      if (digest === null) throw new Error("not asked for");
      return digest;
    },
    replay: refused,
  });
  return notExact === null;
}

function isExactToJudge({ captured: { record, snapshot }, execution }: Ran): boolean {
  return judge(record, snapshot, execution).kind === "exact";
}

async function verifyWith(
  captured: CapturedTransaction,
  answers: {
    readonly digest: (request: ReplayRequest) => Promise<ExecutionDigest>;
    readonly replay: (request: ReplayRequest) => Promise<Execution>;
  },
) {
  const simulator = answers as unknown as SimulatorPool;
  const digests = { misses: 0, skips: 0 };
  const options = { source: "test", signal: NEVER_ABORTED };
  return (await replayTransaction({ simulator, digests }, captured, options)).notExact;
}

/** The record with one bit of its result or meta changed, where that is still valid XDR. */
function* flipped({ record, snapshot, step }: CapturedTransaction): Generator<CapturedTransaction> {
  const { result, meta } = step.transaction;
  const places = fc.sample(fc.tuple(fc.boolean(), fc.nat(), fc.nat(7)), {
    numRuns: FLIPS,
    seed: 1,
  });
  for (const [inMeta, at, bit] of places) {
    const bytes = Uint8Array.from(inMeta ? meta : result);
    bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit);
    const xdr = bytes.toBase64();
    try {
      if (inMeta) readTransactionMeta(xdr);
      else readTransactionResult(xdr);
      const transaction = changed(step.transaction, inMeta ? { meta: bytes } : { result: bytes });
      const field = inMeta ? { resultMetaXdr: xdr } : { resultXdr: xdr };
      yield { snapshot, step: readStep(transaction), record: { ...record, ...field } };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
  }
}

/** The amount of the fee taken, or of the refund, is another. */
function* withOtherFeeEvents(captured: CapturedTransaction): Generator<CapturedTransaction> {
  const { record, step, snapshot } = captured;
  const meta = Buffer.from(step.transaction.meta);
  for (let at = meta.indexOf(FEE); at !== -1; at = meta.indexOf(FEE, at + 1)) {
    const bytes = Buffer.from(meta);
    bytes.writeUInt8(bytes.readUInt8(at + TO_AMOUNT) ^ 1, at + TO_AMOUNT);
    const transaction = changed(step.transaction, { meta: bytes });
    const field = { resultMetaXdr: bytes.toString("base64") };
    yield { snapshot, step: readStep(transaction), record: { ...record, ...field } };
  }
}

function changed<Value extends object>(value: Value, fields: Partial<Value>): Value {
  return Object.assign(Object.create(Object.getPrototypeOf(value)), value, fields);
}
