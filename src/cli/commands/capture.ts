// svc capture: writes a capsule file with everything that a replay of a transaction needs. It needs
// svc-sim if the state follows from ledgers, which svc-sim folds, or from the replays of a proof.

import { basename, dirname, resolve } from "node:path";
import * as v from "valibot";
import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import { withRules } from "../../base/settings/check-rules.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import {
  COMMON,
  EXPECT_SIGNER,
  LEDGER_FILE,
  NETWORK,
  PROOF,
} from "../../command/common-settings.ts";
import { isDemoWord } from "../../command/demo-capsules.ts";
import type { Lent } from "../../command/lending.ts";
import { readTransaction } from "../../command/read-hashes.ts";
import { proofOf, proveWish, type Shell, withTimeLimit, workOptions } from "../../command/shell.ts";
import type { Captured } from "../../debugger/walk/capture-transaction.ts";
import { configOf } from "../../sources/network-settings.ts";
import { onNetwork } from "../../sources/resolve-network.ts";
import { LENT_SETTINGS } from "../lent-settings.ts";
import { STDOUT, saveCapsule, type WithSigner } from "../present/save-capsule.ts";

const CAPTURE = {
  hash: {
    word: "one",
    required: true,
    help: "Transaction hash (64 hexadecimal characters), or the URL of a page about the transaction. With another --format than capsule, also a capsule file (demo:NAME: one of `svc demo`).",
  },
  ...NETWORK,
  ...LEDGER_FILE,
  format: {
    hint: "FORMAT",
    schema: v.picklist(["capsule", "sdk-snapshot", "rust-test"]),
    default: "capsule",
    help: "File to write: a capsule, the state for a test with soroban-sdk, or both state and test.",
  },
  save: {
    hint: "FILE",
    otherwise: "<hash>.capsule.json",
    valueRules: { "-": { notWith: ["json"] } },
    help: "Name of the file; - is standard output.",
  },
  output: {
    hint: "DIR",
    otherwise: "the current directory",
    notWith: [{ setting: "save", is: ["-"] }],
    valueRules: { "-": { notWith: ["json", "save"] } },
    help: "Directory for the capsule file; - is standard output.",
  },
  sign: {
    notWith: [{ setting: "format", not: ["capsule"], words: "another --format" }],
    help: "Sign the capsule with a key on a PKCS#11 token.",
  },
  ...withRules({ onlyWith: ["sign"] }, EXPECT_SIGNER),
  // The rows of the key belong to the product that signs, and only it reads them.
  ...(withRules({ onlyWith: ["sign"] }, { ...LENT_SETTINGS.signer }) as object),
  ...PROOF,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(CAPTURE, captureCommand, {
  examples: [
    ["<hash>", "Writes <hash>.capsule.json."],
    ["<hash> -n mainnet --save tx.capsule.json", "Save under another name."],
    ["<hash> --format rust-test --output tests", "Write a test that makes the call again."],
  ],
});

async function captureCommand(
  shell: Shell,
  parsed: Arguments<typeof CAPTURE>,
  lent: Lent,
): Promise<number> {
  // A capture writes one file, so the directory can be standard output as well as the name.
  const args = parsed.output === STDOUT ? { ...parsed, output: null, save: STDOUT } : parsed;
  if (args.format !== "capsule" && isCapsuleWord(args.hash)) return writeTestOf(shell, args);
  const signer = async () => (args.sign ? await signerOf(shell, args, lent) : null);
  // svc carries its capsule, so that a copy of it is a file like any other.
  if (isDemoWord(args.hash))
    return writeCapsule(shell, await openedCapsule(shell, args), args, await signer());
  const { hash, network } = await readTransaction(args.hash);
  const prove = proveWish(args);
  const config = configOf(onNetwork(args, network));
  const { openWork } = await import("../../tools/open-work.ts");
  const ledgerFiles = args.ledgerFile ?? [];
  const proof = proofOf(shell, args);
  const { tools } = openWork(config, { ...workOptions(shell), ledgerFiles, proof });
  const timed = withTimeLimit(shell, config);
  const { progress } = shell.log;
  const captured = await tools.capture(hash, { signal: timed.signal, progress }, prove);
  if (args.format !== "capsule") return printTest(timed, captured, args);
  return writeCapsule(timed, captured, args, await signer());
}

async function writeCapsule(
  shell: Shell,
  captured: Captured,
  { save, output }: Pick<Arguments<typeof CAPTURE>, "save" | "output">,
  signer: WithSigner | null,
): Promise<number> {
  const place = { file: save ?? `${captured.record.hash}.capsule.json`, directory: output };
  const file = await saveCapsule(shell, captured, place, ...(signer === null ? [] : [signer]));
  if (file === STDOUT) return 0;
  await shell.output.write(shell.json ? renderCaptured(captured, file) : `${file}\n`);
  return 0;
}

/** A hash and a URL have no such end. */
function isCapsuleWord(word: string): boolean {
  return isDemoWord(word) || (/\.(?:json|html)$/.test(word) && !/^https?:/.test(word));
}

/** Makes no requests: the capsule has the transaction and its state. */
async function writeTestOf(shell: Shell, args: Arguments<typeof CAPTURE>): Promise<number> {
  return printTest(shell, await openedCapsule(shell, args), args);
}

async function openedCapsule(shell: Shell, args: Arguments<typeof CAPTURE>): Promise<Captured> {
  if (args.prove)
    throw usageError(
      "A capsule file and --prove cannot be used together.",
      phrase`Prove the file first: ${svc("debug --from FILE --prove --save FILE")}.`,
    );
  const { openSignedCapsule } = await import("../../command/open-signed-capsule.ts");
  return openSignedCapsule(shell, args.hash, null, null);
}

async function printTest(
  shell: Shell,
  captured: Captured,
  args: Pick<Arguments<typeof CAPTURE>, "format" | "save" | "output">,
): Promise<number> {
  const files = await saveTest(shell, captured, args);
  if (files !== null)
    await shell.output.write(
      shell.json ? renderCaptured(captured, files[0] ?? "") : `${files.join("\n")}\n`,
    );
  return 0;
}

/** The function that signs with the key that the arguments select. */
async function signerOf(
  shell: Shell,
  args: Arguments<typeof CAPTURE>,
  lent: Lent,
): Promise<WithSigner> {
  if (lent.signer === undefined)
    throw usageError("This svc has no keys to sign with.", phrase`Remove ${flag("sign")}.`);
  const { withSigner } = await lent.signer();
  return (use) => withSigner(shell, args as never, use);
}

/** The paths of the files; null if standard output has the only one. */
async function saveTest(
  shell: Shell,
  captured: Captured,
  { format, save, output }: Pick<Arguments<typeof CAPTURE>, "format" | "save" | "output">,
): Promise<readonly string[] | null> {
  const { rustTestOf, sdkSnapshotOf } = await import("../../debugger/walk/contract-test.ts");
  const { writeOutputFile } = await import("../../base/files/write-file.ts");
  const snapshot = sdkSnapshotOf(captured);
  const name = `transaction_${captured.record.hash.slice(0, 8)}`;
  const snapshotFile = `${name}.snapshot.json`;
  const isTest = format === "rust-test";
  if (save === STDOUT) {
    await shell.output.write(isTest ? rustTestOf(captured, snapshotFile) : snapshot);
    return null;
  }
  const parsed = save === null ? null : resolve(shell.facts.workingDirectory, output ?? ".", save);
  const folder = parsed === null ? (output ?? ".") : dirname(parsed);
  const directory = resolve(shell.facts.workingDirectory, folder);
  const own = parsed === null ? null : basename(parsed);
  const files: readonly (readonly [name: string, text: string])[] = isTest
    ? [
        [own ?? `${name}.rs`, rustTestOf(captured, snapshotFile)],
        [snapshotFile, snapshot],
      ]
    : [[own ?? snapshotFile, snapshot]];
  const paths: string[] = [];
  for (const [file, text] of files) paths.push(await writeOutputFile(directory, file, text, shell));
  return paths;
}

function renderCaptured({ record, snapshot }: Captured, file: string): string {
  const document = {
    format: 1,
    file,
    hash: record.hash,
    ledger: record.ledger.sequence,
    /** Null if nothing ran in the contract host. */
    entries: snapshot?.entries.length ?? null,
    unknown: snapshot?.unknown ?? [],
  };
  return jsonDocument(document);
}
