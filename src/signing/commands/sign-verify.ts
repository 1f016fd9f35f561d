// svc sign verify: the signer of each signature, and whether it is valid. Exit codes: 0 all are
// valid, 6 the validity of one is unknown, 7 one is invalid or the expected signer is not among
// them.

import { EXIT } from "../../base/errors/base-errors.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, checkFacts, defineCommand } from "../../command/command.ts";
import { COMMON, EXPECT_SIGNER, NETWORK, withoutFlags } from "../../command/common-settings.ts";
import { readBase64Input } from "../../command/read-input.ts";
import { type Shell, withTimeLimit } from "../../command/shell.ts";
import { configOf } from "../../sources/network-settings.ts";
import { ENVELOPE, judgeSignatures, PAYLOAD_SIGNATURE } from "./judge-signatures.ts";

const SIGN_VERIFY = {
  signed: {
    word: "one",
    required: true,
    help:
      "A signed envelope in base64, a signature made with --payload, or a signed capsule or " +
      "report: itself, a file that contains it, or - for standard input.",
  },
  payload: {
    hint: "FILE",
    onlyWith: [PAYLOAD_SIGNATURE],
    help: "File that the signature was made for.",
  },
  ...EXPECT_SIGNER,
  ...withoutFlags(NETWORK),
  network: { ...NETWORK.network, onlyWith: [ENVELOPE] },
  networkPassphrase: { ...NETWORK.networkPassphrase, onlyWith: [ENVELOPE] },
  config: NETWORK.config,
  ...COMMON,
} as const;

export const command = defineCommand(SIGN_VERIFY, signVerifyCommand);

async function signVerifyCommand(
  shell: Shell,
  args: Arguments<typeof SIGN_VERIFY>,
): Promise<number> {
  const expected = args.expectSigner;
  const config = configOf(args);
  const timed = withTimeLimit(shell, config);
  const input = await readBase64Input(timed, args.signed);
  const options = {
    networkPassphrase: config.networkPassphrase,
    accounts: expected === null ? [] : [expected],
    payload: args.payload,
  };
  const signatures = await judgeSignatures(timed, input, options, (facts) =>
    checkFacts(shell, SIGN_VERIFY, args, facts),
  );
  const isSigned = expected === null || signatures.some(({ signer }) => signer === expected);
  const lines = signatures.map(
    ({ of, holds, signer, hint }) =>
      `${STATES.get(holds)}  ${signer ?? `a key with the hint ${hint}`}${of === null ? "" : `, ${of}`}`,
  );
  if (signatures.length === 0) lines.push("There is no signature.");
  if (!isSigned) lines.push(`No signature by ${expected} was found.`);
  const document = {
    format: 1,
    signatures,
    expectedSigner: expected,
    expectedSignerFound: isSigned,
  };
  await shell.output.write(shell.json ? jsonDocument(document) : `${lines.join("\n")}\n`);
  if (!isSigned || signatures.length === 0 || signatures.some(({ holds }) => holds === false))
    return EXIT.notAsExpected;
  return signatures.some(({ holds }) => holds === null) ? EXIT.inconclusive : 0;
}

const STATES: ReadonlyMap<boolean | null, string> = new Map([
  [true, "valid     "],
  [false, "INVALID   "],
  [null, "unknown   "],
]);
