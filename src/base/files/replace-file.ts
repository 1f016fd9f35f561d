// Replaces a regular file by a complete new one. A reader finds the old file or the new one, also
// if the process ends in between.

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const NEW_FILE_MODE = 0o644;
const MODE_BITS = 0o7777;
const UUID_CHARACTERS = 36;
const PART = ".part";

export interface Replaced {
  /** Open for writing at its end. The caller closes it. */
  readonly descriptor: number;
  readonly bytes: number;
}

/**
 * `path` has no links in it. `existing` is the file to replace, whose owner and mode the new file
 * gets, or null if there is none. Throws errors of the system.
 */
export function replaceFile(
  path: string,
  existing: Stats | null,
  pieces: Iterable<string | Uint8Array>,
): Replaced {
  const temporary = join(dirname(path), `${partPrefix(path)}${crypto.randomUUID()}${PART}`);
  // Exclusive mode never follows a link that somebody created under the temporary name.
  const descriptor = openSync(temporary, "wx", NEW_FILE_MODE);
  try {
    if (existing !== null) {
      // Only root may give a file away. The mode is set last, because a change of the owner clears
      // bits of it.
      try {
        fchownSync(descriptor, existing.uid, existing.gid);
      } catch {}
      fchmodSync(descriptor, existing.mode & MODE_BITS);
    }
    let bytes = 0;
    for (const piece of pieces) bytes += writeWhole(descriptor, piece);
    fsyncSync(descriptor);
    renameSync(temporary, path);
    return { descriptor, bytes };
  } catch (error) {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes all bytes and returns their number. Without `position` it continues at the end of the last
 * write.
 */
export function writeWhole(
  descriptor: number,
  piece: string | Uint8Array,
  position?: number,
): number {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
  let written = 0;
  while (written < bytes.length) {
    const at = position === undefined ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
  return bytes.length;
}

/** Removes the temporary files that killed processes left behind. */
export function removeParts(path: string): void {
  const prefix = partPrefix(path);
  const length = prefix.length + UUID_CHARACTERS + PART.length;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix) && name.endsWith(PART) && name.length === length)
      rmSync(join(dirname(path), name), { force: true });
}

function partPrefix(path: string): string {
  return `.${basename(path)}.`;
}
