// Opens the capsule of --from, logs its signers, and enforces --expect-signer.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import { readCapsule } from "./read-input.ts";
import type { Shell } from "./shell.ts";

/** Opens the capsule. Throws the errors of `openCapsule`, and SIGNER_UNEXPECTED. */
export async function openSignedCapsule(
  shell: Shell,
  file: string,
  hash: string | null,
  expected: string | null,
): Promise<Captured> {
  const { openCapsule } = await import("../debugger/walk/open-capsule.ts");
  const { signers, ...captured } = openCapsule(await readCapsule(shell, file), hash);
  if (expected !== null && !signers.includes(expected))
    throw new SvcError("SIGNER_UNEXPECTED", {
      message:
        signers.length === 0
          ? `${file} is not signed; the signature of ${expected} is expected.`
          : `${file} is signed by ${signers.join(", ")}, not by ${expected}.`,
      remedy: phrase`Get a capsule with that signature, or correct ${flag("expectSigner")}.`,
    });
  if (signers.length > 0) shell.log.info(`The capsule is signed by ${signers.join(", ")}.`);
  return captured;
}
