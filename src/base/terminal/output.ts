// The only writer of stdout, which carries the report and nothing else.
// When the reader closes its end (`svc … | head -1`), svc ends quietly: that is not an error. A
// standard output that was already closed when svc began (`svc … >&-`) is an error.

import { readFileSync, readlinkSync } from "node:fs";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { unwritable } from "../files/write-file.ts";

export interface Output {
  /**
   * Resolves when the reader has received all of the text, or has closed its end. Throws
   * OUTPUT_UNWRITABLE once; nothing is written after that.
   */
  write(text: string): Promise<void>;
  /** True once the reader has closed its end. */
  readerGone(): boolean;
}

/** `beforeWrite` clears the progress line of the terminal. */
export function openOutput(hooks: { readonly beforeWrite: () => void }): Output {
  let gone = false;
  let failed = false;
  return {
    readerGone: () => gone,
    async write(text) {
      if (gone || failed || text === "") return;
      hooks.beforeWrite();
      failed = beganClosed();
      if (failed) throw closed();
      try {
        await writeStdout(text);
      } catch (error) {
        gone = systemCodeOf(error) === "EPIPE";
        failed = !gone;
        if (failed) throw unwritable("standard output", error);
      }
    },
  };
}

/** O_CLOEXEC on Linux. No descriptor that svc inherits has this flag. */
const OPENED_BY_SVC = 0o2000000;

/**
 * True if stdout was closed when svc began. The runtime opens /dev/null in its place, and the flags
 * tell that from the /dev/null of `svc … > /dev/null`. Only Linux shows them.
 */
function beganClosed(): boolean {
  try {
    if (readlinkSync("/proc/self/fd/1") !== "/dev/null") return false;
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & OPENED_BY_SVC) !== 0;
  } catch {
    return false;
  }
}

function closed(): SvcError {
  return new SvcError("OUTPUT_UNWRITABLE", {
    message: "Cannot write standard output: it was closed when svc began.",
    remedy: "Send it to a file, a pipe or a terminal, or to /dev/null.",
  });
}

let writer: ReturnType<typeof Bun.stdout.writer> | null = null;

/**
 * Writes without process.stdout, whose first use loads Node's streams and takes longer than the
 * start of svc. Bun.write is no choice either: on a pipe with a slow reader it starts the text
 * again after the first 64 KiB (Bun 1.4.5).
 */
async function writeStdout(text: string): Promise<void> {
  writer ??= Bun.stdout.writer();
  const stdout = writer;
  // Each of the two may throw, and each may return a promise that rejects. For a large text both
  // reject.
  await Promise.all([(async () => stdout.write(text))(), (async () => stdout.flush())()]);
}
