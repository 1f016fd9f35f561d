// The pipe to a process of `svc-sim engine`: messages out, answers in. The process starts at the
// first question. Invariant: every question ends with its answer, or with the reason why the
// process ended. svc ends the process if it is silent while a question is open, and at the end of
// the run that it serves.

import * as v from "valibot";
import { utf8Bytes } from "../base/bytes.ts";
import { nextTurn, Patience } from "../base/turns.ts";
import type { ConnectedProgram, SimulatorConnection } from "./connection.ts";
import { type EngineAnswer, engineAnswerSchema } from "./engine-messages.ts";
import { parseJson } from "./read-response.ts";
import { aborted, badAnswer, died, timedOut } from "./simulator-error.ts";
import { countLoss, isFailedRun } from "./simulator-program.ts";

/** Answers are short, except evidence, which has contract code in base64. */
const ANSWER_LIMIT_BYTES = 1024 * 1024 * 1024;
/**
 * Longer than a host's deadline, because each of their answers is a sign of life, and shorter than
 * svc's own deadline.
 */
const PATIENCE_MILLISECONDS = 45_000;
/**
 * The share of a shorter patience that a host gets, so that it can still report an endless
 * transaction.
 */
const DEADLINE_SHARE = 2 / 3;
/** The time that the process gets to end by itself after its stdin is closed. */
const FAREWELL_MILLISECONDS = 2_000;

export class EnginePipe implements AsyncDisposable {
  private process: SimulatorConnection | null = null;
  private readonly patienceMilliseconds: number;
  /** Questions that are answered in their order. */
  private readonly steps: PromiseWithResolvers<EngineAnswer>[] = [];
  /** Questions that are answered in any order, by name. */
  private readonly waiting = new Map<string, PromiseWithResolvers<EngineAnswer>>();
  /**
   * The number of running transactions, by the name of the question that ends with their verdicts.
   */
  private readonly running = new Map<string, number>();
  private ended: { readonly error: unknown } | null = null;
  /** Nothing was asked when its process ended, which may have been its end. */
  private endedIdle = false;
  /** The answers about a stream that the engine folds by itself; null if there is none. */
  private answers: Answers | null = null;
  private patience: Patience | null = null;
  /** True if the engine has asked for settings. */
  private waitsForSettings = false;
  /** Messages that go in one write. Those without an answer go with the next that has one. */
  private unsent: Uint8Array[] = [];
  private writing: Promise<void> | null = null;
  /** The last write. The pipe gets one at a time. */
  private written: Promise<void> = Promise.resolve();

  constructor(
    private readonly program: ConnectedProgram,
    /** Limits of each process that runs contracts, as arguments of svc-sim. */
    private readonly limits: readonly string[],
    /** If the signal is aborted, every question ends with its reason, and so does the process. */
    private readonly signal: AbortSignal | null,
  ) {
    const { patienceMilliseconds = PATIENCE_MILLISECONDS } = program;
    this.patienceMilliseconds = Math.min(patienceMilliseconds, PATIENCE_MILLISECONDS);
    signal?.addEventListener("abort", this.interrupt, { once: true });
  }

  /**
   * Lets the next question start another process after one that died. Returns false if none died.
   */
  restart(): boolean {
    if (this.ended === null) return false;
    if (this.endedIdle) countLoss(this.program, this.ended.error);
    this.ended = null;
    this.process = null;
    this.answers = null;
    this.running.clear();
    this.waitsForSettings = false;
    this.unsent = [];
    this.writing = null;
    this.written = Promise.resolve();
    return true;
  }

  /** Sends a message whose answers are about a stream that the engine folds by itself. */
  stream(message: object): AsyncGenerator<EngineAnswer> {
    const answers = new Answers();
    const failure = this.failure();
    if (failure === null) {
      this.answers = answers;
      this.awaitAnswers();
    }
    const sent = this.send(message);
    // The code that awaits the first answer handles the failure.
    sent.catch(() => {});
    return this.answersOf(answers, sent);
  }

  private async *answersOf(answers: Answers, sent: Promise<void>): AsyncGenerator<EngineAnswer> {
    try {
      await sent;
      for (let isEnded = false; !isEnded; ) {
        const answer = await answers.next();
        isEnded = answer.ended !== undefined;
        yield answer;
      }
    } finally {
      if (this.answers === answers) this.answers = null;
      this.renewPatience();
    }
  }

  /** Ends the answers about a stream with an error of the caller's own. */
  stop(error: unknown): void {
    this.answers?.fail(error);
  }

  /** Sends the settings that the engine waits for while it folds its stream. */
  async sendSettings(message: object): Promise<void> {
    this.waitsForSettings = false;
    this.awaitAnswers();
    await this.send(message);
  }

  /** Sends the settings that the engine waits for while it folds a ledger, and takes its answer. */
  stepWithSettings(message: object): Promise<EngineAnswer> {
    this.waitsForSettings = false;
    const answer = this.expect();
    // This question is answered first, because everything after the fold waits.
    this.steps.unshift(...this.steps.splice(-1));
    return this.sent(message, answer);
  }

