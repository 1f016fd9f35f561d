// A process of svc-sim: its start, its streams, its time limits and its end. `ask` sends one
// request after another; a worker of a pool (worker.ts) has several open. Invariant: no stream is
// read without a limit, and no failed write ends svc.

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
/**
 * The time that a stream may stay open after the process ended, because a child process may hold it
 * open.
 */
const LAST_WORDS_MILLISECONDS = 100;
/**
 * The length of a turn. Between turns, svc reads what has arrived, because svc itself may be late.
 */
const TURN_MILLISECONDS = 10;
/** The longest time that a child process may go on writing. */
const LONGEST_LAST_WORDS_MILLISECONDS = 2_000;

export class SimulatorProcess implements SimulatorConnection {
  readonly run: SimulatorRun;
  private readonly helper: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private readonly stderr: TextTail;
  private answers: AsyncGenerator<string> | null = null;
  /** The functions that settle the writes that are not flushed. */
  private readonly writes = new Set<() => void>();

  /** Starts the process. Throws SIMULATOR_DIED if the program cannot be started. */
  constructor(
    path: string,
    args: readonly string[],
    private readonly limitBytes = RESPONSE_LIMIT_BYTES,
  ) {
    try {
      // Secrets of the environment, such as a PIN, must not reach a program that runs untrusted
      // code.
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
   * Settles after the pieces are flushed, because `write` buffers without a limit. EPIPE of a process
   * that ended early is not an error: its answer, or the way in which it ended, explains more. Each
   * step may throw or reject by itself, and a rejection that nothing awaits would end svc.
   */
  async write(...pieces: readonly (string | Uint8Array)[]): Promise<void> {
    const { stdin } = this.helper;
    const written = pieces.map(async (piece) => stdin.write(piece));
    await this.unlessEnded([...written, (async () => stdin.flush())()]);
  }

  async endInput(): Promise<void> {
    await this.unlessEnded([(async () => this.helper.stdin.end())()]);
  }

  /** Settles early if the process ends: a child process may hold its stdin and read nothing. */
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

  /**
   * The lines of stdout. With `unended`, a last line without a line break counts. Throws
   * SIMULATOR_INVALID_JSON at the limit.
   */
  async *lines({ unended }: { readonly unended: boolean }): AsyncGenerator<string> {
    const lines = new LineReader(this.limitBytes);
    for await (const chunk of this.chunks()) {
      for (const line of lines.push(chunk)) if (line.trim() !== "") yield line;
      if (lines.overflowed)
        throw badAnswer(`is longer than ${this.limitBytes} bytes`, "", this.run);
    }
    const lastLine = unended ? lines.rest() : "";
    if (lastLine.trim() !== "") yield lastLine;
  }

  /**
   * The chunks of stdout until its end, or until the process has ended and its output is read: a
   * child process may hold stdout open for ever.
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

  /** Returns how the process ended, as SIMULATOR_DIED, after its last output is read. */
  async end(): Promise<ReturnType<typeof died>> {
    const exitCode = await this.helper.exited;
    await this.stderr.endedWithin(LAST_WORDS_MILLISECONDS);
    const { signalCode } = this.helper;
    const how =
      signalCode === null ? `ended with exit code ${exitCode}` : `was killed by ${signalCode}`;
    return died(how, this.run);
  }

  /** Sends one request to a process that receives more. */
  ask<Answer>(text: string, read: ReadAnswer<Answer>, options: AskOptions): Promise<Answer> {
    return this.answer(this.write(`${text}\n`), { unended: false }, read, options);
  }

  /** Sends the only request, and closes stdin after it. */
  askOnly<Answer>(text: string, read: ReadAnswer<Answer>, options: AskOptions): Promise<Answer> {
    const written = this.write(text).then(() => this.endInput());
    return this.answer(written, { unended: true }, read, options);
  }

  /** Reads the next line. The process is killed if it takes too long, or if its caller has left. */
  private async answer<Answer>(
    written: Promise<void>,
    form: { readonly unended: boolean },
    read: ReadAnswer<Answer>,
    { signal, patienceMilliseconds, lateRemedy }: AskOptions,
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
      if (late) throw timedOut(patienceMilliseconds, this.run, lateRemedy);
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

/** Stops reading from a process that has ended as soon as it is silent. */
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
class TextTail {
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

  /** Settles after the stream has ended. After this time it is not read any longer. */
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
        // A chunk may be larger than the limit, so the text is cut before and after joining.
        const tail = chunk.subarray(Math.max(0, chunk.length - this.limit));
        this.text = endingOf(this.text + decoder.decode(tail, { stream: true }), this.limit);
      }
    } catch {
      // A broken stream counts as its end, and the text so far is kept.
    }
  }
}
