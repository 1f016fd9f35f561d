// svc sign auth: signs a Soroban authorization entry, or the entries of an envelope, for one
// address. `svc sign` signs the transaction itself afterwards.

import { integer } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { readBase64Input } from "../../command/read-input.ts";
import { type Shell, withTimeLimit } from "../../command/shell.ts";
import { configOf } from "../../sources/network-settings.ts";
import { calledContracts, SIGNING } from "./called-contracts.ts";
import { withSigner } from "./use-token.ts";

const SIGN_AUTH = {
  authorizations: {
    word: "one",
    required: true,
    help:
      "SorobanAuthorizationEntry or TransactionEnvelope in base64, a file that contains it, or - " +
      "for standard input.",
  },
  validUntilLedger: {
    hint: "N",
    schema: integer(1, 0xffff_ffff),
    otherwise: "the ledger that each one already has",
    help: "Last ledger in which the authorizations are valid.",
  },
  for: {
    hint: "ADDRESS",
    otherwise: "the key's own account",
    help: "Address whose authorizations to sign.",
  },
  ...SIGNING,
} as const;

export const command = defineCommand(SIGN_AUTH, signAuthCommand);

async function signAuthCommand(shell: Shell, args: Arguments<typeof SIGN_AUTH>): Promise<number> {
  const settings = configOf(args);
  const { networkPassphrase } = settings;
  const { validUntilLedger } = args;
  const request = { networkPassphrase, address: args.for, validUntilLedger };
  const { readGivenAuthorizations, signAuthorizations, viewAuthorizations } = await import(
    "../../debugger/sign/sign-authorizations.ts"
  );
  const { authorizationsDocument } = await import("../../report/document/signing-view.ts");
  const { drawText } = await import("../../report/text/draw.ts");
  const { name, text } = await readBase64Input(withTimeLimit(shell, settings), args.authorizations);
  const authorizations = readGivenAuthorizations(text, networkPassphrase, name);
  const contracts = await calledContracts(shell, args, settings, authorizations.envelope);
  const address = request.address ?? args.expectSigner;
  const shown = viewAuthorizations(authorizations, { ...request, address }, contracts);
  const { columns } = shell.facts.stderr();
  const view = authorizationsDocument(shown, networkPassphrase, settings.network);
  shell.log.info(drawText(view, { color: false, columns }));
  const signed = await withSigner(shell, args, (signer) =>
    signAuthorizations(authorizations, request, signer),
  );
  shell.log.info(`${signed.signedEntries} signed by ${signed.signer}.`);
  await shell.output.write(
    shell.json ? jsonDocument({ format: 1, networkPassphrase, ...signed }) : `${signed.xdr}\n`,
  );
  return 0;
}
