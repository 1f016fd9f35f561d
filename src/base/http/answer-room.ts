// The memory for the answers that are being read: nodes that answer without end must not take more
// together than one may. When there is no more room, the largest answer ends.

export interface AnswerRoom {
  /** `giveWay`: the answer has to end, since it is the largest. */
  readonly enter: (giveWay: () => void) => {
    /** More of the answer has arrived. */
    readonly grow: (bytes: number) => void;
    /** The answer is read, or given up; calling it twice is harmless. */
    readonly leave: () => void;
  };
}

/** The largest answer that may be, the ledgers of one call, and somewhat more. */
const MAXIMUM_BYTES = 256 * 1024 * 1024;

export function openAnswerRoom(maximumBytes = MAXIMUM_BYTES): AnswerRoom {
  const answers = new Set<{ bytes: number; readonly giveWay: () => void }>();
  let total = 0;
  return {
    enter(giveWay) {
      const answer = { bytes: 0, giveWay };
      answers.add(answer);
      const leave = (left: typeof answer) => {
        if (answers.delete(left)) total -= left.bytes;
      };
      return {
        leave: () => leave(answer),
        grow(bytes) {
          if (!answers.has(answer)) return;
          answer.bytes += bytes;
          total += bytes;
          while (total > maximumBytes) {
            const largest = [...answers].reduce((one, other) =>
              other.bytes > one.bytes ? other : one,
            );
            leave(largest);
            largest.giveWay();
          }
        },
      };
    },
  };
}
