// The error codes of history archives.

import { EXIT, REPORT, RETRY, row } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import { AGAIN, atClient, flag, phrase } from "../base/phrase.ts";

export const ARCHIVE_ERRORS = {
  ARCHIVE_NOT_SET: row(EXIT.configuration, 409, {
    summary: "No history archive is set, and svc knows none of the network.",
    advice: phrase`Set the URL of one, or a directory, with ${flag("historyArchive")}.`,
    httpAdvice: phrase`${atClient("Send the request without `prove`; the operator of the server sets an archive.", "Ask the operator of the server to set an archive.")}`,
  }),
  ARCHIVE_DAMAGED: row(EXIT.remote, 502, {
    summary: "A file of the history archive is not what its hash, or the file that names it, says.",
    advice: phrase`Set another archive of the network with ${flag("historyArchive")}.`,
    httpAdvice: REPORT,
  }),
  ARCHIVE_COPY_DAMAGED: row(EXIT.remote, 503, {
    summary: "A part of the history archive that svc keeps on this machine was damaged.",
    advice: phrase`${AGAIN}: svc removed it, and reads it anew.`,
    httpAdvice: RETRY,
  }),
  ARCHIVE_LACKS: row(EXIT.remote, 502, {
    summary: "The history archive does not have a file that is needed.",
    advice: phrase`Set a complete archive of the network with ${flag("historyArchive")}.`,
    httpAdvice: REPORT,
  }),
  ARCHIVE_BEHIND: row(EXIT.remote, 404, {
    summary:
      "The history archive does not reach the ledger. " +
      "The ledger has not closed, or is after the last checkpoint: one is published every 64 ledgers.",
    advice: "Try again when the next checkpoint is published, or name another ledger.",
    httpAdvice: "Try again in some minutes, or name a ledger that has closed.",
  }),
  ARCHIVE_DOWNLOAD_LARGE: row(EXIT.usage, 400, {
    summary: "The state of the network would have to be downloaded first.",
    advice: phrase`Allow it with ${flag("download")}, or set a directory that has the archive.`,
    httpAdvice: REPORT,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof ARCHIVE_ERRORS> {}
}

/** `name` is the file, with its archive. */
export function archiveDamaged(name: string, problem: string, cause?: unknown): SvcError {
  return new SvcError("ARCHIVE_DAMAGED", {
    clause: `${name} of the history archive is damaged or forged: ${problem}`,
    remedy: "Use another archive of the network; each validator publishes one.",
    cause,
    details: { file: name },
  });
}

/** `path` was removed. */
export function copyDamaged(path: string, cause: unknown): SvcError {
  return new SvcError("ARCHIVE_COPY_DAMAGED", {
    message: `${path}, a kept part of the history archive, was damaged, and is removed.`,
    httpMessage: "A kept part of the history archive was damaged, and is removed.",
    remedy: phrase`${AGAIN}: svc reads that part from the archive anew.`,
    cause,
    details: { file: path },
  });
}

/** `network` is null for an unknown network, such as that of a fork. */
export function notSet(network: string | null): SvcError {
  const where = network === null ? "" : ` for the network "${network}"`;
  return new SvcError("ARCHIVE_NOT_SET", {
    message: `No history archive is set${where}.`,
    remedy: phrase`Set the URL of one, or a directory, with ${flag("historyArchive")}.`,
  });
}

/** `part` is the part of the ledger that is missing. */
export function behind(part: string, ledger: number, latestLedger: number): SvcError {
  return new SvcError("ARCHIVE_BEHIND", {
    clause: `The history archive has no ${part} ledger ${ledger}: it ends with ledger ${latestLedger}`,
    remedy:
      "Try again when the next checkpoint is published, or name a ledger that the archive has.",
    details: { ledger, latestLedger },
  });
}

export function lacking(name: string): SvcError {
  return new SvcError("ARCHIVE_LACKS", {
    clause: `The history archive has no ${name}`,
    remedy: "Use a complete archive of the network, or a ledger that the archive has.",
    details: { file: name },
  });
}
