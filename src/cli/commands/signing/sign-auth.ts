// svc sign auth: a Soroban authorization entry, or an envelope with authorization entries → the
// same, signed for one address. svc sign signs the transaction itself afterwards.

import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../../base/errors/errors.ts";
import { jsonDocument } from "../../../base/text/json-document.ts";
import { calledContracts } from "../../arguments/called-contracts.ts";
import { loadConfig } from "../../arguments/common-flags.ts";
import { expectedSigner } from "../../arguments/expected-signer.ts";
import { readBase64Input } from "../../arguments/read-input.ts";
import { SIGNING_FLAGS } from "../../arguments/signing-flags.ts";
import { withSigner } from "../../arguments/token-flags.ts";
import { type Shell, withTimeLimit } from "../../shell.ts";

const ARGUMENTS = {
  authorizations: {
    type: "positional",
    required: true,
    description:
      "SorobanAuthorizationEntry or TransactionEnvelope in base64, a file that contains it, or - " +
      "for standard input.",
  },
  "valid-until-ledger": {
    type: "string",
    valueHint: "N",
    description:
      "Last ledger in which the authorizations are valid (default: the ledger that each one " +
      "already has).",
  },
  for: {
    type: "string",
    valueHint: "ADDRESS",
    description: "Address whose authorizations to sign (default: the key's own account).",
  },
  ...SIGNING_FLAGS,
} as const satisfies ArgsDef;

const MAXIMUM_LEDGER = 0xffffffff;

export function signAuthCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "sign auth" },
    args: ARGUMENTS,
    async run({ args }) {
      const settings = loadConfig(shell, args);
      const { networkPassphrase } = settings;
      const wanted = {
        networkPassphrase,
        address: args.for ?? null,
        validUntilLedger: ledgerOf(args["valid-until-ledger"]),
      };
      const { readGivenAuthorizations, signAuthorizations, viewAuthorizations } = await import(
        "../../../debugger/sign/sign-authorizations.ts"
      );
      const { atWidth } = await import("../../../report/text/layout.ts");
      const { renderAuthorizationsView } = await import("../../../report/text/signing-view.ts");
      const { name, text } = await readBase64Input(
        withTimeLimit(shell, settings),
        args.authorizations,
      );
      const given = readGivenAuthorizations(text, networkPassphrase, name);
      const contracts = await calledContracts(shell, args, settings, given.envelope);
      const address = wanted.address ?? expectedSigner(args);
      const shown = viewAuthorizations(given, { ...wanted, address }, contracts);
      const view = () => renderAuthorizationsView(shown, networkPassphrase, settings.network);
      shell.log.info(atWidth(shell.facts.stderr().columns, view));
      const signed = await withSigner(shell, args, (signer) =>
        signAuthorizations(given, wanted, signer),
      );
      shell.log.info(`${signed.signedEntries} signed by ${signed.signer}.`);
      await shell.output.write(
        shell.json ? jsonDocument({ format: 1, networkPassphrase, ...signed }) : `${signed.xdr}\n`,
      );
      return 0;
    },
  });
}

function ledgerOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ledger = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (ledger > 0 && ledger <= MAXIMUM_LEDGER) return ledger;
  throw new SvcError("USAGE", {
    message: `--valid-until-ledger "${text}" is not a ledger number.`,
    remedy: "Pass a number a little above the network's latest ledger.",
  });
}
