// svc sign verify: whose signatures are these, and do they hold? 0: all do. 6: of one it cannot be
// told. 7: one does not hold, or the expected signer is not among them.

import { type ArgsDef, defineCommand } from "citty";
import { CONFIG_FLAGS, loadConfig, MANNER_FLAGS } from "../arguments/common-flags.ts";
import { EXPECT_SIGNER_FLAG, expectedSigner } from "../arguments/expected-signer.ts";
import { readBase64Input } from "../arguments/read-input.ts";
import { judgeSignatures } from "../present/judge-signatures.ts";
import type { Shell } from "../shell.ts";

const { network, "network-passphrase": passphrase, config } = CONFIG_FLAGS;

const ARGUMENTS = {
  signed: {
    type: "positional",
    required: true,
    description:
      "What is signed, as a file, - for standard input, or itself: an envelope in base64, a " +
      "signature made with --payload, a signed capsule or report.",
  },
  payload: { type: "string", valueHint: "FILE", description: "The file that the signature is of." },
  ...EXPECT_SIGNER_FLAG,
  network,
  "network-passphrase": passphrase,
  config,
  ...MANNER_FLAGS,
} as const satisfies ArgsDef;

const INCONCLUSIVE = 6;
const NOT_AS_EXPECTED = 7;

export function signVerifyCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "sign verify" },
    args: ARGUMENTS,
    async run({ args }) {
      const expected = expectedSigner(args);
      const { networkPassphrase } = loadConfig(shell, args);
      const input = await readBase64Input(shell, args.signed);
      const signatures = await judgeSignatures(shell, input, {
        networkPassphrase,
        accounts: expected === null ? [] : [expected],
        payload: args.payload,
      });
      const found = expected === null || signatures.some(({ signer }) => signer === expected);
      const lines = signatures.map(
        ({ of, holds, signer, hint }) =>
          `${STATES.get(holds)}  ${signer ?? `a key with the hint ${hint}`}${of === null ? "" : `, ${of}`}`,
      );
      if (signatures.length === 0) lines.push("There is no signature.");
      if (!found) lines.push(`There is none by ${expected}.`);
      const document = {
        format: 1,
        signatures,
        expectedSigner: expected,
        expectedSignerFound: found,
      };
      await shell.output.write(
        shell.json ? `${JSON.stringify(document, null, 2)}\n` : `${lines.join("\n")}\n`,
      );
      if (!found || signatures.length === 0 || signatures.some(({ holds }) => holds === false))
        return NOT_AS_EXPECTED;
      return signatures.some(({ holds }) => holds === null) ? INCONCLUSIVE : 0;
    },
  });
}

const STATES: ReadonlyMap<boolean | null, string> = new Map([
  [true, "holds      "],
  [false, "DOES NOT   "],
  [null, "not known  "],
]);
