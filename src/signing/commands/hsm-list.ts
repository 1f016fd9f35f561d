// svc hsm list: the slots, tokens and keys of a PKCS#11 module.

import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON } from "../../command/common-settings.ts";
import type { Shell } from "../../command/shell.ts";
import { TOKEN_SETTINGS } from "../token-settings.ts";
import { renderModule } from "./render-module.ts";
import { givenPin, holdSignals, modulePlace } from "./use-token.ts";

const { module, tokenLabel, slot, pinFile } = TOKEN_SETTINGS;

const HSM_LIST = {
  module,
  tokenLabel,
  slot,
  pinFile: {
    ...pinFile,
    otherwise: "SVC_PKCS11_PIN",
    help: "File that contains the PIN. Without a PIN, svc lists only public keys.",
  },
  ...COMMON,
} as const;

export const command = defineCommand(HSM_LIST, hsmListCommand);

async function hsmListCommand(shell: Shell, settings: Arguments<typeof HSM_LIST>): Promise<number> {
  const { examineModule } = await import("../examine-module.ts");
  const { guardMemory } = await import("../guard-memory.ts");
  guardMemory();
  using pin = await givenPin(shell, settings);
  const report = await examineModule({
    place: modulePlace(shell, settings),
    token: settings,
    pin,
    holdSignals: () => holdSignals(shell),
  });
  await shell.output.write(
    shell.json
      ? jsonDocument({ format: 1, module: report })
      : renderModule(report, shell.facts.stdoutColumns()),
  );
  return 0;
}
