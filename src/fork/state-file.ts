// The file in which a fork keeps itself while it runs: a line with all of it, and then a line for
// each change, so that a ledger costs what it changed. When the lines have outgrown the first one,
// another file takes its place.
// Invariants: what a client was told is on the disk; what a killed process leaves can be read; the
// file that a fork writes to is one that it made itself.

import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, type Stats, statSync } from "node:fs";
import { removeParts, replaceFile, writeWhole } from "../base/files/replace-file.ts";

/** What the file is written from. */
export interface KeptState {
  /** All of it, as text that ends with a line break. */
  readonly complete: () => Iterable<string>;
  /** A line with what has changed since it was last saved. */
  readonly changes: () => string;
  /** Called when what the last of these gave is on the disk. */
  readonly saved: () => void;
}

interface OpenFile {
  readonly descriptor: number;
  /** Of the first line. */
  readonly completeBytes: number;
  /** Up to the end of the last line that is whole. */
  bytes: number;
}

/** A file of less is not worth replacing. */
const LEAST_CHANGES_BYTES = 4 * 1024 * 1024;

export class StateFile implements Disposable {
  private open: OpenFile | null = null;

  /**
   * `path`: without links, and in a directory that exists. `opened`: called with each file that
   * takes its place. Throws errors of the system.
   */
  constructor(
    private readonly path: string,
    private readonly state: KeptState,
    private readonly opened: () => void,
  ) {
    removeParts(path);
  }

  /** Throws errors of the system; the next call then saves what this one has not. */
  save(): void {
    const { open } = this;
    const isGrown =
      open !== null && open.bytes > 2 * Math.max(open.completeBytes, LEAST_CHANGES_BYTES);
    if (open === null || isGrown || !this.isOpen(open) || !appended(open, this.state.changes()))
      this.saveAll();
    this.state.saved();
  }

  /** The next call of `save` replaces the file. */
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

  /** False where somebody has moved, removed or replaced the file. */
  private isOpen({ descriptor }: OpenFile): boolean {
    const [found, own] = [this.found(), fstatSync(descriptor)];
    return found?.dev === own.dev && found.ino === own.ino;
  }

  private found(): Stats | null {
    return statSync(this.path, { throwIfNoEntry: false }) ?? null;
  }
}

/** False: the disk does not take it. There may be room for a file with all, which is smaller. */
function appended(open: OpenFile, line: string): boolean {
  const { descriptor, bytes } = open;
  try {
    const written = writeWhole(descriptor, line, bytes);
    fdatasyncSync(descriptor);
    open.bytes = bytes + written;
    return true;
  } catch {
    // A part of a line would be in front of the next one.
    ftruncateSync(descriptor, bytes);
    return false;
  }
}
