// A process of `svc-sim engine` (src/svc-sim/README.md, "The ledger engine"): ledgers go in, and
// what comes out of each is which of its transactions are as the chain recorded them, and the
// evidence of the rest. It starts when it is first asked.
// Invariant: every question ends with its answer, or with the reason why the process ended: it is
// ended where it says nothing while something is asked, and with the run that it is for.

import * as v from "valibot";
import { concatBytes, utf8Bytes } from "../base/bytes.ts";
import { nextTurn, Patience } from "../base/turns.ts";
import type { ConnectedProgram, SimulatorConnection } from "./connection.ts";
import { parseJson } from "./read-response.ts";
import { aborted, badAnswer, died, timedOut } from "./simulator-error.ts";
import { countLoss, isFailedRun } from "./simulator-program.ts";

const text = v.nullable(v.string());

/** What the fold has of a key of a footprint; what is absent is not known, null does not exist. */
const keySchema = v.object({
  entry: v.optional(text),
  live_until: v.optional(v.nullable(v.number())),
  archived: v.optional(v.string()),
  changed: v.optional(v.boolean(), false),
  ttl_changed: v.optional(v.boolean(), false),
  restored: v.optional(v.boolean(), false),
  new_code: v.optional(v.boolean(), false),
  revived_code: v.optional(v.boolean(), false),
});
const evidenceSchema = v.object({ order: v.number(), keys: v.array(keySchema) });
const factsSchema = v.object({
  first_ledger: v.number(),
  young_since: v.number(),
  generation: v.number(),
  complete: v.boolean(),
});
const rowSchema = v.union([
  v.strictTuple([v.string()]),
  v.tuple([v.string(), v.nullable(v.union([v.string(), v.number()]))]),
]);
const verdictsSchema = v.object({
  sequence: v.number(),
  equal: v.number(),
  /** Of them, those with an input that is only a node's word. */
  unconfirmed: v.number(),
  /** Those whose runs ended without a result: they crashed a host, or took too long. */
  broken: v.optional(v.number()),
  differ: v.array(evidenceSchema),
});
const answerSchema = v.object({
  /** It is at work: an answer follows. */
  busy: v.optional(v.boolean()),
  unreadable: v.optional(v.string()),
  read: v.optional(
    v.object({
      sequence: v.number(),
      hash: v.string(),
      protocol_version: v.number(),
      close_time_unix_seconds: v.string(),
      forged: v.nullable(v.picklist(["header", "transactions", "results"])),
      unknown_keys: v.array(v.string()),
    }),
  ),
  settings: v.optional(
    v.object({ gap: v.boolean(), facts: factsSchema, entries: v.record(v.string(), text) }),
  ),
  folded: v.optional(
    v.object({
      sequence: v.number(),
      protocol_version: v.number(),
      /** The ledger does not follow the one before: what was known is dropped. */
      gap: v.boolean(),
      facts: factsSchema,
      soroban: v.number(),
      refused: v.number(),
      classic: v.number(),
      running: v.number(),
      open: v.array(evidenceSchema),
      mismatches: v.array(
        v.object({
          kind: v.picklist(["state", "restored"]),
          key: v.string(),
          folded: text,
          on_chain: text,
        }),
      ),
      rows: v.nullable(
        v.object({ reset: v.boolean(), facts: factsSchema, rows: v.array(rowSchema) }),
      ),
    }),
  ),
  verdicts: v.optional(verdictsSchema),
  ran: v.optional(
    v.object({
      sequence: v.number(),
      order: v.number(),
      equal: v.boolean(),
      broken: v.optional(v.boolean()),
    }),
  ),
});

/** `judged`: the verdicts that follow a folded ledger whose transactions run. */
type EngineAnswer = v.InferOutput<typeof answerSchema> & {
  readonly judged?: Promise<EngineAnswer>;
};
export type KnownKey = v.InferOutput<typeof keySchema>;
export type KnownFootprint = v.InferOutput<typeof evidenceSchema>;
export type EngineRead = NonNullable<EngineAnswer["read"]>;
export type EngineFolded = NonNullable<EngineAnswer["folded"]>;
export type EngineVerdicts = v.InferOutput<typeof verdictsSchema>;
export type EngineFacts = v.InferOutput<typeof factsSchema>;

export interface EngineOptions {
  readonly networkPassphrase: string;
  /** LedgerEntry of the account that a stream from genesis begins with. */
  readonly genesisXdr: string;
  readonly maximumBytes: number;
  readonly keepsRecent: boolean;
  readonly keepsRows: boolean;
  /** Answers to ledgers have the keys that were not shown yet. */
  readonly asks: boolean;
}