  /** Sends a question that is answered in any order, by this name, after so many runs. */
  async ask(name: string, runs: number, message: object): Promise<EngineAnswer> {
    const answer = this.expect(name);
    if (this.failure() === null) this.running.set(name, runs);
    await this.send(message);
    return answer;
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

  /** The reason why no more questions can be asked; null while they can. */
  private failure(): { readonly error: unknown } | null {
    const { signal, program } = this;
    if (signal?.aborted) {
      const run = this.process?.run ?? { path: program.path, stderr: "" };
      this.ended ??= { error: aborted(signal, run) };
    }
    return this.ended;
  }

  private get isAwaited(): boolean {
    return this.answers !== null || this.steps.length + this.waiting.size > 0;
  }

  /** Sends a question that is answered after those before it. */
  step(message: object, bytes?: Uint8Array): Promise<EngineAnswer> {
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

  /** Expects an answer: the one with this name, or the next one in order. */
  private expect(name?: string): Promise<EngineAnswer> {
    const waiting = Promise.withResolvers<EngineAnswer>();
    // It may fail while the question is still being written. The code that awaits the answer
    // handles that.
    waiting.promise.catch(() => {});
    const failure = this.failure();
    if (failure !== null) {
      waiting.reject(failure.error);
      return waiting.promise;
    }
    if (name === undefined) this.steps.push(waiting);
    else this.waiting.set(name, waiting);
    if (!this.waitsForSettings) this.awaitAnswers();
    return waiting.promise;
  }

  private awaitAnswers(): void {
    // If no process could be started, there is nothing to wait for.
    this.patience ??= new Patience(this.patienceMilliseconds, () => this.giveUp());
  }

  /** Renews the patience. Every line is a sign of life. */
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
    // While the engine waits for settings, the time belongs to nodes.
    const isAsked = this.isAwaited && !this.waitsForSettings;
    if (process !== null && signal !== null && isAsked)
      this.end(process, aborted(signal, process.run));
  };

  private end(process: SimulatorConnection, error: unknown): void {
    process.kill();
    // One that was replaced ends nothing.
    if (process !== this.process) return;
    this.endedIdle = !this.isAwaited;
    if (this.isAwaited) {
      countLoss(this.program, error);
      this.countFailed(error);
    }
    this.ended ??= { error };
    for (const { reject } of [...this.steps, ...this.waiting.values()]) reject(this.ended.error);
    this.steps.length = 0;
    this.waiting.clear();
    this.answers?.fail(this.ended.error);
    this.answers = null;
    this.renewPatience();
  }

  /**
   * Counts each running transaction as a failed run, and at least one, because a question was open.
   */
  private countFailed(error: unknown): void {
    const { simulated } = this.program;
    if (simulated === undefined || !isFailedRun(this.program, error)) return;
    const runs = [...this.running.values()].reduce((sum, count) => sum + count, 0);
    for (let run = 0; run < Math.max(1, runs); run += 1) simulated("error");
    this.running.clear();
  }

  /** Counts runs. `broken` is the number of those that ended without a result. */
  private countRuns(name: string, broken: number): void {
    const runs = this.running.get(name) ?? 0;
    this.running.delete(name);
    for (let run = 0; run < runs; run += 1)
      this.program.simulated?.(run < broken ? "error" : "success");
  }

  /** Keeps a message, which goes with the next one that has an answer. */
  later(message: object, bytes?: Uint8Array): void {
    this.unsent.push(utf8Bytes(`${JSON.stringify(message)}\n`));
    if (bytes !== undefined) this.unsent.push(bytes);
  }

  /** Sends a message. Settles after it is written, together with what else is sent until then. */
  async send(message: object, bytes?: Uint8Array): Promise<void> {
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
    const pieces = this.unsent;
    this.unsent = [];
    this.writing = null;
    this.written = process.write(...pieces);
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
        const answer = v.safeParse(engineAnswerSchema, parseJson(line, process.run));
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
    if (this.answers !== null && isOfStream(answer)) {
      this.countStream(answer);
      this.answers.add({ ...answer, ...this.judged(folded) });
    } else if (!busy) {
      const waiting = name === null ? this.steps.shift() : this.waiting.get(name);
      if (name !== null) {
        this.waiting.delete(name);
        this.countRuns(name, verdicts?.broken ?? Number(ran?.broken ?? false));
      }
      waiting?.resolve({ ...answer, ...this.judged(folded) });
    }
    this.renewPatience();
  }

  private countStream({ counted }: EngineAnswer): void {
    const equal = Object.values(counted?.equal ?? {}).reduce((sum, many) => sum + many, 0);
    for (let run = 0; run < equal; run += 1) this.program.simulated?.("success");
  }

  /** The verdicts may be in the next line already. */
  private judged(folded: EngineAnswer["folded"]): Pick<EngineAnswer, "judged"> {
    if (folded === undefined || folded.running === 0) return {};
    const name = `verdicts ${folded.sequence}`;
    this.running.set(name, folded.running);
    return { judged: this.expect(name) };
  }

  /** Throws, because the engine has answered something else. */
  wrong(problem: string): never {
    throw died(problem, this.process?.run ?? { path: this.program.path, stderr: "" });
  }
}

function isOfStream(answer: EngineAnswer): boolean {
  const { counted, call, lacks, unread, ended, settings, folded } = answer;
  return [counted, call, lacks, unread, ended, settings, folded].some((each) => each !== undefined);
}

/** Answers that wait to be handled. The engine bounds their number. */
class Answers {
  private readonly waiting: EngineAnswer[] = [];
  private failure: { readonly error: unknown } | null = null;
  private more = Promise.withResolvers<void>();

  add(answer: EngineAnswer): void {
    this.waiting.push(answer);
    this.more.resolve();
  }

  fail(error: unknown): void {
    this.failure = { error };
    this.more.resolve();
  }

  async next(): Promise<EngineAnswer> {
    for (;;) {
      const answer = this.waiting.shift();
      if (answer !== undefined) return answer;
      if (this.failure !== null) throw this.failure.error;
      this.more = Promise.withResolvers();
      await this.more.promise;
    }
  }
}
