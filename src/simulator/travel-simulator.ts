// One `svc-sim serve` process that keeps one recorded transaction, to step through it. Requests are
// answered one after the other; the process ends with the session.

import * as v from "valibot";
import type { Execution } from "../model/execution.ts";
import {
  recordSchema,
  TRAVELS,
  type TravelKind,
  type Travelled,
  type TravelRecord,
} from "../model/travel.ts";
import { TextTail } from "./bounded-text.ts";
import { LineReader } from "./line-reader.ts";
import { endOf } from "./one-shot.ts";
import { parseJson, readAnswer, readResponse } from "./read-response.ts";
import { patienceOf, RESPONSE_LIMIT_BYTES, STDERR_LIMIT_CHARACTERS } from "./simulator.ts";
import { aborted, badAnswer, died, type SimulatorRun, timedOut } from "./simulator-error.ts";
import type { ReplayRequest } from "./wire-schema.ts";

export interface Recorded {
  readonly execution: Execution;
  /** Null where the recorded run was not the replay to the last byte. */
  readonly record: TravelRecord | null;
}

export class TravelSimulator {
  private readonly path: string;
  private readonly helper: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private readonly stderr: TextTail;
  private readonly answers: AsyncGenerator<string>;
  private turn: Promise<unknown> = Promise.resolve();
  private ended = false;

  /** Throws SIMULATOR_DIED when the program cannot be started. */
  constructor(path: string) {
    this.path = path;
    try {
      const streams = { stdin: "pipe", stdout: "pipe", stderr: "pipe", env: {} } as const;
      this.helper = Bun.spawn([path, "serve"], streams);
    } catch (cause) {
      throw died("could not be started", { path, stderr: "" }, cause);
    }
    this.stderr = new TextTail(this.helper.stderr, STDERR_LIMIT_CHARACTERS);
    this.answers = linesOf(this.helper.stdout);
  }

  /** `wasm`: builds with debug information. Throws WASM_DIFFERS, and what the simulator throws. */
  async record(
    request: ReplayRequest,
    wasm: readonly Uint8Array[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Recorded> {
    const builds = wasm.map((build) => Buffer.from(build).toString("base64"));
    const options = {
      ...request.options,
      trace: true,
      diagnostics: true,
      record: { wasm: builds },
    };
    const kill = () => this.helper.kill("SIGKILL");
    signal.addEventListener("abort", kill, { once: true });
    try {
      return await this.ask({ ...request, options }, patienceOf(request), (document, line, run) => {
        const execution = readResponse(document, line, run);
        const has = typeof document === "object" && document !== null && "record" in document;
        const record = has
          ? readAnswer(camelCased(recordSchema), document.record, line, run)
          : null;
        return { execution, record };
      });
    } catch (error) {
      if (signal.aborted) throw aborted(signal, this.run);
      throw error;
    } finally {
      signal.removeEventListener("abort", kill);
    }
  }

  travel<Kind extends TravelKind>(
    kind: Kind,
    query: Readonly<Record<string, unknown>>,
  ): Promise<Travelled<Kind>> {
    const wired = Object.entries(query).map(([name, value]) => [snakeCase(name), value]);
    const request = { travel: { kind, ...Object.fromEntries(wired) } };
    return this.ask(request, patienceOf({}), (document, line, run) =>
      readAnswer(camelCased(TRAVELS[kind]) as never, document, line, run),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended = true;
    this.helper.kill("SIGKILL");
    await this.helper.exited;
  }

  private get run(): SimulatorRun {
    return { path: this.path, stderr: this.stderr.toString() };
  }

  private ask<Answer>(
    request: object,
    patience: number,
    read: (document: unknown, line: string, run: SimulatorRun) => Answer,
  ): Promise<Answer> {
    const asked = this.turn.then(async () => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        this.helper.kill("SIGKILL");
      }, patience);
      try {
        const { stdin } = this.helper;
        // EPIPE: the end of stdout says more.
        const text = `${JSON.stringify(request)}\n`;
        await Promise.allSettled([
          (async () => stdin.write(text))(),
          (async () => stdin.flush())(),
        ]);
        const { value: line } = await this.answers.next();
        if (late) throw timedOut(patience, this.run);
        if (typeof line !== "string") {
          const exitCode = await this.helper.exited;
          const how = this.ended ? "was stopped" : endOf(exitCode, this.helper.signalCode);
          throw died(how, this.run);
        }
        return read(parseJson(line, this.run), line, this.run);
      } finally {
        clearTimeout(timer);
      }
    });
    this.turn = asked.catch(() => {});
    return asked;
  }
}

/** For a document with the wire's keys in snake_case. */
function camelCased<Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(v.unknown(), v.transform(camelKeys), schema);
}

/** `last_step` → `lastStep`, at every depth. */
function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [
    key.replace(/_[a-z]/g, ([, letter]) => letter?.toUpperCase() ?? ""),
    camelKeys(each),
  ]);
  return Object.fromEntries(entries);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const lines = new LineReader(RESPONSE_LIMIT_BYTES);
  for await (const chunk of stream) {
    yield* lines.push(chunk);
    if (lines.overflowed) {
      const run = { path: "svc-sim", stderr: "" };
      throw badAnswer(`is longer than ${RESPONSE_LIMIT_BYTES} bytes`, "", run);
    }
  }
}
