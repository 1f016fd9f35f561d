// The codes of forks: part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";
import { SvcError } from "../base/errors/errors.ts";

export const FORK_ERRORS = {
  FORK_UNSUPPORTED: row(EXIT.usage, 501, {
    summary: "A fork cannot do what a transaction asks of the network.",
    advice: "Send the transaction to the network, or leave that operation out.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof FORK_ERRORS> {}
}

/** `what`: as in `a fork does not know how to …`. */
export function forkUnsupported(what: string): SvcError {
  return new SvcError("FORK_UNSUPPORTED", {
    message: `A fork does not know how ${what}.`,
    remedy: "Leave it out of the transaction.",
    details: { what },
  });
}
