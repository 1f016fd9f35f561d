// Events that a sink refused, or that it could not be given for too long: one file a sink, NDJSON,
// which can be sent again.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { systemCodeOf } from "../../base/errors/system-code.ts";
import type { FollowEvent } from "../../model/follow.ts";
import { stateUnwritable } from "../state-database.ts";
import { appendDurably } from "./ndjson.ts";

export interface DeadLetters {
  pathOf(sink: string): string;
  /** Throws FOLLOW_STATE_UNWRITABLE. */
  add(sink: string, reason: string, events: readonly FollowEvent[]): void;
  /** Gives them to `queue` and deletes the file. Throws FILE_INVALID. */
  sendAgain(sink: string, queue: (events: readonly FollowEvent[]) => void): number;
}

const letter = v.object({
  event: v.looseObject({ id: v.string(), kind: v.string(), alert: v.boolean() }),
});

export function openDeadLetters(directory: string, clock: Clock): DeadLetters {
  const pathOf = (sink: string) => join(directory, `dead-letters-${sink}.ndjson`);
  return {
    pathOf,
    add(sink, reason, events) {
      const time = new Date(clock.unixMilliseconds()).toISOString();
      const lines = events.map((event) => `${JSON.stringify({ time, reason, event })}\n`);
      try {
        appendDurably(pathOf(sink), lines.join(""));
      } catch (cause) {
        throw stateUnwritable(pathOf(sink), cause);
      }
    },
    sendAgain(sink, queue) {
      const path = pathOf(sink);
      const events = readLetters(path);
      if (events.length === 0) return 0;
      queue(events);
      rmSync(path);
      return events.length;
    },
  };
}

function readLetters(path: string): FollowEvent[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line, i) => {
    try {
      return v.parse(letter, JSON.parse(line)).event as unknown as FollowEvent;
    } catch (cause) {
      throw new SvcError("FILE_INVALID", {
        message: `Line ${i + 1} of ${path} is not a dead letter.`,
        remedy: "Correct or remove the line.",
        cause,
      });
    }
  });
}
