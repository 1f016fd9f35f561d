// Writes output files. Invariants: a regular file is written completely or not at all, and keeps
// its mode. Anything else (a device, a FIFO) is written to and never replaced. Links are followed.

import { closeSync, constants, fstatSync, mkdirSync, type Stats, writeSync } from "node:fs";
import { lstat, open, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { replaceFile } from "./replace-file.ts";

const AGAIN_MILLISECONDS = 20;
const STANDARD_STREAMS = [1, 2];

/**
 * Writes a file in `directory` and returns its path. `name` must be a bare file name, so that only
 * a link in the directory can lead outside. Throws OUTPUT_UNWRITABLE, and the reason of the signal.
 */
export async function writeOutputFile(
  directory: string,
  name: string,
  content: string | Uint8Array,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  if (["", ".", ".."].includes(name) || basename(name) !== name || /[\\\0]/.test(name))
    throw unwritable(`a file named ${JSON.stringify(name)}`);
  const path = join(resolve(directory), name);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  try {
    mkdirSync(directory, { recursive: true });
    const status = await statOrNull(path);
    const stream = status && STANDARD_STREAMS.find((descriptor) => isSame(status, descriptor));
    if (typeof stream === "number") await writeAll(stream, bytes, signal);
    else if (status !== null && !status.isFile()) await writeThrough(path, bytes, signal);
    else {
      const real = status === null ? await linked(path) : await realpath(path);
      closeSync(replaceFile(real, status, [bytes]).descriptor);
    }
  } catch (error) {
    if (error === signal.reason && error instanceof SvcError) throw error;
    throw unwritable(path, error);
  }
  return path;
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * True if the path is the same file as a standard stream, such as /dev/stdout. Replacing that file
 * would lose svc's report.
 */
function isSame(stats: Stats, descriptor: number): boolean {
  try {
    const { dev, ino } = fstatSync(descriptor);
    return dev === stats.dev && ino === stats.ino;
  } catch {
    return false;
  }
}

/** Returns the path that a dangling link leads to. */
async function linked(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < 40; links += 1) {
    const status = await lstat(target).catch(() => null);
    if (!status?.isSymbolicLink()) return target;
    target = resolve(dirname(target), await readlink(target));
  }
  throw Object.assign(new Error(path), { code: "ELOOP" });
}

async function writeThrough(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  // A blocking open would wait for the reader of a FIFO and could not be interrupted.
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  const file = await open(path, flags);
  try {
    await writeAll(file.fd, bytes, signal);
  } finally {
    await file.close();
  }
}

async function writeAll(descriptor: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
      signal.throwIfAborted();
    } catch (error) {
      if (systemCodeOf(error) !== "EAGAIN") throw error;
      await pause(signal);
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await Bun.sleep(AGAIN_MILLISECONDS);
  signal.throwIfAborted();
}

/** Makes the error for a file, or for standard output, that cannot be written. */
export function unwritable(target: string, cause?: unknown): SvcError {
  const code = systemCodeOf(cause);
  const timedOut = (cause as { name?: unknown } | undefined)?.name === "TimeoutError";
  // ENXIO: no process has the FIFO open for reading, or the device is not there.
  const isUnread = timedOut || code === "ENXIO";
  const reason = timedOut ? "no process read it within the time limit" : code;
  return new SvcError("OUTPUT_UNWRITABLE", {
    message: `Cannot write ${target}${reason === null ? "" : ` (${reason})`}.`,
    remedy: isUnread
      ? "Open it for reading before svc writes it."
      : "Check that the directory exists, is writable and has free space.",
    cause,
  });
}
