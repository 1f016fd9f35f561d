// The only writer of stdout, which has the report and nothing else.
// When the reader closes its end (`svc … | head -1`), svc ends quietly: that is not an error. A
// standard output that was closed when svc began (`svc … >&-`) is one.

import { readFileSync, readlinkSync } from "node:fs";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { unwritable } from "../files/write-file.ts";

export interface Output {
  /**
   * Resolves when the reader has all of the text, or has closed its end. Throws OUTPUT_UNWRITABLE
   * once; then nothing more is written.
   */
  write(text: string): Promise<void>;
  /** True once the reader has closed its end. */
  readerGone(): boolean;
}

/** `beforeWrite`: clears the line of the terminal. */
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

/** O_CLOEXEC on Linux: no descriptor that svc was started with has it. */
const OPENED_BY_SVC = 0o2000000;

/**
 * The runtime opens /dev/null in the place of a standard stream that is closed; the flags tell it
 * from the /dev/null of `svc … > /dev/null`. Other systems than Linux do not show them.
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
 * Not through process.stdout, whose first use loads Node's streams and takes longer than the start
 * of svc, and not with Bun.write, which on a pipe with a slow reader starts the text again after
 * the first 64 KiB (Bun 1.4.5).
 */
async function writeStdout(text: string): Promise<void> {
  writer ??= Bun.stdout.writer();
  const stdout = writer;
  // Each may throw, and what either returns may be rejected: for a large text both are.
  await Promise.all([(async () => stdout.write(text))(), (async () => stdout.flush())()]);
}
