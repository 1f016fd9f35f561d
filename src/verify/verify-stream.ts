// Folds one stream of ledger files and replays every Soroban transaction of it.
// Invariant: a bounded number of transactions is under way, however fast the ledgers are read.

import { rehearseTransaction, requireLater } from "../debugger/run/rehearse.ts";
import type { NotExact } from "../model/verification.ts";
import { openPool } from "../simulator/pool.ts";
import { type DecidedSettings, decideSettings } from "../snapshot/decide-settings.ts";
import { decideSnapshot } from "../snapshot/decide-snapshot.ts";
import type { LedgerCompletion } from "../snapshot/gather/complete-ledgers.ts";
import { collectFirstMentions } from "../snapshot/stream/first-mentions.ts";
import { type FoldOptions, LedgersFold } from "../snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../sources/files/ledger-file.ts";
import type { FetchContext } from "../sources/source.ts";
import { isUnconfirmed } from "../verdict/unconfirmed.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { forgedPart } from "../xdr/ledger/check-ledger.ts";
import { type OpenLedger, openOnce } from "../xdr/ledger/ledger-close-meta.ts";
import { describeMismatch } from "./describe-mismatch.ts";
import { expectLedgers } from "./expect-ledgers.ts";
import { damaged, forgedLedger, type PlannedStream, type SourcedLedger } from "./plan-streams.ts";
import { CAUSES_OF_HISTORY, judgeFolded } from "./replay-folded.ts";
import { Replays } from "./replays.ts";
import type { VerificationTally } from "./verification-tally.ts";
import { type CapturedTransaction, type DigestingEngines, verifyFolded } from "./verify-folded.ts";

/**
 * Replays that a svc-sim is given before it answered the first: neither side waits for the other.
 */
const WINDOW = 16;
/** Replays under way for each svc-sim, those that wait in svc included. */
const REPLAYS_PER_SIMULATOR = 2 * WINDOW;
/** A stream that fits is read from the disk once; a longer one twice. */
const BUFFERED_BYTES = 32 * 1024 * 1024;

export interface OpenEngines extends DigestingEngines, AsyncDisposable {
  /** How many replays may be under way. */
  readonly concurrency: number;
}

