// A capsule that --from names: who signed it is said, and --expect-signer is heeded.

import { resolve } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import type { ParsedFlags } from "./arguments/common-flags.ts";
import { expectedSigner } from "./arguments/expected-signer.ts";
import type { Shell } from "./shell.ts";

/** Throws what `openCapsule` throws, and SIGNER_UNEXPECTED. */
export async function openSignedCapsule(
  shell: Shell,
  args: ParsedFlags,
  file: string,
  hash: string | null,
): Promise<Captured> {
  const { openCapsule } = await import("../debugger/walk/open-capsule.ts");
  const { signers, ...captured } = await openCapsule(
    resolve(shell.facts.workingDirectory, file),
    hash,
  );
  const expected = expectedSigner(args);
  if (expected !== null && !signers.includes(expected))
    throw new SvcError("SIGNER_UNEXPECTED", {
      message: `${file} is signed by ${signers.join(", ") || "nobody"}, not by ${expected}.`,
      remedy: "Ask for a capsule with that signature, or correct --expect-signer.",
    });
  if (signers.length > 0) shell.log.info(`The capsule is signed by ${signers.join(", ")}.`);
  return captured;
}
