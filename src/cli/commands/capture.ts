// svc capture: hash → capsule file. It needs no simulator: it fetches what a replay needs.

import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import type { Captured } from "../../debugger/walk/capture-transaction.ts";
import {
  COMMON_FLAGS,
  CONFIG_FLAGS,
  LEDGER_FILE_FLAG,
  ledgerFiles,
  loadConfig,
} from "../arguments/common-flags.ts";
import { EXPECT_SIGNER_FLAG } from "../arguments/expected-signer.ts";
import { TOKEN_FLAGS, withSigner } from "../arguments/token-flags.ts";
import { parseTransactionHash } from "../arguments/transaction-hash.ts";
import { STDOUT, saveCapsule } from "../present/save-capsule.ts";
import { type Shell, withTimeLimit } from "../shell.ts";

const ARGUMENTS = {
  hash: {
    type: "positional",
    required: true,
    description: "Transaction hash, 64 hexadecimal characters.",
  },
  ...CONFIG_FLAGS,
  ...LEDGER_FILE_FLAG,
  save: {
    type: "string",
    valueHint: "FILE",
    description: "Name of the capsule file (default: <hash>.capsule.json; -: standard output).",
  },
  output: {
    type: "string",
    valueHint: "DIR",
    description: "Directory for the capsule file (default: the current directory).",
  },
  sign: { type: "boolean", description: "Sign the capsule with a key on a PKCS#11 token." },
  ...EXPECT_SIGNER_FLAG,
  ...TOKEN_FLAGS,
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;

export function captureCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "capture" },
    args: ARGUMENTS,
    async run({ args }) {
      const hash = parseTransactionHash(args.hash);
      if (args.save === STDOUT && shell.json)
        throw new SvcError("USAGE", {
          message: "--save - and --json cannot be used together: both write standard output.",
          remedy: "Remove `--json`, or save the capsule in a file.",
        });
      const config = loadConfig(shell, args);
      const { openCapture } = await import("../../debugger/setup/open-dependencies.ts");
      const { captureTransaction } = await import("../../debugger/walk/capture-transaction.ts");
      const { progress } = shell.log;
      const dependencies = openCapture(config, { ledgerFiles: ledgerFiles(args), progress });
      const timed = withTimeLimit(shell, config);
      const captured = await captureTransaction(dependencies, hash, timed);
      const place = { file: args.save ?? `${hash}.capsule.json`, directory: args.output };
      const file = args.sign
        ? await saveCapsule(timed, captured, place, (use) => withSigner(shell, args, use))
        : await saveCapsule(timed, captured, place);
      if (file === STDOUT) return 0;
      await shell.output.write(shell.json ? renderCaptured(captured, file) : `${file}\n`);
      return 0;
    },
  });
}

function renderCaptured({ record, snapshot }: Captured, file: string): string {
  const document = {
    format: 1,
    file,
    hash: record.hash,
    ledger: record.ledger.sequence,
    /** Null when nothing ran in the contract host. */
    entries: snapshot?.entries.length ?? null,
    unknown: snapshot?.unknown ?? [],
  };
  return jsonDocument(document);
}
