// The file in which a running fork saves itself: a line with all of it, and then a line for each
// change, so that a ledger costs only its changes. When these lines have outgrown the first one,
// another file replaces it. Invariants: everything that a client learnt is on the disk; the file of
// a killed process can be read; a fork writes only to a file that it made itself.

import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, type Stats, statSync } from "node:fs";
import { removeParts, replaceFile, writeWhole } from "../base/files/replace-file.ts";

/** The content of the file. */
export interface KeptState {
  /** The complete fork, as text that ends with a line break. */
  readonly complete: () => Iterable<string>;
  /** A line with the changes since the last call of `saved`. */
  readonly changes: () => string;
  /** Called after the last text is on the disk. */
  readonly saved: () => void;
}

interface OpenFile {
  readonly descriptor: number;
  /** The bytes of the first line. */
  readonly completeBytes: number;
  /** The bytes up to the end of the last complete line. */
  bytes: number;
}

/** A smaller file is not worth replacing. */
const LEAST_CHANGES_BYTES = 4 * 1024 * 1024;

export class StateFile implements Disposable {
  private open: OpenFile | null = null;

  /**
   * Opens the file. `path` has no links and is in an existing directory. `opened` is called with
   * each file that replaces it. Throws errors of the system.
   */
  constructor(
    private readonly path: string,
    private readonly state: KeptState,
    private readonly opened: () => void,
  ) {
    removeParts(path);
  }

  /** Saves. Throws errors of the system; the next call then saves what this one did not. */
  save(): void {
    const { open } = this;
    const isGrown =
      open !== null && open.bytes > 2 * Math.max(open.completeBytes, LEAST_CHANGES_BYTES);
    if (open === null || isGrown || !this.isOpen(open) || !appended(open, this.state.changes()))
      this.saveAll();
    this.state.saved();
  }

  /** Makes the next call of `save` replace the file. */
  beginAnew(): void {
    if (this.open !== null) closeSync(this.open.descriptor);
    this.open = null;
  }

  [Symbol.dispose](): void {
    this.beginAnew();
  }

  private saveAll(): void {
    const { descriptor, bytes } = replaceFile(this.path, this.found(), this.state.complete());
    this.beginAnew();
    this.open = { descriptor, bytes, completeBytes: bytes };
    this.opened();
  }

  /** False if the file was moved, removed or replaced. */
  private isOpen({ descriptor }: OpenFile): boolean {
    const [current, own] = [this.found(), fstatSync(descriptor)];
    return current?.dev === own.dev && current.ino === own.ino;
  }

  private found(): Stats | null {
    return statSync(this.path, { throwIfNoEntry: false }) ?? null;
  }
}

/** False if the disk has no room. There may be room for a complete file, which is smaller. */
function appended(open: OpenFile, line: string): boolean {
  const { descriptor, bytes } = open;
  try {
    const written = writeWhole(descriptor, line, bytes);
    fdatasyncSync(descriptor);
    open.bytes = bytes + written;
    return true;
  } catch {
    // An incomplete line would corrupt the next one.
    ftruncateSync(descriptor, bytes);
    return false;
  }
}