export interface EngineSettings {
  readonly entriesXdr: readonly string[];
  readonly rentFeePer1KbStroops: string | null;
  readonly unconfirmed: boolean;
}

/** An entry that others than the ledgers show, just before the ledger. */
export interface PutEntry {
  readonly key: string;
  readonly entry: string | null;
  /** The ledgers show the entry, and not its TTL. */
  readonly ttl_only: boolean;
  readonly live_until: number | null;
  readonly provisional: boolean;
  /** The TTL was between the transaction's ledger and this. */
  readonly bounded: boolean;
  readonly unconfirmed: boolean;
  /** That there is none is assumed: the smallest LedgerEntry of the key, for a proof. */
  readonly least: string | null;
}

/** What was decided of one key; without `entry` as the fold has it, or as it was put. */
export interface RunKey {
  readonly entry?: string | null;
  readonly live_until: number | null;
  readonly archived: boolean;
  readonly code_cached: boolean | null;
  readonly restored_earlier: boolean;
  readonly provisional: boolean;
  readonly bounded: boolean;
  readonly unconfirmed: boolean;
  readonly absent_by_node: boolean;
  readonly least: string | null;
}

export interface EngineRow {
  readonly key: string;
  readonly value: string | number | null;
  readonly generation: number;
}

/** Either the settings that the fold waits for, or the folded ledger. */
export interface FoldAnswer {
  readonly settings: EngineAnswer["settings"];
  readonly folded: EngineAnswer["folded"];
  /** Of the transactions that run. */
  readonly verdicts?: Promise<EngineVerdicts>;
}

/** Answers are short but for evidence: contract code in base64. */
const ANSWER_LIMIT_BYTES = 1024 * 1024 * 1024;
const ROWS_AT_ONCE = 10_000;
/**
 * Limits of each process that runs contracts, as arguments of svc-sim: far beyond what any network
 * allows a transaction. One that does not end by itself, because its ledger's settings say that nothing
 * costs anything, is then a transaction that did not run, and costs no other.
 */
const HOST_LIMITS = ["--memory-bytes", String(1024 ** 3), "--cpu-milliseconds", "20000"];
/** More than a host's deadline: each of their answers is a sign of life. Less than svc's own. */
const PATIENCE_MILLISECONDS = 45_000;
/** Of a shorter patience, so that a host can still say that a transaction does not end. */
const DEADLINE_SHARE = 2 / 3;
/** The time that the process gets to end by itself after its stdin is closed. */
const FAREWELL_MILLISECONDS = 2_000;

export class LedgerEngine implements AsyncDisposable {
  private process: SimulatorConnection | null = null;
  private readonly patienceMilliseconds: number;
  /** Questions whose answers come in their order. */
  private readonly steps: PromiseWithResolvers<EngineAnswer>[] = [];
  /** Questions whose answers come when they are known, by their name. */
  private readonly waiting = new Map<string, PromiseWithResolvers<EngineAnswer>>();
  /** Transactions that run, by the name of the question that ends with their verdicts. */
  private readonly running = new Map<string, number>();
  private ended: { readonly error: unknown } | null = null;
  private patience: Patience | null = null;
  /** It has asked for settings. */
  private waitsForSettings = false;
  /** Messages that go in one write, those without an answer with the next that has one. */
  private unsent: Uint8Array[] = [];
  private writing: Promise<void> | null = null;
  /** The last one; the pipe is given one at a time. */
  private written: Promise<void> = Promise.resolve();

  constructor(
    private readonly program: ConnectedProgram,
    /** Processes that run contracts. */
    private readonly hosts: number,
    private readonly limits: readonly string[] = HOST_LIMITS,
    /** Aborted: whatever is asked ends with its reason, and so does the process. */
    private readonly signal: AbortSignal | null = null,
  ) {
    const { patienceMilliseconds = PATIENCE_MILLISECONDS } = program;
    this.patienceMilliseconds = Math.min(patienceMilliseconds, PATIENCE_MILLISECONDS);
    signal?.addEventListener("abort", this.interrupt, { once: true });
  }

