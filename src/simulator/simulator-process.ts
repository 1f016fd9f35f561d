// A process of svc-sim: how it is started, written to, read, timed and ended. `ask` is for one
// request after the other; a worker of a pool (worker.ts) has several on the way.
// Invariant: no stream is read without a limit, and no failed write ends svc.

import { endingOf } from "../base/own-text.ts";
import type { AskOptions, ReadAnswer, SimulatorConnection } from "./connection.ts";
import { LineReader } from "./line-reader.ts";
import { parseJson } from "./read-response.ts";
import {
  aborted,
  badAnswer,
  died,
  notStarted,
  type SimulatorRun,
  timedOut,
} from "./simulator-error.ts";

/** A response has every change twice, and the diagnostics; no response is larger than this. */
const RESPONSE_LIMIT_BYTES = 256 * 1024 * 1024;
/** Enough for a panic with its backtrace. */
const STDERR_LIMIT_CHARACTERS = 16 * 1024;
/** How long a stream may stay open after the process ended: a child of it may hold it open. */
const LAST_WORDS_MILLISECONDS = 100;
/** In turns, between which what has arrived is read: svc itself may be late. */
const TURN_MILLISECONDS = 10;
/** The longest that a child of the process may go on writing. */
const LONGEST_LAST_WORDS_MILLISECONDS = 2_000;

export class SimulatorProcess implements SimulatorConnection {
  readonly run: SimulatorRun;
  private readonly helper: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private readonly stderr: TextTail;
  private answers: AsyncGenerator<string> | null = null;
  /** Each settles a write that is not flushed. */
  private readonly writes = new Set<() => void>();

  /** Throws SIMULATOR_DIED when the program cannot be started. */
  constructor(
    path: string,
    args: readonly string[],
    private readonly limitBytes = RESPONSE_LIMIT_BYTES,
  ) {
    try {
      // Secrets of the environment, such as a PIN, are not for a program that runs untrusted code.
      const streams = { stdin: "pipe", stdout: "pipe", stderr: "pipe", env: {} } as const;
      this.helper = Bun.spawn([path, ...args], streams);
    } catch (cause) {
      throw notStarted(path, cause);
    }
    const stderr = new TextTail(this.helper.stderr, STDERR_LIMIT_CHARACTERS);
    void this.helper.exited.then(() => {
      for (const settle of this.writes) settle();
      void stderr.endedWithin(LAST_WORDS_MILLISECONDS);
    });
    this.stderr = stderr;
    this.run = {
      path,
      get stderr() {
        return stderr.toString();
      },
    };
  }

  get pid(): number {
    return this.helper.pid;
  }

  kill(): void {
    this.helper.kill("SIGKILL");
  }

  /**
   * Settles when the data is flushed: `write` buffers without a limit. EPIPE of a process that
   * ended early is not an error: its answer, or how it ended, explains more. Each step may throw or
   * reject by itself, and a rejection that nothing awaits would end svc.
   */
  async write(data: string | Uint8Array): Promise<void> {
    const { stdin } = this.helper;
    await this.unlessEnded([(async () => stdin.write(data))(), (async () => stdin.flush())()]);
  }

  async endInput(): Promise<void> {
    await this.unlessEnded([(async () => this.helper.stdin.end())()]);
  }

