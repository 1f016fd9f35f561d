// This table has a row for each front and product that lends something to others. One that is taken
// out of svc lends nothing, and the commands that would use it say so.

import type { Lent } from "../command/lending.ts";

export const LENT: Lent = {
  agents: () => import("../mcp/http-route.ts"),
  stepper: () => import("../stepper/step-through.ts"),
  calls: () => import("../fork/commands/make-calls.ts"),
  following: () => import("../follow/commands/choose-following.ts"),
  signer: () => import("../signing/commands/use-token.ts"),
};
