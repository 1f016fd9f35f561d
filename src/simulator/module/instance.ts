// An instance of svc-sim as WebAssembly (src/svc-sim/wasm). It gets what the stdin of a process
// would get, and returns what would be on stdout then, in the thread that calls it.

import { beginningOf } from "../../base/own-text.ts";

/** What an instance answers with: a request of `svc-sim serve`, or messages of `svc-sim engine`. */
export type ModuleFunction = "svc_serve" | "svc_engine";

/** Where an instance runs. */
export interface InstancePlace {
  /** What a process would have written to stderr. */
  readonly log: string;
  /** Rejects with an Error if the instance fails or is ended. No further call succeeds then. */
  call(name: ModuleFunction, input: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends the instance and what it runs. */
  end(): void;
}

type Call = (input: number, bytes: number) => number;

interface Exports extends Record<ModuleFunction, Call> {
  readonly memory: WebAssembly.Memory;
  readonly svc_input: (bytes: number) => number;
  readonly svc_output: () => number;
}

/** The length that the module returns if it cannot read its input. */
const UNREADABLE = 0xff_ff_ff_ff;
/** Enough for a panic. */
const LOG_LIMIT_CHARACTERS = 16 * 1024;

export class ModuleInstance {
  private exports: Exports;
  private written = "";
  private isBroken = false;

  private constructor() {
    this.exports = null as never;
  }

  /** Takes some milliseconds. Throws a WebAssembly.LinkError if the module is another one. */
  static start(module: WebAssembly.Module): ModuleInstance {
    const started = new ModuleInstance();
    const { exports } = new WebAssembly.Instance(module, started.imports());
    started.exports = exports as unknown as Exports;
    return started;
  }

  /** The same for the thread of a page, in which Chromium starts no large module otherwise. */
  static async startLater(module: WebAssembly.Module): Promise<ModuleInstance> {
    const started = new ModuleInstance();
    const { exports } = await WebAssembly.instantiate(module, started.imports());
    started.exports = exports as unknown as Exports;
    return started;
  }

  private imports(): { readonly svc: Readonly<Record<string, (...numbers: number[]) => unknown>> } {
    const log = (address = 0, bytes = 0) => {
      const text = new TextDecoder().decode(this.memory(address, bytes));
      this.written = beginningOf(`${this.written}${text}\n`, LOG_LIMIT_CHARACTERS);
    };
    return { svc: { now: () => performance.now(), log } };
  }

  /** What a process would have written to stderr. */
  get log(): string {
    return this.written;
  }

  get memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /**
   * Throws an Error if the module traps, has no stack left, or cannot read the input. The instance
   * is of no use after that, because the stack of the module is not unwound.
   */
  call(name: ModuleFunction, input: Uint8Array): Uint8Array<ArrayBuffer> {
    if (this.isBroken) throw new Error("has failed before");
    this.isBroken = true;
    const address = this.exports.svc_input(input.length);
    this.memory(address, input.length).set(input);
    // Addresses and lengths are unsigned; JavaScript sees them as signed.
    const bytes = this.exports[name](address, input.length) >>> 0;
    if (bytes === UNREADABLE) throw new Error("could not handle a message");
    const output = this.memory(this.exports.svc_output(), bytes).slice();
    this.isBroken = false;
    return output;
  }

  /** The memory moves when it grows, so that this is valid until the next call. */
  private memory(address: number, bytes: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer, address >>> 0, bytes);
  }
}