  /** A child of a process that ended may hold its stdin, and read nothing of it. */
  private unlessEnded(steps: readonly Promise<unknown>[]): Promise<void> {
    const { exitCode, signalCode } = this.helper;
    if (exitCode !== null || signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.writes.add(resolve);
      void Promise.allSettled(steps).then(() => {
        this.writes.delete(resolve);
        resolve();
      });
    });
  }

  /** `unended`: also a last line without a break. Throws SIMULATOR_INVALID_JSON at the limit. */
  async *lines({ unended }: { readonly unended: boolean }): AsyncGenerator<string> {
    const lines = new LineReader(this.limitBytes);
    for await (const chunk of this.chunks()) {
      for (const line of lines.push(chunk)) if (line.trim() !== "") yield line;
      if (lines.overflowed)
        throw badAnswer(`is longer than ${this.limitBytes} bytes`, "", this.run);
    }
    const rest = unended ? lines.rest() : "";
    if (rest.trim() !== "") yield rest;
  }

  /**
   * Stdout until its end, or until the process has ended and what it wrote is read: a child of it
   * may hold stdout open for ever.
   */
  private async *chunks(): AsyncGenerator<Uint8Array> {
    const reader = this.helper.stdout.getReader();
    const stop = () => void reader.cancel().catch(() => {});
    const timer = new LastWords(stop);
    void this.helper.exited.then(() => timer.begin());
    try {
      while (true) {
        const { done, value } = await reader.read();
        if (done) break;
        timer.heard();
        yield value;
      }
    } finally {
      timer.end();
      stop();
    }
  }

  /** How the process ended, as SIMULATOR_DIED, once it did and its last words are read. */
  async end(): Promise<ReturnType<typeof died>> {
    const exitCode = await this.helper.exited;
    await this.stderr.endedWithin(LAST_WORDS_MILLISECONDS);
    const { signalCode } = this.helper;
    const how =
      signalCode === null ? `ended with exit code ${exitCode}` : `was killed by ${signalCode}`;
    return died(how, this.run);
  }

  /** One request of a process that gets more. */
  ask<Answer>(text: string, read: ReadAnswer<Answer>, options: AskOptions): Promise<Answer> {
    return this.answer(this.write(`${text}\n`), { unended: false }, read, options);
  }

  /** The only request: its end is the end of stdin. */
  askOnly<Answer>(text: string, read: ReadAnswer<Answer>, options: AskOptions): Promise<Answer> {
    const written = this.write(text).then(() => this.endInput());
    return this.answer(written, { unended: true }, read, options);
  }

  /** The next line. The process is killed when it takes too long, or nobody waits any longer. */
  private async answer<Answer>(
    written: Promise<void>,
    form: { readonly unended: boolean },
    read: ReadAnswer<Answer>,
    { signal, patienceMilliseconds }: AskOptions,
  ): Promise<Answer> {
    let late = false;
    const kill = () => this.kill();
    const timer = setTimeout(() => {
      late = true;
      kill();
    }, patienceMilliseconds);
    signal?.addEventListener("abort", kill, { once: true });
    try {
      this.answers ??= this.lines(form);
      const [{ value: line }] = await Promise.all([this.answers.next(), written]);
      const ended = line === undefined ? await this.end() : null;
      if (signal?.aborted) throw aborted(signal, this.run);
      if (late) throw timedOut(patienceMilliseconds, this.run);
      if (ended !== null) throw ended;
      return read(parseJson(line, this.run), line, this.run);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.helper.exited;
    await this.answers?.return(undefined);
  }
}

/** Stops reading from a process that has ended, once it is silent. */
class LastWords {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isOver = false;
  private silentMilliseconds = 0;
  private milliseconds = 0;

  constructor(private readonly stop: () => void) {}

  begin(): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => {
      this.silentMilliseconds += TURN_MILLISECONDS;
      this.milliseconds += TURN_MILLISECONDS;
      const isSilent = this.silentMilliseconds >= LAST_WORDS_MILLISECONDS;
      if (isSilent || this.milliseconds >= LONGEST_LAST_WORDS_MILLISECONDS) this.stop();
      else this.begin();
    }, TURN_MILLISECONDS);
  }

  heard(): void {
    this.silentMilliseconds = 0;
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }
}

interface Chunk {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

/** Keeps the last `limit` characters of a stream; never rejects. */
export class TextTail {
  private text = "";
  private readonly reader: { cancel(): Promise<void>; read(): Promise<Chunk> };
  private readonly ended: Promise<void>;

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly limit: number,
  ) {
    this.reader = stream.getReader();
    this.ended = this.drain();
  }

  toString(): string {
    return this.text;
  }

  /** Settles when the stream has ended; after this time it is not read any longer. */
  async endedWithin(milliseconds: number): Promise<void> {
    const stop = () => void this.reader.cancel().catch(() => {});
    const timer = setTimeout(stop, milliseconds);
    await this.ended;
    clearTimeout(timer);
  }

  private async drain(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      while (true) {
        const { value: chunk } = await this.reader.read();
        if (chunk === undefined) return;
        // One chunk may be larger than the limit; cut before and after joining.
        const tail = chunk.subarray(Math.max(0, chunk.length - this.limit));
        this.text = endingOf(this.text + decoder.decode(tail, { stream: true }), this.limit);
      }
    } catch {
      // A broken stream counts as its end; the text so far is kept.
    }
  }
}
