// Decides whether an archive may download as much as a question needs, and limits the downloads.

import { SvcError } from "../base/errors/errors.ts";
import { unlessAborted } from "../base/join-signals.ts";
import { flag, phrase } from "../base/phrase.ts";
import type { TimeLimits } from "../base/time-limits.ts";
import type { StateReaderDependencies } from "./state-at.ts";

/** The ways to ask the user. */
export interface AskForDownload {
  readonly signal: AbortSignal;
  /** Asks the user. Absent without a terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Gets a line about a large download before it begins. */
  readonly say?: (text: string) => void;
  /** The time for the user's answer and for an allowed download is not counted. */
  readonly time?: Pick<TimeLimits, "uncounted">;
}

/** Larger downloads need the user's consent. */
const FREE_BYTES = 64 * 1024 * 1024;

/** The consent if no user can be asked: none. */
const NO = Promise.resolve(false);

export type Allowance = Required<Pick<StateReaderDependencies, "allow" | "fetching">>;

/**
 * Small downloads are made without a question. A larger one needs the user's consent, once.
 * `download` allows large ones without a question.
 */
export function openAllowance(
  download: boolean,
  { confirm, say, time, signal }: AskForDownload,
): Allowance {
  const uncounted: TimeLimits["uncounted"] = (work) => time?.uncounted(work) ?? work();
  let allowed = download;
  return {
    fetching: (work) => (allowed ? uncounted(work) : work()),
    async allow(name, bytes, buckets) {
      if (bytes <= FREE_BYTES) return;
      const megabytes = Math.ceil(bytes / 1e6);
      if (allowed) return say?.(`Downloading ${buckets} buckets of ${name}: ${megabytes} MB.`);
      const message = `The state at that ledger needs ${buckets} buckets of ${name}: ${megabytes} MB.`;
      const question = `${message} Download them now?`;
      const answer = () => unlessAborted(confirm?.(question) ?? NO, signal);
      allowed = await uncounted(answer);
      if (allowed) return;
      throw new SvcError("ARCHIVE_DOWNLOAD_LARGE", {
        message,
        remedy: phrase`Add ${flag("download")}: what is downloaded is kept, and most of it serves later ledgers too.`,
        details: { bytes, buckets },
      });
    },
  };
}
