// svc hsm list: the slots, tokens and keys of a PKCS#11 module.

import { type ArgsDef, defineCommand } from "citty";
import { jsonDocument } from "../../../base/text/json-document.ts";
import { COMMON_FLAGS } from "../../arguments/common-flags.ts";
import {
  givenPin,
  holdSignals,
  modulePlace,
  pkcs11Settings,
  TOKEN_FLAGS,
} from "../../arguments/token-flags.ts";
import { renderModule } from "../../present/render-module.ts";
import type { Shell } from "../../shell.ts";

const { module, "token-label": tokenLabel, slot, "pin-file": pinFile } = TOKEN_FLAGS;

const ARGUMENTS = {
  module,
  "token-label": tokenLabel,
  slot,
  "pin-file": {
    ...pinFile,
    description:
      "File that contains the PIN (default: SVC_PKCS11_PIN). Without a PIN only public keys are " +
      "listed.",
  },
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function hsmListCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "hsm list" },
    args: ARGUMENTS,
    async run({ args }) {
      const settings = pkcs11Settings(shell, args);
      const { examineModule } = await import("../../../signing/examine-module.ts");
      const { guardMemory } = await import("../../../signing/guard-memory.ts");
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
    },
  });
}
