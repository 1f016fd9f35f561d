// What products lend to commands outside them, a row each. A product that is taken out of svc lends
// nothing, and the commands say so.

import type { Lent } from "../command/lending.ts";
import { TOKEN_SETTINGS } from "../signing/token-settings.ts";

export const LENT: Lent = {
  launch: () => import("../fork/commands/make-launched.ts"),
  following: () => import("../follow/commands/choose-following.ts"),
  signer: { settings: TOKEN_SETTINGS, load: () => import("../signing/commands/use-token.ts") },
};
