// Opens the text of a capsule, or of a page with capsules in it: the beginning of the walk without
// a network.

import { fileInvalid, SvcError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { type CapsuleContent, decodeCapsule } from "../../sources/files/capsule.ts";
import type { Captured } from "./capture-transaction.ts";

export interface OpenedCapsule extends Captured {
  /** Strkeys of the signers whose signatures it carries. All of these signatures are valid. */
  readonly signers: readonly string[];
}

/** `name` is for error messages. */
export interface CapsuleText {
  readonly name: string;
  readonly text: string;
}

/**
 * `hash` is the outer or inner hash of the transaction that the capsule must contain; null for any.
 * Throws FILE_INVALID, SIGNATURE_INVALID, and USAGE if it contains another transaction, or several
 * and no hash selects one.
 */
export function openCapsule({ name, text }: CapsuleText, hash: string | null): OpenedCapsule {
  const texts = capsulesOfPage(text) ?? [text];
  const capsules = texts.map((each) => decodeCapsule(each, name));
  const [captured, ...others] =
    hash === null ? capsules : capsules.filter((each) => hasHash(each, hash));
  if (captured === undefined || (hash === null && others.length > 0))
    throw wrongTransaction(name, hash, capsules);
  if (hash === null) return captured;
  return { ...captured, record: { ...captured.record, requestedHash: hash } };
}

function hasHash({ record }: CapsuleContent, hash: string): boolean {
  return hash === record.hash || hash === record.innerHash;
}

function wrongTransaction(
  name: string,
  hash: string | null,
  capsules: readonly CapsuleContent[],
): SvcError {
  const [only] = capsules;
  if (only === undefined)
    return fileInvalid(
      name,
      `The page ${name} contains no capsule.`,
      phrase`Pass a page that ${svc("debug --format html")} printed, or a capsule file.`,
    );
  if (capsules.length === 1)
    return new SvcError("USAGE", {
      message: `The capsule ${name} contains transaction ${only.record.hash}, not ${hash}.`,
      remedy: "Leave the hash out, or name the capsule of that transaction.",
    });
  const hashes = capsules.map(({ record }) => `\n  ${record.hash}`).join("");
  const not = hash === null ? "" : `, but not ${hash}`;
  return new SvcError("USAGE", {
    message: `The page ${name} has ${capsules.length} transactions${not}:${hashes}`,
    remedy: phrase`Run ${svc("debug <hash> --from FILE")} with one of these hashes.`,
  });
}

const PAGE = /^\s*<!doctype html>/i;
const CAPSULE = /<script type="application\/json" class="svc-capsule"[^>]*>([^<]*)<\/script>/g;

/**
 * The texts of the capsules in a page of `svc debug --format html`; null if the text is not a page.
 * The page's own markup is not trusted or parsed: only the text of these elements is read.
 */
function capsulesOfPage(content: string): string[] | null {
  if (!PAGE.test(content.slice(0, 100))) return null;
  return [...content.matchAll(CAPSULE)].map(([, text = ""]) => text);
}
