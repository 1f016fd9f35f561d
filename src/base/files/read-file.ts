// Reads the files that a user names. Some of them are FIFOs without a writer or devices without an
// end.
// Invariant: reading ends when its signal is aborted, whatever the path is.

import { closeSync, constants, openSync, readSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { concatBytes, utf8Text } from "../bytes.ts";
import { systemCodeOf } from "../errors/system-code.ts";

/** A limit of svc ended the reading. The message is a clause for an error message. */
class LimitReached extends Error {}

const PIECE_BYTES = 1 << 16;

/** Throws errors of the system, LimitReached, and the reason of the signal. */
export async function readFileWithin(
  path: string,
  { signal, maximumBytes }: { readonly signal: AbortSignal; readonly maximumBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const piece of fileBytes(path, signal)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maximumBytes) throw new LimitReached(`it is larger than ${maximumBytes} bytes`);
  }
  const [only] = pieces;
  // The piece is not copied: its caller overwrites it if it is secret.
  if (only !== undefined && pieces.length === 1) return only;
  return concatBytes(pieces);
}

/** Yields the bytes as they arrive. Throws the same errors as `readFileWithin`. */
export async function* fileBytes(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if ((await stat(path)).isDirectory()) throw Object.assign(new Error(path), { code: "EISDIR" });
  yield* polledBytes(Bun.file(path).stream(), path, signal);
}

/**
 * Yields the bytes of a stream of `path`. If `path` is a device that cannot be polled, it is read
 * directly.
 */
export async function* polledBytes(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  throwIfEnded(signal);
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  let isPolled = true;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      throwIfEnded(signal);
      if (done) return;
      yield value;
    }
  } catch (error) {
    // /dev/zero is always ready, and epoll does not accept such files.
    if ((error as { syscall?: unknown }).syscall !== "epoll_ctl") throw error;
    isPolled = false;
  } finally {
    signal.removeEventListener("abort", stop);
    if (isPolled) stop();
  }
  yield* readyBytes(path, signal);
}

async function* readyBytes(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE_BYTES));
      throwIfEnded(signal);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const SMALL_FILE_BYTES = 1024 * 1024;
const PATIENCE_SECONDS = 5;
const AGAIN_MILLISECONDS = 10;

/**
 * Reads a settings file synchronously, because the settings decide what runs. In a FIFO, such as
 * that of `--config <(command)`, there is nothing until its writer has written. A read that blocks
 * would be simpler, but it lasts as long as the writer lives, and no time limit of svc is set yet.
 * So the read does not block, and is tried again for some seconds: nothing else can wait for a
 * descriptor synchronously. A FIFO without a writer is empty at once, and a file on a disk is never
 * read twice.
 */
export function readSmallFile(path: string, patienceSeconds = PATIENCE_SECONDS): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const content = new Uint8Array(SMALL_FILE_BYTES);
  const still = new Int32Array(new SharedArrayBuffer(4));
  let [length, waited] = [0, 0];
  try {
    while (length < SMALL_FILE_BYTES) {
      try {
        const read = readSync(descriptor, content, { offset: length });
        if (read === 0) return utf8Text(content.subarray(0, length));
        length += read;
      } catch (error) {
        if (systemCodeOf(error) !== "EAGAIN") throw error;
        if (waited >= patienceSeconds * 1000)
          throw new LimitReached(`its writer did not end within ${patienceSeconds} seconds`);
        waited += AGAIN_MILLISECONDS;
        Atomics.wait(still, 0, 0, AGAIN_MILLISECONDS);
      }
    }
  } finally {
    closeSync(descriptor);
  }
  throw new LimitReached(`it is larger than ${SMALL_FILE_BYTES} bytes`);
}

function throwIfEnded({ aborted, reason }: AbortSignal): void {
  if (!aborted) return;
  if ((reason as { name?: unknown }).name !== "TimeoutError") throw reason;
  throw new LimitReached("it had not ended when the time limit was reached");
}

/**
 * Returns the result of `look`, such as `statSync`, at a path. Null means that the system shows
 * nothing there: the path is absent, or behind a file, a loop of links or a directory that svc may
 * not enter.
 */
export function ifVisible<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (systemCodeOf(error) === null) throw error;
    return null;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "no permission",
  EPERM: "no permission",
  ENOTDIR: "a part of its path is not a directory",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
};

/**
 * Returns the reason for a message: a limit of svc, or the code of the system in words. Throws any
 * other error again.
 */
export function whyUnreadable(error: unknown): string {
  if (error instanceof LimitReached) return error.message;
  const code = systemCodeOf(error);
  if (code === null || !/^E[A-Z0-9]+$/.test(code)) throw error;
  return REASONS[code] ?? code;
}
