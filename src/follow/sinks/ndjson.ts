// Writes events as NDJSON to stdout or to a file. Every event is a line, whether it is an alert or
// not. svc opens the file for each batch, so that a program such as logrotate can move it.
// Invariant: a file has only complete lines; the rest of a line that a crash left is cut off.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { FollowEvent } from "../../model/follow.ts";
import type { Delivery, Sink } from "./sink.ts";

export interface NdjsonFileSettings {
  readonly name: string;
  readonly path: string;
}

const BATCH = 200;

export function openNdjsonOutput(name: string, write: (text: string) => Promise<void>): Sink {
  return {
    name,
    wantsAll: true,
    batchSize: BATCH,
    async deliver(events): Promise<Delivery> {
      try {
        await write(linesOf(events));
        return { kind: "delivered" };
      } catch {
        return { kind: "failed", reason: "standard output cannot be written" };
      }
    },
  };
}

export function openNdjsonFile(settings: NdjsonFileSettings): Sink {
  return {
    name: settings.name,
    wantsAll: true,
    batchSize: BATCH,
    async deliver(events): Promise<Delivery> {
      try {
        mkdirSync(dirname(settings.path), { recursive: true });
        appendDurably(settings.path, linesOf(events));
        return { kind: "delivered" };
      } catch (error) {
        const { code = "unknown" } = error as { readonly code?: string };
        return { kind: "failed", reason: `${settings.path} cannot be written (${code})` };
      }
    },
  };
}

function linesOf(events: readonly FollowEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

/** Appends a text. It is on the disk when the function returns. */
function appendDurably(path: string, text: string): void {
  const file = openSync(path, "a+", 0o600);
  try {
    cutTornLine(file);
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const TAIL_BYTES = 1024 * 1024;
const NEWLINE = 10;

function cutTornLine(file: number): void {
  const { size } = fstatSync(file);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(file, tail, 0, tail.length, size - tail.length);
  if (tail.length === 0 || tail.at(-1) === NEWLINE) return;
  ftruncateSync(file, size - tail.length + tail.lastIndexOf(NEWLINE) + 1);
}