  /** Ledgers of another stream follow. */
  open(options: EngineOptions): void {
    const { networkPassphrase, genesisXdr, maximumBytes, keepsRecent, keepsRows, asks } = options;
    this.later({
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

  /** In the place of ledgers. `last`: the ledger that was read last is the last of them. */
  async resume(facts: EngineFacts, rows: Iterable<EngineRow>, last: boolean): Promise<void> {
    await this.send({ resume: { facts, last } });
    let some: EngineRow[] = [];
    const flush = async () => {
      await this.send({ keep: { rows: some } });
      some = [];
    };
    for (const row of rows) {
      some.push(row);
      if (some.length === ROWS_AT_ONCE) await flush();
    }
    await flush();
  }

  /** The text says what is wrong with the bytes. */
  async read(ledgerCloseMeta: Uint8Array): Promise<EngineRead | string> {
    const message = { ledger: { bytes: ledgerCloseMeta.length } };
    const { read, unreadable } = await this.step(message, ledgerCloseMeta);
    return read ?? unreadable ?? this.wrong("has no ledger");
  }

  /**
   * Folds the ledger that was read first, or asks for its settings before; what was sent after it
   * waits for these. `want`: transactions whose evidence is wanted in any case, from 1. `run`: the
   * others run where the fold knows their state.
   */
  fold({ run, want, keys = [], put = [] }: FoldChoice): Promise<FoldAnswer> {
    return this.folded(this.step({ fold: { run, want, keys, put } }));
  }

  /** Null: they are not sure for every transaction of the ledger. */
  settings(decided: EngineSettings | null): Promise<FoldAnswer> {
    const settings = decided && {
      entries: decided.entriesXdr,
      rent_fee: decided.rentFeePer1KbStroops,
      unconfirmed: decided.unconfirmed,
    };
    this.waitsForSettings = false;
    const answer = this.expect();
    // The first to be answered: what was sent after the fold waits.
    this.steps.unshift(...this.steps.splice(-1));
    return this.folded(this.sent({ settings }, answer));
  }

  private async folded(answer: Promise<EngineAnswer>): Promise<FoldAnswer> {
    const { settings, folded, judged } = await answer;
    if (judged === undefined) return { settings, folded };
    const verdicts = judged.then((each) => each.verdicts);
    // Whoever waits for it handles its failure.
    verdicts.catch(() => {});
    return { settings, folded, verdicts: verdicts as Promise<EngineVerdicts> };
  }

  /** Goes with the next question. */
  put(sequence: number, entries: readonly PutEntry[]): void {
    if (entries.length > 0) this.later({ put: { sequence, entries } });
  }

  /** True: the execution on that state is the chain's. */
  async run(sequence: number, order: number, keys: readonly RunKey[]): Promise<boolean> {
    const name = `ran ${sequence} ${order}`;
    const answer = this.expect(name);
    if (this.failure() === null) this.running.set(name, 1);
    await this.send({ run: { sequence, order, keys } });
    return (await answer).ran?.equal ?? false;
  }

  /** Nothing more is asked about the ledger. */
  done(sequence: number): void {
    this.later({ done: { sequence } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { process } = this;
    this.signal?.removeEventListener("abort", this.interrupt);
    if (process === null) return;
    if (this.isAwaited) process.kill();
    const insist = setTimeout(() => process.kill(), FAREWELL_MILLISECONDS);
    await process.endInput();
    await process.end();
    clearTimeout(insist);
  }

  /** Why nothing can be asked any more. */
  private failure(): { readonly error: unknown } | null {
    const { signal, program } = this;
    if (signal?.aborted) {
      const run = this.process?.run ?? { path: program.path, stderr: "" };
      this.ended ??= { error: aborted(signal, run) };
    }
    return this.ended;
  }

  private get isAwaited(): boolean {
    return this.steps.length + this.waiting.size > 0;
  }

  private step(message: object, bytes?: Uint8Array): Promise<EngineAnswer> {
    return this.sent(message, this.expect(), bytes);
  }

  private async sent(
    message: object,
    answer: Promise<EngineAnswer>,
    bytes?: Uint8Array,
  ): Promise<EngineAnswer> {
    await this.send(message, bytes);
    return answer;
  }

  /** `name`: of what comes when it is known; otherwise the next answer. */
  private expect(name?: string): Promise<EngineAnswer> {
    const waiting = Promise.withResolvers<EngineAnswer>();
    // It may fail while what was asked is still being written; whoever waits for it handles that.
    waiting.promise.catch(() => {});
    const failure = this.failure();
    if (failure !== null) {
      waiting.reject(failure.error);
      return waiting.promise;
    }
    if (name === undefined) this.steps.push(waiting);
    else this.waiting.set(name, waiting);
    if (this.waitsForSettings) return waiting.promise;
    // Where no process could be started, there is nothing to wait for.
    this.patience ??= new Patience(this.patienceMilliseconds, () => this.giveUp());
    return waiting.promise;
  }

  /** Every line is a sign of life. */
  private renewPatience(): void {
    if (this.isAwaited && !this.waitsForSettings) {
      this.patience?.renew();
    } else if (this.patience !== null) {
      this.patience.end();
      this.patience = null;
    }
  }

  private giveUp(): void {
    const { process } = this;
    if (process !== null) this.end(process, timedOut(this.patienceMilliseconds, process.run));
  }

  private readonly interrupt = () => {
    const { process, signal } = this;
    // While it waits for settings, the time was that of nodes.
    const isAsked = this.isAwaited && !this.waitsForSettings;
    if (process !== null && signal !== null && isAsked)
      this.end(process, aborted(signal, process.run));
  };

  private end(process: SimulatorConnection, error: unknown): void {
    process.kill();
    if (this.isAwaited) {
      countLoss(this.program, error);
      this.countFailed(error);
    }
    this.ended ??= { error };
    for (const { reject } of [...this.steps, ...this.waiting.values()]) reject(this.ended.error);
    this.steps.length = 0;
    this.waiting.clear();
    this.renewPatience();
  }

  /** Each transaction that ran is a run that failed; at least one, since something was asked. */
  private countFailed(error: unknown): void {
    const { simulated } = this.program;
    if (simulated === undefined || !isFailedRun(this.program, error)) return;
    const runs = [...this.running.values()].reduce((sum, count) => sum + count, 0);
    for (let run = 0; run < Math.max(1, runs); run += 1) simulated("error");
    this.running.clear();
  }

  /** `broken`: how many of them ended without a result. */
  private countRuns(name: string, broken: number): void {
    const runs = this.running.get(name) ?? 0;
    this.running.delete(name);
    for (let run = 0; run < runs; run += 1)
      this.program.simulated?.(run < broken ? "error" : "success");
  }

  private later(message: object, bytes?: Uint8Array): void {
    this.unsent.push(utf8Bytes(`${JSON.stringify(message)}\n`));
    if (bytes !== undefined) this.unsent.push(bytes);
  }

  /** Settles when it is written, with what else is sent until then. */
  private async send(message: object, bytes?: Uint8Array): Promise<void> {
    const failure = this.failure();
    if (failure !== null) throw failure.error;
    this.process ??= this.start();
    this.later(message, bytes);
    this.writing ??= this.write(this.process);
    await this.writing;
  }

  private async write(process: SimulatorConnection): Promise<void> {
    await nextTurn();
    await this.written;
    const data = concatBytes(this.unsent);
    this.unsent = [];
    this.writing = null;
    this.written = process.write(data);
    await this.written;
  }

  private start(): SimulatorConnection {
    const args = ["engine", ...this.limits];
    if (this.patienceMilliseconds < PATIENCE_MILLISECONDS) {
      const deadline = Math.ceil(this.patienceMilliseconds * DEADLINE_SHARE);
      args.push("--deadline-milliseconds", String(deadline));
    }
    try {
      const process = this.program.connect(args, ANSWER_LIMIT_BYTES);
      void this.receive(process);
      return process;
    } catch (error) {
      countLoss(this.program, error);
      this.countFailed(error);
      throw error;
    }
  }

  private async receive(process: SimulatorConnection): Promise<void> {
    try {
      for await (const line of process.lines({ unended: false })) {
        const answer = v.safeParse(answerSchema, parseJson(line, process.run));
        if (!answer.success) throw badAnswer("is not one of an engine", line, process.run);
        this.settle(answer.output);
      }
      throw await process.end();
    } catch (error) {
      this.end(process, error);
    }
  }

  private settle(answer: EngineAnswer): void {
    const { verdicts, folded, ran, settings, busy = false } = answer;
    if (settings !== undefined) this.waitsForSettings = true;
    const name =
      verdicts !== undefined
        ? `verdicts ${verdicts.sequence}`
        : ran !== undefined
          ? `ran ${ran.sequence} ${ran.order}`
          : null;
    if (!busy) {
      const waiting = name === null ? this.steps.shift() : this.waiting.get(name);
      if (name !== null) {
        this.waiting.delete(name);
        this.countRuns(name, verdicts?.broken ?? Number(ran?.broken ?? false));
      }
      waiting?.resolve({ ...answer, ...this.judged(folded) });
    }
    this.renewPatience();
  }

  /** The verdicts may be in the next line already. */
  private judged(folded: EngineAnswer["folded"]): Pick<EngineAnswer, "judged"> {
    if (folded === undefined || folded.running === 0) return {};
    const name = `verdicts ${folded.sequence}`;
    this.running.set(name, folded.running);
    return { judged: this.expect(name) };
  }

  private wrong(problem: string): never {
    throw died(problem, this.process?.run ?? { path: this.program.path, stderr: "" });
  }
}

export interface FoldChoice {
  readonly run: boolean;
  readonly want: boolean | readonly number[];
  /** LedgerKeys whose state is wanted with each of those, after its footprint. */
  readonly keys?: readonly string[];
  /** What others than the ledgers show of keys just before the ledger. */
  readonly put?: readonly PutEntry[];
}
