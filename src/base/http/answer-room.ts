// The memory for all answers that are being read. Nodes that answer without end cannot use more of
// it together than one node may. If it is full, the largest answer is given up.

export interface AnswerRoom {
  /** `giveWay` is called if this answer is the largest when the memory is full. */
  readonly enter: (giveWay: () => void) => {
    /** Reports that more of the answer has arrived. */
    readonly grow: (bytes: number) => void;
    /** Reports that the answer was read or given up. A second call is harmless. */
    readonly leave: () => void;
  };
}

/** Enough for the largest answer, the ledgers of one call, with a reserve. */
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
            const largest = [...answers].reduce((left, right) =>
              right.bytes > left.bytes ? right : left,
            );
            leave(largest);
            largest.giveWay();
          }
        },
      };
    },
  };
}
