// Asks for a secret on the terminal, without echo. It reads from the terminal itself, because
// standard input may be a pipe with the data to sign. The terminal's mode is restored in every
// case.

import { closeSync, constants, openSync } from "node:fs";
import { ReadStream } from "node:tty";
import { SvcError } from "../errors/errors.ts";
import { AGAIN, phrase } from "../phrase.ts";
import { Secret } from "./secret.ts";

const TERMINAL = "/dev/tty";
const MAXIMUM_BYTES = 1024;
const KEY = { interrupt: 3, end: 4, backspace: 8, newline: 10, enter: 13, erase: 21, delete: 127 };

/** Returns null without a terminal. Throws INTERRUPTED, and the signal's reason. */
export async function readSecret({
  ask,
  question,
  signal,
}: {
  /** Writes to the terminal. */
  readonly ask: (text: string) => void;
  readonly question: string;
  readonly signal: AbortSignal;
}): Promise<Secret | null> {
  signal.throwIfAborted();
  const descriptor = openTerminal();
  if (descriptor === null) return null;
  // The stream only sets the terminal's mode: Bun (1.4.5) cannot cancel a read from a terminal.
  const terminal = new ReadStream(descriptor);
  terminal.setRawMode(true);
  ask(question);
  try {
    return await readLine(descriptor, signal);
  } finally {
    terminal.setRawMode(false);
    ask("\n");
    closeSync(descriptor);
  }
}

function openTerminal(): number | null {
  try {
    return openSync(TERMINAL, constants.O_RDWR | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

async function readLine(descriptor: number, signal: AbortSignal): Promise<Secret> {
  const reader = Bun.file(descriptor).stream().getReader();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  const typed = new Uint8Array(MAXIMUM_BYTES);
  let length = 0;
  /** Takes one typed byte. Returns true at the end of the line. */
  const take = (byte: number): boolean => {
    if (byte === KEY.enter || byte === KEY.newline) return true;
    if (byte === KEY.interrupt || byte === KEY.end) throw interrupted();
    if (byte === KEY.erase) length = 0;
    else if (byte === KEY.backspace || byte === KEY.delete) length = beforeLast(typed, length);
    else if (byte >= 0x20 && length < MAXIMUM_BYTES) typed[length++] = byte;
    return false;
  };
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted.promise]);
      if (done) throw interrupted();
      try {
        if (value.some(take)) return new Secret(typed.slice(0, length));
      } finally {
        value.fill(0);
      }
    }
  } finally {
    typed.fill(0);
    signal.removeEventListener("abort", onAbort);
    await reader.cancel();
  }
}

/** Returns the length without the last character, which may have several bytes (UTF-8). */
function beforeLast(typed: Uint8Array, length: number): number {
  let at = length - 1;
  while (at > 0 && ((typed[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return Math.max(at, 0);
}

function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "Interrupted at the PIN prompt.",
    remedy: phrase`${AGAIN}.`,
  });
}
