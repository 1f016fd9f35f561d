// The client of a running fork: one JSON-RPC call, and transfers larger than one answer.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import type { Shell } from "../../command/shell.ts";
import { METHOD_NOT_FOUND } from "../../sources/nodes/json-rpc.ts";

/** Calls a method of one fork. */
export type AskFork = (method: string, parameters?: object) => Promise<unknown>;

const TIMEOUT_MILLISECONDS = 60_000;

/** Calls a method. Throws FORK_UNREACHABLE, and FORK_REFUSED with the fork's message. */
export async function callFork(
  url: string,
  method: string,
  params: object,
  { signal }: Shell,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  let answer: {
    readonly result?: unknown;
    readonly error?: {
      readonly code?: number;
      readonly message?: string;
      readonly data?: { readonly remedy?: string };
    };
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.any([signal, timeout]),
    });
    answer = (await response.json()) as typeof answer;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new SvcError("FORK_UNREACHABLE", {
      message: `No fork answers at ${url}.`,
      remedy: phrase`Start one with ${svc("fork")}, or pass its ${flag("url")}.`,
      cause,
    });
  }
  if (answer.error === undefined) return answer.result;
  const { code, message = "the fork gave no reason", data } = answer.error;
  throw new SvcError("FORK_REFUSED", {
    message: `The fork refused ${method}: ${message}`,
    remedy:
      data?.remedy ??
      (code === METHOD_NOT_FOUND
        ? phrase`Pass the URL of a fork. A fork that other machines can reach needs ${flag("cheats")}.`
        : "Correct the arguments."),
  });
}

/** The fork as the text of a file. */
export async function dumpFork(ask: AskFork): Promise<string> {
  const { id, pieces } = (await ask("fork_dump", { inPieces: true })) as Transfer;
  const parts: Uint8Array[] = [];
  for (let piece = 0; piece < pieces; piece += 1) {
    const part = await ask("fork_readPiece", { id, piece });
    parts.push(Uint8Array.fromBase64(String(part)));
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** Replaces the fork by a saved one. */
export async function loadFork(ask: AskFork, saved: Uint8Array): Promise<unknown> {
  const { TRANSFER_PIECE_BYTES: PIECE_BYTES } = await import("../cheats/transfers.ts");
  let id: number | null = null;
  for (let at = 0; at < saved.length; at += PIECE_BYTES) {
    const piece = saved.subarray(at, at + PIECE_BYTES).toBase64();
    ({ id } = (await ask("fork_writePiece", { id, piece })) as Transfer);
  }
  return ask("fork_load", { id });
}

interface Transfer {
  readonly id: number;
  readonly pieces: number;
}
