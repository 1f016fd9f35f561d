// Reads standard input up to a limit, until it ends, svc is interrupted or out of time.

import { SvcError } from "../../base/errors/errors.ts";
import { polledBytes, whyUnreadable } from "../../base/files/read-file.ts";
import type { InputShell } from "../shell.ts";

export interface StdinLimit {
  readonly maximumBytes: number;
  /** The remedy of the error beyond the limit. */
  readonly remedy: string;
}

/** Throws USAGE beyond the limit, and FILE_UNREADABLE. */
export async function readStdin(
  { facts, signal }: InputShell,
  { maximumBytes, remedy }: StdinLimit,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of polledBytes(facts.stdin(), "/dev/stdin", signal)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > maximumBytes) break;
    }
  } catch (cause) {
    throw new SvcError("FILE_UNREADABLE", {
      message: `Standard input cannot be read (${whyUnreadable(cause)}).`,
      remedy: "Check what is piped into svc.",
      cause,
    });
  }
  if (bytes <= maximumBytes) return Buffer.concat(pieces);
  const message = `Standard input is larger than ${maximumBytes / 1024 / 1024} MiB.`;
  throw new SvcError("USAGE", { message, remedy });
}
