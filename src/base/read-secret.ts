// Asks for a secret on the terminal, without echo. It reads the terminal itself, not standard
// input: that may be a pipe with what is to be signed. The terminal is given back however it ends.

import { closeSync, openSync } from "node:fs";
import { ReadStream } from "node:tty";
import { SvcError } from "./errors.ts";
import { Secret } from "./secret.ts";
import type { TerminalProcess } from "./terminal.ts";

const MAXIMUM_BYTES = 1024;
const KEY = { interrupt: 3, end: 4, backspace: 8, newline: 10, enter: 13, erase: 21, delete: 127 };

export interface SecretQuestion {
  readonly process: Pick<TerminalProcess, "stdin">;
  /** Writes the question where a person reads it. */
  readonly ask: (text: string) => void;
  readonly question: string;
  readonly signal: AbortSignal;
}

/** Null without a terminal. Throws INTERRUPTED, and whatever aborts the signal. */
export async function readSecret(asked: SecretQuestion): Promise<Secret | null> {
  asked.signal.throwIfAborted();
  const terminal = openTerminal(asked.process);
  if (terminal === null) return null;
  const { stream, close } = terminal;
  stream.setRawMode(true);
  asked.ask(asked.question);
  try {
    return await readLine(stream, asked.signal);
  } finally {
    stream.setRawMode(false);
    asked.ask("\n");
    close();
  }
}

function openTerminal({ stdin }: SecretQuestion["process"]) {
  if (stdin.isTTY) return { stream: stdin, close: () => void stdin.pause() };
  let descriptor: number;
  try {
    descriptor = openSync("/dev/tty", "r+");
  } catch {
    return null;
  }
  const stream = new ReadStream(descriptor);
  const close = () => {
    stream.destroy();
    closeIfOpen(descriptor);
  };
  return { stream, close };
}

function closeIfOpen(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Destroying the stream closed it.
  }
}

function readLine(stream: NodeJS.ReadStream, signal: AbortSignal): Promise<Secret> {
  const typed = new Uint8Array(MAXIMUM_BYTES);
  let length = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Secret>();
  const finish = () => {
    resolve(new Secret(typed.slice(0, length)));
    typed.fill(0);
  };
  const onData = (chunk: Buffer) => {
    for (const byte of chunk) {
      if (byte === KEY.enter || byte === KEY.newline) return finish();
      if (byte === KEY.interrupt || byte === KEY.end) return reject(interrupted());
      if (byte === KEY.erase) length = 0;
      else if (byte === KEY.backspace || byte === KEY.delete) length = beforeLast(typed, length);
      else if (byte >= 0x20 && length < MAXIMUM_BYTES) typed[length++] = byte;
    }
    chunk.fill(0);
  };
  const onAbort = () => reject(signal.reason);
  const onEnd = () => reject(interrupted());
  stream.on("data", onData);
  stream.on("end", onEnd);
  signal.addEventListener("abort", onAbort);
  return promise.finally(() => {
    typed.fill(0);
    stream.off("data", onData);
    stream.off("end", onEnd);
    signal.removeEventListener("abort", onAbort);
  });
}

/** The last character may have several bytes (UTF-8). */
function beforeLast(typed: Uint8Array, length: number): number {
  let at = length - 1;
  while (at > 0 && ((typed[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return Math.max(at, 0);
}

function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "Interrupted while the PIN was asked for.",
    remedy: "Run the command again.",
  });
}
