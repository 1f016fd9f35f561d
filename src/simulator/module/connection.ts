// svc-sim as WebAssembly, as its callers see it. Each connection has an instance of its own, as
// each connection to a process has a process. Invariant: no call outlives its connection.

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import { nextTurn } from "../../base/turns.ts";
import type { AskOptions, Connect, ReadAnswer, SimulatorConnection } from "../connection.ts";
import { parseJson } from "../read-response.ts";
import { aborted, died, type SimulatorRun, timedOut } from "../simulator-error.ts";
import { type InstancePlace, type ModuleFunction, ModuleInstance } from "./instance.ts";

/** Starts an instance. */
export type OpenInstance = () => InstancePlace;

/**
 * Connections of which each opens an instance. Their arguments are those of the program svc-sim.
 * `name` is that of the module's file.
 */
export function connectModule(open: OpenInstance, name = "svc-sim.wasm"): Connect {
  return ([role = ""]) => {
    const functions: Readonly<Record<string, ModuleFunction>> = {
      serve: "svc_serve",
      engine: "svc_engine",
    };
    const answers = functions[role];
    if (answers === undefined) throw died(`has no ${role}`, { path: name, stderr: "" });
    return new ModuleConnection(open(), answers, name);
  };
}

/**
 * Opens an instance in the thread of the caller. Nothing else runs during a call, so that only the
 * end of the whole thread can stop it.
 */
export function instanceInThread(module: WebAssembly.Module): InstancePlace {
  const starting = ModuleInstance.startLater(module);
  // A call rejects with its failure.
  starting.catch(() => {});
  let instance: ModuleInstance | null = null;
  let isEnded = false;
  return {
    get log() {
      return instance?.log ?? "";
    },
    async call(name, input) {
      instance ??= await starting;
      // What waits for the network has its turn first.
      await nextTurn();
      if (isEnded) throw new Error("was ended");
      return instance.call(name, input);
    },
    end() {
      isEnded = true;
    },
  };
}

class ModuleConnection implements SimulatorConnection {
  readonly run: SimulatorRun;
  private readonly decoder = new TextDecoder();
  private readonly outputs: string[] = [];
  private wake: (() => void) | null = null;
  private isEnded = false;
  private ending: SvcError | null = null;

  constructor(
    private readonly place: InstancePlace,
    private readonly answers: ModuleFunction,
    name: string,
  ) {
    this.run = {
      path: name,
      get stderr() {
        return place.log;
      },
    };
  }

  async write(...pieces: readonly (string | Uint8Array)[]): Promise<void> {
    const bytes = pieces.map((piece) => (typeof piece === "string" ? utf8Bytes(piece) : piece));
    const input = concatBytes(bytes);
    try {
      this.outputs.push(this.decoder.decode(await this.place.call(this.answers, input)));
    } catch (cause) {
      this.fail(cause);
    }
    this.wake?.();
  }

  async *lines(): AsyncGenerator<string> {
    while (true) {
      const output = this.outputs.shift();
      if (output !== undefined) {
        for (const line of output.split("\n")) if (line.trim() !== "") yield line;
      } else if (this.isEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }

  async ask<Answer>(
    text: string,
    read: ReadAnswer<Answer>,
    { signal, patienceMilliseconds, lateRemedy }: AskOptions,
  ): Promise<Answer> {
    let isLate = false;
    const end = () => this.kill();
    const late = () => {
      isLate = true;
      end();
    };
    const timer = setTimeout(late, Math.min(patienceMilliseconds, LONGEST_TIMER_MILLISECONDS));
    signal?.addEventListener("abort", end, { once: true });
    let output: Uint8Array<ArrayBuffer> | undefined;
    try {
      output = await this.place.call(this.answers, utf8Bytes(text));
    } catch (error) {
      if (!signal?.aborted)
        throw isLate ? timedOut(patienceMilliseconds, this.run, lateRemedy) : this.fail(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    }
    if (signal?.aborted) throw aborted(signal, this.run);
    const line = this.decoder.decode(output);
    return read(parseJson(line, this.run), line, this.run);
  }

  kill(): void {
    this.isEnded = true;
    this.place.end();
    this.wake?.();
  }

  async end(): Promise<SvcError> {
    this.isEnded = true;
    return this.ending ?? died("was ended", this.run);
  }

  async endInput(): Promise<void> {
    this.isEnded = true;
    this.wake?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
  }

  private fail(cause: unknown): SvcError {
    const how = cause instanceof Error ? cause.message : String(cause);
    this.ending ??= died(how, this.run, cause);
    this.kill();
    return this.ending;
  }
}

/** The longest time of a timer of the web platform, about 25 days. */
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;
