// A process of svc-sim: how it is started, written to, read, timed and ended. `ask` is for one
// request after the other; a worker of a pool (worker.ts) has several on the way.
// Invariant: no stream is read without a limit, and no failed write ends svc.

import { endOf } from "../base/own-text.ts";
import { LineReader } from "./line-reader.ts";
import { parseJson } from "./read-response.ts";
import { aborted, badAnswer, died, type SimulatorRun, timedOut } from "./simulator-error.ts";

/** A response has every change twice, and the diagnostics; no response is larger than this. */
const RESPONSE_LIMIT_BYTES = 256 * 1024 * 1024;
/** Enough for a panic with its backtrace. */
const STDERR_LIMIT_CHARACTERS = 16 * 1024;
/** How long stderr may stay open after the process ended: a grandchild may have it open. */
const LAST_WORDS_MILLISECONDS = 100;

/** Throws the error that the answer reports, or SIMULATOR_INVALID_JSON. */
export type ReadAnswer<Answer> = (document: unknown, text: string, run: SimulatorRun) => Answer;

export interface AskOptions {
  readonly signal?: AbortSignal;
  readonly patienceMilliseconds: number;
}

export class SimulatorProcess {
  readonly run: SimulatorRun;
  private readonly helper: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private readonly stderr: TextTail;
  private answers: AsyncGenerator<string> | null = null;

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
      throw died("could not be started", { path, stderr: "" }, cause);
    }
    const stderr = new TextTail(this.helper.stderr, STDERR_LIMIT_CHARACTERS);
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
    await Promise.allSettled([(async () => stdin.write(data))(), (async () => stdin.flush())()]);
  }

  async endInput(): Promise<void> {
    await Promise.allSettled([(async () => this.helper.stdin.end())()]);
  }

  /** `unended`: also a last line without a break. Throws SIMULATOR_INVALID_JSON at the limit. */
  async *lines({ unended }: { readonly unended: boolean }): AsyncGenerator<string> {
    const lines = new LineReader(this.limitBytes);
    for await (const chunk of this.helper.stdout) {
      for (const line of lines.push(chunk)) if (line.trim() !== "") yield line;
      if (lines.overflowed)
        throw badAnswer(`is longer than ${this.limitBytes} bytes`, "", this.run);
    }
    const rest = unended ? lines.rest() : "";
    if (rest.trim() !== "") yield rest;
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
  }
}

/** Keeps the last `limit` characters of a stream; never rejects. */
export class TextTail {
  private text = "";
  private readonly ended: Promise<void>;

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly limit: number,
  ) {
    this.ended = this.drain(stream);
  }

  toString(): string {
    return this.text;
  }

  /** Settles when the stream has ended, or after this time. */
  async endedWithin(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const time = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.ended, time]);
    clearTimeout(timer);
  }

  private async drain(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of stream) {
        // One chunk may be larger than the limit; cut before and after joining.
        const tail = chunk.subarray(Math.max(0, chunk.length - this.limit));
        this.text = endOf(this.text + decoder.decode(tail, { stream: true }), this.limit);
      }
    } catch {
      // A broken stream counts as its end; the text so far is kept.
    }
  }
}
