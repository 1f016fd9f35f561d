// Limits the memory for answers that wait to be sent. The answers of a client that reads slowly, or
// not at all, stay in memory; all of them together have a limit. Invariant: a client with more
// answers than another does not keep the other's out. If there is no room, the newest answer of the
// client with the most is cut off.

import { SvcError } from "../../base/errors/errors.ts";
import { type Guest, Guests } from "./guests.ts";

/** An answer, or a part of one, that waits to be sent. */
export interface WaitingAnswer {
  /** Frees the memory after the answer was sent or given up. A second call has no effect. */
  readonly leave: () => void;
}

export interface AnswerMemory {
  readonly bytes: () => number;
  /**
   * Holds an answer. `giveWay` is called if it must leave its memory now. Throws ANSWER_ROOM_FULL.
   */
  readonly hold: (client: string, bytes: number, giveWay: () => void) => WaitingAnswer;
}

export function openAnswerMemory(limitBytes: number): AnswerMemory {
  const answers = new Guests();
  return {
    bytes: () => answers.bytes,
    hold(client, bytes, giveWay) {
      while (answers.bytes + bytes > limitBytes) {
        const most = answers.bytesOf(client) + bytes;
        const other = answers.newestOfMoreThan(most, (share) => share.bytes);
        if (other === null) throw noRoom(limitBytes);
        other.giveWay();
      }
      const leave = () => answers.delete(answer);
      const answer: Guest = {
        client,
        bytes,
        giveWay() {
          leave();
          giveWay();
        },
      };
      answers.add(answer);
      return { leave };
    },
  };
}

function noRoom(limitBytes: number): SvcError {
  return new SvcError("ANSWER_ROOM_FULL", {
    message: `The answers that wait to be sent fill the limit of ${limitBytes} bytes.`,
    remedy: "Read the answers to earlier requests, or ask for less at once.",
  });
}
