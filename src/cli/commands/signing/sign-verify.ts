// svc sign verify: the signer of each signature, and whether it is valid. Exit codes: 0 all are
// valid, 6 the validity of one is unknown, 7 one is invalid or the expected signer is not among
// them.

import { type ArgsDef, defineCommand } from "citty";
import { jsonDocument } from "../../../base/text/json-document.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../../arguments/common-flags.ts";
import { EXPECT_SIGNER_FLAG, expectedSigner } from "../../arguments/expected-signer.ts";
import { readBase64Input } from "../../arguments/read-input.ts";
import { judgeSignatures } from "../../present/judge-signatures.ts";
import { type Shell, withTimeLimit } from "../../shell.ts";

const { network, "network-passphrase": passphrase, config } = CONFIG_FLAGS;

const ARGUMENTS = {
  signed: {
    type: "positional",
    required: true,
    description:
      "A signed envelope in base64, a signature made with --payload, or a signed capsule or " +
      "report: itself, a file that contains it, or - for standard input.",
  },
  payload: {
    type: "string",
    valueHint: "FILE",
    description: "The file that the signature was made for.",
  },
  ...EXPECT_SIGNER_FLAG,
  network,
  "network-passphrase": passphrase,
  config,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

const INCONCLUSIVE = 6;
const NOT_AS_EXPECTED = 7;

export function signVerifyCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "sign verify" },
    args: ARGUMENTS,
    async run({ args }) {
      const expected = expectedSigner(args);
      const config = loadConfig(shell, args);
      const timed = withTimeLimit(shell, config);
      const input = await readBase64Input(timed, args.signed);
      const { networkPassphrase } = config;
      const signatures = await judgeSignatures(timed, input, {
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
      if (!found) lines.push(`No signature by ${expected} was found.`);
      const document = {
        format: 1,
        signatures,
        expectedSigner: expected,
        expectedSignerFound: found,
      };
      await shell.output.write(shell.json ? jsonDocument(document) : `${lines.join("\n")}\n`);
      if (!found || signatures.length === 0 || signatures.some(({ holds }) => holds === false))
        return NOT_AS_EXPECTED;
      return signatures.some(({ holds }) => holds === null) ? INCONCLUSIVE : 0;
    },
  });
}

const STATES: ReadonlyMap<boolean | null, string> = new Map([
  [true, "valid     "],
  [false, "INVALID   "],
  [null, "unknown   "],
]);