/** `processes`: of svc-sim at a time; they start when they are needed. */
export function openEngines(simulatorPath: string, processes: number): OpenEngines {
  const simulator = openPool({ path: simulatorPath, size: processes, window: WINDOW });
  return {
    simulator,
    digests: { misses: 0, skips: 0 },
    concurrency: processes * REPLAYS_PER_SIMULATOR,
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}

export interface StreamDependencies {
  readonly engines: OpenEngines;
  readonly tally: VerificationTally;
  /** Asks for what the ledgers leave open, before each of them; not for files. */
  readonly completion?: LedgerCompletion;
  /** The ledger before the first: folded, and not verified. */
  readonly prelude?: Uint8Array | null;
  /** Ledgers before this one are folded and not counted. */
  readonly countFrom?: number;
  /** Run what is reproduced under this protocol too; null: no rehearsal. */
  readonly rehearseProtocol: number | null;
  /** After each ledger. */
  readonly progress: (tally: VerificationTally) => void;
}

export async function verifyStream(
  dependencies: StreamDependencies,
  stream: PlannedStream,
  context: FetchContext,
): Promise<void> {
  const { networkPassphrase, fromGenesis } = stream;
  const reading = { file: "" };
  const ledgers = new TwiceReadLedgers(() => readFiles(stream, context, reading));
  const open = openOnce();
  const firstMentions = await collectFirstMentions(ledgers.first(), {
    networkPassphrase,
    open,
    settingsOnly: fromGenesis,
  }).catch((error) => {
    throw damaged(reading.file, error);
  });
  const fold = { networkPassphrase, firstMentions, open };
  const { countFrom = 0 } = stream;
  await verifyLedgersInOrder({ ...dependencies, countFrom }, fold, ledgers.second(), context);
}

export async function verifyLedgersInOrder(
  dependencies: StreamDependencies,
  { open, ...options }: Omit<FoldOptions, "onMismatch"> & { readonly open: OpenLedger },
  ledgers: AsyncIterable<SourcedLedger>,
  context: FetchContext,
): Promise<void> {
  const { tally, engines, completion, countFrom = 0 } = dependencies;
  const { rehearseProtocol: rehearsed } = dependencies;
  // The document shows that none could be rehearsed.
  if (rehearsed !== null) tally.addRehearsed(rehearsed, []);
  let source = "";
  const fold = openFold(dependencies, { open, ...options }, () => source);
  const replays = new Replays(engines.concurrency);
  const named = (file: string, work: () => Promise<void>) =>
    work().catch((error) => {
      throw completion === undefined ? damaged(file, error) : error;
    });
  const replay = async (captured: CapturedTransaction, from: string): Promise<void> => {
    const asked = { source: from, signal: context.signal };
    const { notExact, replayed } =
      rehearsed === null
        ? { notExact: await verifyFolded(engines, captured, asked), replayed: null }
        : await judgeFolded(engines, captured, asked);
    if (rehearsed !== null) {
      const verdict = notExact?.verdict ?? "exact";
      const { record } = captured;
      const found = await rehearseTransaction(
        engines,
        record,
        replayed,
        verdict,
        rehearsed,
        context,
      );
      if (found !== null) tally.addRehearsed(rehearsed, [found]);
    }
    if (notExact !== null) tally.addNotExact({ ...notExact, ...placeOf(captured, notExact) });
    else tally.addExact(captured.record.ledger.protocolVersion, isUnconfirmed(captured.snapshot));
  };
  const look = (ledger: SourcedLedger) => open(ledger.ledgerCloseMeta, options.networkPassphrase);
  /** Of files: a file can hold a ledger again, as where a writer began anew. */
  const counted = new Map<number, number>();
  const verify = async (ledger: SourcedLedger): Promise<void> => {
    ({ source } = ledger);
    const from = ledger.source;
    const view = look(ledger);
    const forged = forgedPart(view);
    if (forged !== null) throw forgedLedger(ledger, forged);
    const mark = Number.parseInt((view.facts.hash ?? "").slice(0, 12), 16);
    if (completion === undefined && counted.get(ledger.sequence) === mark) return;
    counted.set(ledger.sequence, mark);
    // Files can be of several protocols.
    if (rehearsed !== null && completion !== undefined && tally.ledgers === 0)
      requireLater(rehearsed, view.facts.protocolVersion, `ledger ${ledger.sequence}`);
    fold.enter(view);
    if (ledger.sequence < countFrom) {
      fold.foldOnly(view);
      return;
    }
    const completed = await completion?.complete(fold.beginning(view));
    let soroban = 0;
    let refused = 0;
    let settings: DecidedSettings | null = null;
    for (const { record, step, evidence } of fold.fold(view, from)) {
      soroban += 1;
      if (evidence === null) {
        refused += 1;
        continue;
      }
      const complete = completed === undefined ? evidence : { ...evidence, ...completed };
      if (completed === undefined) settings = fold.decideSettings(evidence);
      else if (settings?.ofLedger !== true) settings = decideSettings(complete);
      const snapshot = decideSnapshot(complete, settings);
      await replays.start(() => named(from, () => replay({ record, snapshot, step }, from)));
    }
    tally.addLedger(view.transactions.length - soroban, refused);
    dependencies.progress(tally);
  };
  for await (const ledger of expectLedgers(completion, ledgers, look, countFrom)) {
    await named(ledger.source, () => verify(ledger));
  }
  await replays.end();
}

/** With the ledger before the first, where it is known. `source`: where a ledger was read. */
function openFold(
  { tally, countFrom = 0, prelude = null }: StreamDependencies,
  { open, ...options }: Omit<FoldOptions, "onMismatch"> & { readonly open: OpenLedger },
  source: () => string,
): LedgersFold {
  const fold = new LedgersFold({
    ...options,
    onMismatch(mismatch) {
      if (mismatch.ledger >= countFrom) tally.addMismatch(describeMismatch(mismatch, source()));
    },
  });
  const before = prelude && open(prelude, options.networkPassphrase);
  // Without it less is known of the first ledgers.
  if (before && forgedPart(before) === null) {
    fold.enter(before);
    fold.foldOnly(before);
  }
  return fold;
}

/** Of a transaction that is not exact: the contract it calls, and whether history is missing. */
function placeOf({ record, snapshot }: CapturedTransaction, { cause }: NotExact) {
  const { hostFunction } = openEnvelope(record.envelopeXdr, record.networkPassphrase);
  return {
    contract: hostFunction?.kind === "invoke" ? hostFunction.contract : null,
    lacksHistory: snapshot.unknown.length > 0 || CAUSES_OF_HISTORY.includes(cause),
  };
}

async function* readFiles(
  { files, foldFrom = 0 }: PlannedStream,
  context: FetchContext,
  reading: { file: string },
): AsyncGenerator<SourcedLedger> {
  for (const path of files) {
    reading.file = path;
    for await (const ledger of readLedgerFile(path, context)) {
      if (ledger.sequence >= foldFrom) yield { ...ledger, source: path };
    }
  }
}

/** Keeps what the first reading read, as long as it is little. */
class TwiceReadLedgers {
  private readonly read: () => AsyncIterable<SourcedLedger>;
  private kept: SourcedLedger[] = [];
  private keptBytes = 0;
  private complete = false;

  constructor(read: () => AsyncIterable<SourcedLedger>) {
    this.read = read;
  }

  async *first(): AsyncGenerator<SourcedLedger> {
    for await (const ledger of this.read()) {
      this.keptBytes += ledger.ledgerCloseMeta.length;
      if (this.keptBytes <= BUFFERED_BYTES) this.kept.push(ledger);
      else this.kept = [];
      yield ledger;
    }
    this.complete = true;
  }

  async *second(): AsyncGenerator<SourcedLedger> {
    if (this.complete && this.keptBytes <= BUFFERED_BYTES) yield* this.kept;
    else yield* this.read();
  }
}
