// Saves a running fork: each change, before a client learns of it. A full disk does not end the
// fork: it continues, reports that it is not saved, and tries again.

import type { Clock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { whyUnwritable } from "../base/errors/system-code.ts";
import type { EventLog } from "../http-server/request-log.ts";
import { type KeptState, StateFile } from "./state-file.ts";

export interface SavingOptions {
  /** The path without links; null if the fork ends with the process. */
  readonly path: string | null;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly state: KeptState;
  /** The latest ledger of the fork. */
  readonly latestLedger: () => number;
  /** Called with each file that replaces the last one. */
  readonly opened: () => void;
}

/** An attempt may write much to a disk without room, so attempts become rarer. */
const FIRST_RETRY_MILLISECONDS = 500;
const LONGEST_RETRY_MILLISECONDS = 30_000;
const BETWEEN_LINES_MILLISECONDS = 60_000;

interface SavingFailure {
  readonly error: unknown;
  /** The time of the last attempt, and of the last log line about it. */
  readonly triedAt: number;
  readonly loggedAt: number;
  readonly retryMilliseconds: number;
}

export class Saving implements Disposable {
  private file: StateFile | null = null;
  private failure: SavingFailure | null = null;
  /** Null if no file has the fork. */
  private savedLedger: number | null = null;

  constructor(private readonly options: SavingOptions) {}

  /** Saves the fork. It never throws: after a failure it waits for the next attempt. */
  save(): void {
    const { failure, options } = this;
    const now = options.clock.monotonicMilliseconds();
    if (failure === null || now - failure.triedAt >= failure.retryMilliseconds) this.attempt();
  }

  /** The fork has another base, so the next change replaces the file. */
  beginAnew(): void {
    this.file?.beginAnew();
  }

  /** Null if everything that clients know is on the disk. */
  whyNotSaved(): SvcError | null {
    if (this.failure === null) return null;
    const { savedLedger, failure } = this;
    const latest = this.options.latestLedger();
    const lost =
      savedLedger === null
        ? `its ledgers up to ${latest} are in no file`
        : savedLedger < latest - 1
          ? `the ledgers ${savedLedger + 1} to ${latest} are not in its file`
          : savedLedger === latest - 1
            ? `ledger ${latest} is not in its file`
            : `the changes since ledger ${savedLedger} are not in its file`;
    const { error } = failure;
    const why = error instanceof SvcError ? error.message : whyUnwritable(error);
    return new SvcError("FORK_STATE_UNSAVED", {
      message: `The fork's state cannot be saved (${why}): ${lost}.`,
      remedy: `Free space for ${this.options.path}, or correct its permissions: svc tries again.`,
      cause: error,
      details: { savedLedger, latestLedger: latest },
    });
  }

  /** Repeats failed attempts until the signal is aborted. */
  async retry(signal: AbortSignal): Promise<void> {
    const { path, clock } = this.options;
    while (path !== null && !signal.aborted) {
      await clock.sleep(FIRST_RETRY_MILLISECONDS, signal).catch(() => {});
      if (this.failure !== null && !signal.aborted) this.save();
    }
  }

  /** Ends. Throws OUTPUT_UNWRITABLE with what is lost. */
  end(): void {
    this.beginAnew();
    this.attempt();
    const error = this.whyNotSaved();
    if (error === null) return;
    const { message, cause, details } = error;
    throw new SvcError("OUTPUT_UNWRITABLE", {
      message: `${message} Changes that are not in the file are lost.`,
      remedy: "Free space, or correct the file's permissions, before you start the fork again.",
      cause,
      details: { ...details, isOfEnd: true },
    });
  }

  [Symbol.dispose](): void {
    this.file?.[Symbol.dispose]();
  }

  private attempt(): void {
    const { path, log, state, opened, latestLedger } = this.options;
    if (path === null) return;
    try {
      this.file ??= new StateFile(path, state, opened);
      this.file.save();
      this.savedLedger = latestLedger();
      if (this.failure !== null) log.write("warn", "fork saved again", { ledger: latestLedger() });
      this.failure = null;
    } catch (error) {
      this.fail(error, path);
    }
  }

  private fail(error: unknown, path: string): void {
    const { clock, log } = this.options;
    const triedAt = clock.monotonicMilliseconds();
    const { retryMilliseconds = FIRST_RETRY_MILLISECONDS / 2, loggedAt = null } =
      this.failure ?? {};
    const isLogged = loggedAt === null || triedAt - loggedAt >= BETWEEN_LINES_MILLISECONDS;
    this.failure = {
      error,
      triedAt,
      loggedAt: isLogged ? triedAt : loggedAt,
      retryMilliseconds: Math.min(2 * retryMilliseconds, LONGEST_RETRY_MILLISECONDS),
    };
    if (!isLogged) return;
    const { message = "" } = this.whyNotSaved() ?? {};
    log.write("error", "fork not saved", { code: "FORK_STATE_UNSAVED", error: message, path });
  }
}
