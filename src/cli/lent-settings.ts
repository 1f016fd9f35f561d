// The settings that products lend to commands outside them, a row each. They are apart from
// lent.ts, because a command's settings are read before it runs.

import type { LentSettings } from "../command/lending.ts";
import { TOKEN_SETTINGS } from "../signing/token-settings.ts";

export const LENT_SETTINGS: LentSettings = {
  signer: TOKEN_SETTINGS,
};
