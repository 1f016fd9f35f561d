// The questions to a process of `svc-sim engine` (src/svc-sim/README.md, "The ledger engine"). It
// receives ledgers, and reports which of their transactions are as the chain recorded them, and the
// evidence for the others.

import type { ConnectedProgram } from "./connection.ts";
import type {
  CodeByInstance,
  EngineAnswer,
  EngineCall,
  EngineFacts,
  EngineFiles,
  EngineOptions,
  EngineRead,
  EngineRow,
  EngineSettings,
  EngineVerdicts,
  FoldAnswer,
  FoldChoice,
  PutEntry,
  RanAgain,
  RunKey,
  StreamAnswer,
} from "./engine-messages.ts";
import { EnginePipe } from "./engine-pipe.ts";

const ROWS_AT_ONCE = 10_000;
/**
 * Limits of each process that runs contracts, as arguments of svc-sim: far beyond what any network
 * allows a transaction. A transaction can be endless if its ledger's settings make everything free.
 * It then counts as not run, and costs no other transaction.
 */
const HOST_LIMITS = ["--memory-bytes", String(1024 ** 3), "--cpu-milliseconds", "20000"];

export class LedgerEngine implements AsyncDisposable {
  private readonly pipe: EnginePipe;
  /** The numbers of the code that the process has, by LedgerEntry. */
  private readonly definedCode = new Map<string, number>();

  constructor(
    program: ConnectedProgram,
    /** The number of processes that run contracts. */
    private readonly hosts: number,
    limits: readonly string[] = HOST_LIMITS,
    /** If the signal is aborted, every question ends with its reason, and so does the process. */
    signal: AbortSignal | null = null,
  ) {
    this.pipe = new EnginePipe(program, limits, signal);
  }

  /** Begins a stream: the ledgers of another stream follow. */
  open(options: EngineOptions): void {
    const { networkPassphrase, genesisXdr, maximumBytes, keepsRecent, keepsRows, asks } = options;
    this.pipe.later({
      open: {
        network_passphrase: networkPassphrase,
        genesis: genesisXdr,
        maximum_bytes: maximumBytes,
        keeps_recent: keepsRecent,
        keeps_rows: keepsRows,
        asks,
        hosts: this.hosts,
      },
    });
  }

  /**
   * Restores a saved state instead of folding its ledgers. `last` is true if the ledger that was
   * read last is the last of them.
   */
  async resume(facts: EngineFacts, rows: Iterable<EngineRow>, last: boolean): Promise<void> {
    await this.pipe.send({ resume: { facts, last } });
    let some: EngineRow[] = [];
    const flush = async () => {
      await this.pipe.send({ keep: { rows: some } });
      some = [];
    };
    for (const row of rows) {
      some.push(row);
      if (some.length === ROWS_AT_ONCE) await flush();
    }
    await flush();
  }

  /**
   * Reads a ledger. A text says what is wrong with the bytes. With a number it is only checked, and
   * kept until it is taken or dropped.
   */
  async read(ledgerCloseMeta: Uint8Array, number?: number): Promise<EngineRead | string> {
    const message = { ledger: { bytes: ledgerCloseMeta.length, number } };
    const { read, unreadable } = await this.pipe.step(message, ledgerCloseMeta);
    return read ?? unreadable ?? this.pipe.wrong("has no ledger");
  }

  /**
   * Folds the first ledger that was read and not folded, or asks for its settings first; later
   * messages wait for these. `want` lists the transactions, from 1, whose evidence is always
   * wanted. With `run`, the others run if the fold knows their state.
   */
  fold({ run, want, keys = [], put = [] }: FoldChoice): Promise<FoldAnswer> {
    return this.folded(this.pipe.step({ fold: { run, want, keys, put } }));
  }

  /**
   * Opens files of the stream that was begun. The answers end with `ended`. Every ledger is either
   * counted, or folded with what the caller has to judge; a folded one stays open until `done`.
   */
  files(files: EngineFiles): AsyncGenerator<StreamAnswer> {
    return this.foldedStream(
      this.pipe.stream({
        files: {
          paths: files.paths,
          fold_from: files.foldFrom,
          count_from: files.countFrom,
          skip: files.skip,
          settings_only: files.settingsOnly,
          mentioned_in: files.mentionedIn ?? null,
          observe: files.observe ?? null,
        },
      }),
    );
  }

  /**
   * Begins with ledgers that the caller received, in the stream that was begun. The answers are
   * those of `files`.
   */
  received({ countFrom, skip, observe }: Pick<EngineFiles, "countFrom" | "skip" | "observe">) {
    const received = { count_from: countFrom, skip, observe: observe ?? null };
    return this.foldedStream(this.pipe.stream({ received }));
  }

  /**
   * Takes a checked ledger, which comes next. `shows` is true if the states that it shows before its
   * changes held since the stream began, `kept` if svc does not need its bytes from the engine.
   */
  takeNext(
    number: number,
    { shows, kept }: { readonly shows: boolean; readonly kept: boolean },
  ): Promise<void> {
    return this.pipe.send({ take: { number, shows, kept } });
  }

