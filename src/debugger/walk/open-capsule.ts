// A capsule file, or a page with capsules in it → what was captured: the walk's beginning without a
// network.

import { readFile } from "node:fs/promises";
import { SvcError } from "../../base/errors/errors.ts";
import { type CapsuleContent, decodeCapsule } from "../../sources/files/capsule.ts";
import { capsulesOfPage } from "../../sources/files/page-capsule.ts";
import type { Captured } from "./capture-transaction.ts";

export interface OpenedCapsule extends Captured {
  /** Strkeys of those whose signatures it carries; all of them hold. */
  readonly signers: readonly string[];
}

/**
 * `hash`: the transaction it must hold, by outer or inner hash; null for any.
 * Throws FILE_UNREADABLE, FILE_INVALID, SIGNATURE_INVALID, and USAGE when it holds another one, or
 * several and no hash chooses one.
 */
export async function openCapsule(path: string, hash: string | null): Promise<OpenedCapsule> {
  const content = await readText(path);
  const inPage = capsulesOfPage(content);
  const capsules = (inPage ?? [content]).map((text) => decodeCapsule(text, path));
  const found = hash === null ? capsules : capsules.filter((each) => hasHash(each, hash));
  const [captured] = found;
  if (captured !== undefined && (found.length === 1 || hash !== null))
    return hash === null
      ? captured
      : { ...captured, record: { ...captured.record, requestedHash: hash } };
  throw wrongTransaction(path, hash, capsules);
}

function hasHash({ record }: CapsuleContent, hash: string): boolean {
  return hash === record.hash || hash === record.innerHash;
}

function wrongTransaction(
  path: string,
  hash: string | null,
  capsules: readonly CapsuleContent[],
): SvcError {
  const [only] = capsules;
  if (only === undefined)
    return new SvcError("FILE_INVALID", {
      message: `The page ${path} contains no capsule.`,
      remedy: "Pass a page that `svc debug --format html` printed, or a capsule file.",
      details: { file: path },
    });
  if (capsules.length === 1)
    return new SvcError("USAGE", {
      message: `The capsule ${path} holds transaction ${only.record.hash}, not ${hash}.`,
      remedy: "Leave the hash out, or name the capsule of that transaction.",
    });
  const hashes = capsules.map(({ record }) => `\n  ${record.hash}`).join("");
  const not = hash === null ? "" : `, but not ${hash}`;
  return new SvcError("USAGE", {
    message: `The page ${path} has ${capsules.length} transactions${not}:${hashes}`,
    remedy: "Run `svc debug <hash> --from FILE` with one of these hashes.",
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
