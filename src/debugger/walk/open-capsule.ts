// A capsule file → what was captured: the walk's beginning without a network.

import { readFile } from "node:fs/promises";
import { SvcError } from "../../base/errors/errors.ts";
import { decodeCapsule } from "../../sources/files/capsule.ts";
import type { Captured } from "./capture-transaction.ts";

export interface OpenedCapsule extends Captured {
  /** Strkeys of those whose signatures it carries; all of them hold. */
  readonly signers: readonly string[];
}

/**
 * `hash`: the transaction it must hold, by outer or inner hash; null for any.
 * Throws FILE_UNREADABLE, FILE_INVALID, SIGNATURE_INVALID, and USAGE when it holds another one.
 */
export async function openCapsule(path: string, hash: string | null): Promise<OpenedCapsule> {
  const captured = decodeCapsule(await readText(path), path);
  const { record } = captured;
  if (hash === null) return captured;
  if (hash === record.hash || hash === record.innerHash)
    return { ...captured, record: { ...record, requestedHash: hash } };
  throw new SvcError("USAGE", {
    message: `The capsule ${path} holds transaction ${record.hash}, not ${hash}.`,
    remedy: "Leave the hash out, or name the capsule of that transaction.",
  });
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new SvcError("FILE_UNREADABLE", {
      message: `The capsule ${path} cannot be read (${(cause as { code?: string }).code}).`,
      remedy: "Check the path given with --from, and its permissions.",
      cause,
    });
  }
}
