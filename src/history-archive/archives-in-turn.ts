// Asks several history archives in turn. If one lacks something, lies or does not answer, the next
// one is asked.

import { NODE_ERRORS } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import { XDR_ERRORS } from "../xdr/errors.ts";
import type { OpenedArchive } from "./opened-archive.ts";

/** Archives that are opened when they are first asked. */
export function openInTurn(
  places: readonly string[],
  openOne: (place: string) => Promise<OpenedArchive>,
) {
  const opening = new Map<string, Promise<OpenedArchive>>();
  /**
   * The archives in the order in which they are asked. One that does not answer, or lies, is
   * removed.
   */
  let order = [...places];
  const open = (place: string) => {
    const archive = opening.get(place) ?? openOne(place);
    opening.set(place, archive);
    return archive;
  };
  async function ask<T>(
    question: (archive: OpenedArchive) => Promise<T>,
    isEnough: (answer: T, archive: OpenedArchive) => boolean | Promise<boolean> = () => true,
  ): Promise<T> {
    const answers: T[] = [];
    let failure: SvcError | null = null;
    const places = order;
    for (const place of places) {
      try {
        const archive = await open(place);
        const answer = await question(archive);
        answers.push(answer);
        // The answer of the only archive is returned, even if it is not enough.
        if (places.length === 1 || (await isEnough(answer, archive))) return answer;
      } catch (error) {
        if (!(error instanceof SvcError) || !HANDED_OVER.has(error.code)) throw error;
        failure ??= error;
        if (MAY_HAVE_OTHERS.has(error.code) || order.length === 1) continue;
        order = order.filter((each) => each !== place);
        continue;
      }
      order = [...order.filter((each) => each !== place), place];
    }
    const [answer] = answers;
    if (answers.length === 0 && failure !== null) throw failure;
    return answer as T;
  }
  return { open, ask };
}

/** The errors of one archive after which another one may succeed. */
const HANDED_OVER: ReadonlySet<string> = new Set([
  "ARCHIVE_BEHIND",
  "ARCHIVE_DAMAGED",
  "ARCHIVE_DOWNLOAD_LARGE",
  "ARCHIVE_LACKS",
  "FILE_UNREADABLE",
  ...Object.keys(NODE_ERRORS),
  ...Object.keys(XDR_ERRORS),
]);
/** The errors of an archive that can still answer other questions. */
const MAY_HAVE_OTHERS: ReadonlySet<string> = new Set([
  "ARCHIVE_BEHIND",
  "ARCHIVE_DOWNLOAD_LARGE",
  "ARCHIVE_LACKS",
]);