  /** Forgets a checked ledger. */
  drop(number: number): void {
    this.pipe.later({ drop: { number } });
  }

  /**
   * Lets the engine fold what it has taken: no later ledger shows what was before it. With `last`,
   * none follows.
   */
  begin(last: boolean): Promise<void> {
    return this.pipe.send({ begin: { last } });
  }

  private async *foldedStream(answers: AsyncGenerator<EngineAnswer>): AsyncGenerator<StreamAnswer> {
    for await (const { judged, folded, settings, ...answer } of answers) {
      const folding = { folded, ...(judged && { judged }) };
      const fold = folded && (await this.folded(Promise.resolve(folding)));
      yield { ...answer, settings, fold };
    }
  }

  /** Answers `lacks`. */
  supply(number: number, entries: readonly PutEntry[]): Promise<void> {
    return this.pipe.send({ supplied: { number, entries } });
  }

  /** The caller judges the next transactions of a stream without a digest. */
  leave(transactions: number): Promise<void> {
    return this.pipe.send({ leave: { transactions } });
  }

  /** Ends the answers about a stream with an error of the caller's own. */
  stop(error: unknown): void {
    this.pipe.stop(error);
  }

  /** Ends a folded ledger of a stream. */
  finish(sequence: number): Promise<void> {
    return this.pipe.send({ done: { sequence } });
  }

  /** Answers `settings` of a stream. */
  async decide(decided: EngineSettings | null): Promise<void> {
    await this.pipe.sendSettings({ settings: sentSettings(decided) });
  }

  /** Sends the settings. Null if they are not certain for every transaction of the ledger. */
  settings(decided: EngineSettings | null): Promise<FoldAnswer> {
    return this.folded(this.pipe.stepWithSettings({ settings: sentSettings(decided) }));
  }

  private async folded(answer: Promise<EngineAnswer>): Promise<FoldAnswer> {
    const { settings, folded, judged } = await answer;
    if (judged === undefined) return { settings, folded };
    const verdicts = judged.then((each) => each.verdicts);
    // The code that awaits the verdicts handles their failure.
    verdicts.catch(() => {});
    return { settings, folded, verdicts: verdicts as Promise<EngineVerdicts> };
  }

  /** Puts what was decided for a folded ledger of a stream, for which the next ledgers wait. */
  decided(sequence: number, entries: readonly PutEntry[]): Promise<void> {
    return this.pipe.send({ put: { sequence, entries } });
  }

  /** Puts entries. They are sent with the next question. */
  put(sequence: number, entries: readonly PutEntry[]): void {
    if (entries.length > 0) this.pipe.later({ put: { sequence, entries } });
  }

  /** Runs a transaction. True if the execution on that state equals the chain's record. */
  async run(sequence: number, order: number, keys: readonly RunKey[]): Promise<boolean> {
    const message = { run: { sequence, order, keys } };
    const { ran } = await this.pipe.ask(`ran ${sequence} ${order}`, 1, message);
    return ran?.equal ?? false;
  }

  /**
   * Runs a transaction on that state, and again with other code. In a stream whose transactions are
   * observed, the code holds for the next ones with the same former code and settings.
   */
  async runAgain(
    place: { readonly sequence: number; readonly order: number },
    keys: readonly RunKey[],
    { next, kept }: CodeByInstance,
  ): Promise<RanAgain> {
    const { sequence, order } = place;
    const define: [number: number, entryXdr: string][] = [];
    const code = [...next].map(([keyXdr, entryXdr]) => {
      const number = this.definedCode.get(entryXdr) ?? this.definedCode.size;
      if (!this.definedCode.has(entryXdr)) define.push([number, entryXdr]);
      this.definedCode.set(entryXdr, number);
      return [keyXdr, number] as const;
    });
    const message = { run: { sequence, order, keys, again: { define, code, keeps: kept } } };
    const { ran } = await this.pipe.ask(`ran ${sequence} ${order}`, 2, message);
    return { equal: ran?.equal ?? false, ...bothRuns(ran?.again) };
  }

  /** Lets the next question start another process after one that died. It knows no ledger. */
  restart(): void {
    if (this.pipe.restart()) this.definedCode.clear();
  }

  /** Ends a ledger: no more questions about it follow. */
  done(sequence: number): void {
    this.pipe.later({ done: { sequence } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pipe[Symbol.asyncDispose]();
  }
}

/** Reads the facts that both runs of a transaction show. */
export function bothRuns(again: EngineCall["again"] | undefined): Omit<RanAgain, "equal"> {
  const reached = (again?.reached ?? []).map(([contract, name, nested]) => {
    return { contract, function: name, nested };
  });
  return { reached, same: again?.same ?? false, costs: again?.costs ?? null };
}

function sentSettings(decided: EngineSettings | null) {
  return (
    decided && {
      entries: decided.entriesXdr,
      rent_fee: decided.rentFeePer1KbStroops,
      unconfirmed: decided.unconfirmed,
    }
  );
}
