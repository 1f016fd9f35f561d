// The codes of work in pieces: part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";

export const COMMAND_ERRORS = {
  PIECES_INCOMPLETE: row(EXIT.inconclusive, 422, {
    summary: "The results of `--shard` are not all the pieces of one run.",
    advice: "Run the missing and damaged pieces again, then merge only the results of that run.",
  }),
  RESULTS_DISK_FAILED: row(EXIT.remote, 500, {
    summary: "The disk with the results of `--shard` is full or fails.",
    advice: "Free space there, or run the piece again on another machine.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof COMMAND_ERRORS> {}
}
