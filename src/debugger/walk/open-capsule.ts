// A capsule's text → what was captured: the walk's beginning without a network.

import { SvcError } from "../../base/errors/errors.ts";
import { decodeCapsule } from "../../sources/files/capsule.ts";
import type { Captured } from "./capture-transaction.ts";

export interface OpenedCapsule extends Captured {
  /** Strkeys of those whose signatures it carries; all of them hold. */
  readonly signers: readonly string[];
}

/** `name` is for errors. */
export interface CapsuleText {
  readonly name: string;
  readonly text: string;
}

/**
 * `hash`: the transaction it must hold, by outer or inner hash; null for any.
 * Throws FILE_INVALID, SIGNATURE_INVALID, and USAGE when it holds another one.
 */
export function openCapsule({ name, text }: CapsuleText, hash: string | null): OpenedCapsule {
  const captured = decodeCapsule(text, name);
  const { record } = captured;
  if (hash === null) return captured;
  if (hash === record.hash || hash === record.innerHash)
    return { ...captured, record: { ...record, requestedHash: hash } };
  throw new SvcError("USAGE", {
    message: `The capsule ${name} holds transaction ${record.hash}, not ${hash}.`,
    remedy: "Leave the hash out, or name the capsule of that transaction.",
  });
}
