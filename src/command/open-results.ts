// Opens the place for the results of pieces: a directory, or s3://bucket/prefix. A full or failing
// disk belongs to one machine of a cluster, so its error differs from that of a wrong path, which
// is wrong on all machines.

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { SvcError, usageError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { whyUnreadable } from "../base/files/read-file.ts";
import { flag, phrase } from "../base/phrase.ts";
import { openStore } from "../base/store/open-store.ts";
import type { Store } from "../base/store/store.ts";
import type { InputShell } from "./shell.ts";

const ADDRESS = /^\w+:\/\//;
/**
 * Codes of a failure of one disk. EACCES, ENOENT and EROFS concern the path, which every piece has.
 */
const DISK_FAILURES: readonly string[] = ["ENOSPC", "EDQUOT", "EIO", "ESTALE"];

/**
 * Opens the store. `mustExist` is true if results are read. Throws USAGE for a place that cannot
 * have results, and FILE_UNREADABLE. The store also throws RESULTS_DISK_FAILED.
 */
export async function openResults(
  { facts, signal }: InputShell,
  word: string,
  { mustExist }: { readonly mustExist: boolean },
): Promise<Store> {
  if (!ADDRESS.test(word))
    await checkDirectory(resolve(facts.workingDirectory, word), word, mustExist);
  return tellingDiskFailures(openStore(word, { ...facts, clock: systemClock, signal }));
}

async function checkDirectory(path: string, word: string, mustExist: boolean): Promise<void> {
  const status = await findPath(path);
  if (typeof status === "string" && mustExist)
    throw new SvcError("FILE_UNREADABLE", {
      message: `The directory ${word} ${status}.`,
      remedy: phrase`Pass the directory or s3://bucket/prefix that ${flag("result")} had.`,
      details: { file: path },
    });
  if (typeof status !== "string" && !status.isDirectory())
    throw usageError(
      `${word} is a file, not a directory of results.`,
      "Pass the directory or s3://bucket/prefix that has the results.",
    );
}

/** The status of the path, or in words why it has none, such as "does not exist". */
async function findPath(path: string): Promise<Stats | string> {
  try {
    return await stat(path);
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR"].includes(systemCodeOf(error) ?? "");
    return isMissing ? "does not exist" : `cannot be read (${whyUnreadable(error)})`;
  }
}

function tellingDiskFailures(store: Store): Store {
  const withDiskFailures = async <T>(action: Promise<T>) => {
    try {
      return await action;
    } catch (error) {
      throw diskFailure(error, store.name) ?? error;
    }
  };
  return {
    name: store.name,
    read: (name) => withDiskFailures(store.read(name)),
    write: (name, text) => withDiskFailures(store.write(name, text)),
    remove: (name) => withDiskFailures(store.remove(name)),
    list: () => withDiskFailures(store.list()),
  };
}

function diskFailure(error: unknown, directory: string): SvcError | null {
  const code = systemCodeOf(error instanceof SvcError ? error.cause : error) ?? "";
  if (!DISK_FAILURES.includes(code)) return null;
  return new SvcError("RESULTS_DISK_FAILED", {
    message: `The disk with the results in ${directory} is full or fails (${code}).`,
    remedy: "Free space there, or run the piece again on another machine.",
    cause: error,
  });
}
