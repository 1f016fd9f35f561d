// Reads standard input up to a limit, until it ends or svc is interrupted.

import { SvcError } from "../../base/errors/errors.ts";
import type { Shell } from "../shell.ts";

export interface StdinLimit {
  readonly maximumBytes: number;
  /** The remedy of the error beyond the limit. */
  readonly remedy: string;
}

/** Throws USAGE beyond the limit. */
export async function readStdin(
  { facts, signal }: Pick<Shell, "facts" | "signal">,
  { maximumBytes, remedy }: StdinLimit,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  const reader = facts.stdin().getReader();
  const stop = () => {
    reader.cancel().catch(() => {});
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return Buffer.concat(pieces);
      pieces.push(value);
      bytes += value.length;
      if (bytes <= maximumBytes) continue;
      stop();
      const message = `Standard input is larger than ${maximumBytes / 1024 / 1024} MiB.`;
      throw new SvcError("USAGE", { message, remedy });
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
