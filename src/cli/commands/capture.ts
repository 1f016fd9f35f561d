// svc capture: hash → capsule file. It needs no simulator: it fetches what a replay needs.

import { usageError } from "../../base/errors/errors.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import type { Captured } from "../../debugger/walk/capture-transaction.ts";
import { TOKEN_SETTINGS } from "../../signing/token-settings.ts";
import { configOf } from "../../sources/network-settings.ts";
import { onNetwork } from "../../sources/resolve-network.ts";
import {
  COMMON,
  EXPECT_SIGNER,
  LEDGER_FILE,
  NETWORK,
  PROOF,
} from "../arguments/common-settings.ts";
import { readTransaction } from "../arguments/read-hashes.ts";
import { withSigner } from "../arguments/use-token.ts";
import { defineCommand } from "../command.ts";
import { STDOUT, saveCapsule } from "../present/save-capsule.ts";
import { proofOf, surroundingsOf, unhurried, withTimeLimit } from "../shell.ts";

const CAPTURE = {
  hash: {
    word: "one",
    required: true,
    help: "Transaction hash (64 hexadecimal characters), or the URL of a page about it.",
  },
  ...NETWORK,
  ...LEDGER_FILE,
  save: {
    hint: "FILE",
    otherwise: "<hash>.capsule.json",
    help: "Name of the capsule file; - is standard output.",
  },
  output: {
    hint: "DIR",
    otherwise: "the current directory",
    help: "Directory for the capsule file.",
  },
  sign: { help: "Sign the capsule with a key on a PKCS#11 token." },
  ...EXPECT_SIGNER,
  ...PROOF,
  ...TOKEN_SETTINGS,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(
  CAPTURE,
  async (shell, args) => {
    const { hash, network } = readTransaction(args.hash);
    if (args.save === STDOUT && shell.json)
      throw usageError(
        "--save - and --json cannot be used together: both write standard output.",
        "Remove `--json`, or save the capsule in a file.",
      );
    const config = configOf(unhurried(onNetwork(args, network)));
    const { openEngines } = await import("../../debugger/setup/open-engines.ts");
    const { openTools } = await import("../../tools/tools.ts");
    const { progress } = shell.log;
    const asked = { ledgerFiles: args.ledgerFile ?? [], progress };
    const proof = proofOf(shell, args);
    const engines = openEngines(config, { surroundings: surroundingsOf(shell), proof, ...asked });
    const timed = withTimeLimit(shell, config);
    const captured = await openTools(engines).capture(hash, { signal: timed.signal, progress });
    const place = { file: args.save ?? `${hash}.capsule.json`, directory: args.output };
    const file = args.sign
      ? await saveCapsule(timed, captured, place, (use) => withSigner(shell, args, use))
      : await saveCapsule(timed, captured, place);
    if (file === STDOUT) return 0;
    await shell.output.write(shell.json ? renderCaptured(captured, file) : `${file}\n`);
    return 0;
  },
  {
    examples: [
      ["<hash>", "Writes <hash>.capsule.json."],
      ["<hash> -n mainnet --save tx.capsule.json", "With another name."],
    ],
  },
);

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
