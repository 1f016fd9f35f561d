// The codes of verifying ledgers: part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";

export const VERIFY_ERRORS = {
  PIECES_INCOMPLETE: row(EXIT.inconclusive, 422, {
    summary: "The results of `svc verify --shard` are not all the pieces of one run.",
    advice: "Run the missing and damaged pieces again, then merge only the results of that run.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof VERIFY_ERRORS> {}
}
