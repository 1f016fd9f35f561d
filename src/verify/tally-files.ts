// Verifies the ledgers of files that the ledger engine opens by itself. svc counts what the engine
// counts, judges what it does not, and reads only a file that the engine cannot read: it has the
// words for what is wrong with it.

import type { Tally } from "../model/verification/tally.ts";
import { COUNTS, notVerified, noValues, noVerdicts } from "../model/verification.ts";
import type { EngineCounted, EngineUnread } from "../simulator/ledger-engine.ts";
import { withFurtherProcesses } from "../simulator/simulator-program.ts";
import { readLedgerFile } from "../sources/files/ledger-file.ts";
import type { FetchContext } from "../sources/source.ts";
import { readSorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import { readLedgerCloseMeta } from "../xdr/ledger/ledger-close-meta.ts";
import { LedgerVerifier } from "./ledger-verifier.ts";
import { damaged, forgedLedger, type PlannedStream } from "./plan-streams.ts";
import type { ReplayEngines } from "./replay-transaction.ts";
import { whereLater } from "./where-later.ts";

export interface FilesTally {
  readonly engines: ReplayEngines;
  readonly tally: Tally;
  readonly progress: (progress: Tally["progress"]) => void;
}

/** The counted part of a stream whose rest svc has to read itself. */
export interface CountedBefore {
  readonly counted: number;
  /** Files that end at a ledger of a later protocol than svc knows. */
  readonly later: ReadonlySet<string>;
}

/** The engine cannot read a file that svc can read. */
class OnlySvcReads extends Error {}

/**
 * Verifies a stream. Where the process of the engine dies, what was counted is folded again in
 * another one. Returns what was counted if svc has to read the files itself, because the engine
 * cannot; null if all is counted.
 */
export async function tallyFiles(
  { engines, tally, progress }: FilesTally,
  stream: PlannedStream,
  { signal }: FetchContext,
): Promise<CountedBefore | null> {
  const { files, networkPassphrase, fromGenesis, foldFrom = 0, countFrom = 0 } = stream;
  const order = new InOrder();
  const later = new Set<string>();
  const work = async (death: unknown) => {
    if (death !== null) engines.ledgerEngine.restart();
    order.restart();
    const verifier = new LedgerVerifier<never>({
      engines,
      fold: { networkPassphrase },
      completion: null,
      rehearseProtocol: null,
      observe: null,
      signal,
    });
    const skip = order.counted;
    const options = { paths: files, foldFrom, countFrom, skip, settingsOnly: fromGenesis };
    const count = (ledgers: number, add: () => void) => {
      add();
      order.counted += ledgers;
      progress(tally.progress);
    };
    try {
      for await (const each of verifier.files(options)) {
        signal.throwIfAborted();
        if (each.kind === "counted") {
          const { from, ledgers } = each.counted;
          order.add(from, ledgers, async () =>
            count(ledgers, () => tally.add(countsOfEqual(each.counted))),
          );
        } else if (each.kind === "ledger") {
          const { at, source, folded, outcome } = each;
          await folded.catch((error) => Promise.reject(damaged(source, error)));
          order.add(at, 1, async () => {
            const verified = await outcome.catch((error) => Promise.reject(damaged(source, error)));
            count(1, () => tally.addLedger(verified));
          });
        } else if (each.kind === "unread") {
          const path = files[each.unread.file] ?? "";
          const met = await whyUnread(path, each.unread, networkPassphrase, { signal });
          if (!later.has(path)) tally.addLedger(notVerified(met));
          later.add(path);
        } else if (each.forged !== null) {
          const { file, sequence, part } = each.forged;
          const source = files[file] ?? "";
          const ledger = { source, sequence, ledgerCloseMeta: new Uint8Array() };
          throw damaged(source, forgedLedger(ledger, part));
        }
        order.throwFailure();
      }
    } finally {
      // A replay of an earlier ledger, which is in another file, may have failed.
      await order.settled();
    }
    return null;
  };
  try {
    return await withFurtherProcesses(work, () => order.counted);
  } catch (error) {
    if (error instanceof OnlySvcReads) return { counted: order.counted, later };
    throw error;
  }
}

/** Adds what is verified in the order of the ledgers, so that what was counted is a beginning. */
class InOrder {
  /** The number of ledgers that were counted, in every process of the engine so far. */
  counted = 0;
  private next = 0;
  private readonly waiting = new Map<number, { ledgers: number; add: () => Promise<void> }>();
  private last: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | null = null;

  /** The engine numbers its ledgers from zero again. */
  restart(): void {
    this.next = 0;
    this.waiting.clear();
    this.last = Promise.resolve();
    this.failure = null;
  }

  add(at: number, ledgers: number, add: () => Promise<void>): void {
    this.waiting.set(at, { ledgers, add });
    for (let each = this.take(); each !== undefined; each = this.take()) {
      const { add: first } = each;
      this.last = this.last.then(first);
      this.last.catch((error) => {
        this.failure ??= { error };
      });
    }
  }

  throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  /** Rejects with the first failure. */
  settled(): Promise<void> {
    return this.last;
  }

  private take() {
    const each = this.waiting.get(this.next);
    if (each === undefined) return undefined;
    this.waiting.delete(this.next);
    this.next += each.ledgers;
    return each;
  }
}

function countsOfEqual({ ledgers, equal, unconfirmed, classic, refused }: EngineCounted) {
  const byProtocol = Object.fromEntries(
    Object.entries(equal).map(([protocol, exact]) => [protocol, { ...noVerdicts(), exact }]),
  );
  return {
    ...noValues(COUNTS),
    ledgers,
    byProtocol,
    classicTransactions: classic,
    refusedTransactions: refused,
    exactUnconfirmed: unconfirmed,
  };
}

/**
 * The ledger of a later protocol at which a file ends for svc. Throws what else is wrong with the
 * file.
 */
async function whyUnread(
  path: string,
  { next, last, problem }: EngineUnread,
  networkPassphrase: string,
  context: FetchContext,
) {
  let ledger = next;
  try {
    for await (const { sequence, ledgerCloseMeta } of readLedgerFile(path, context)) {
      ledger = sequence + 1;
      const { transactions } = readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase);
      for (const { placed } of transactions) readSorobanFacts(placed.envelope);
    }
  } catch (error) {
    const met = whereLater(damaged(path, error), { ledger, source: path, ledgers: 1 });
    if (!last) return met;
  }
  throw new OnlySvcReads(problem);
}
