// Writes a capsule as a complete file, or to standard output with `-`. It never leaves a part of a
// file.

import { basename, dirname, resolve } from "node:path";
import { writeOutputFile } from "../../base/files/write-file.ts";
import type { Shell } from "../../command/shell.ts";
import type { Captured } from "../../debugger/walk/capture-transaction.ts";
import type { Signer } from "../../model/signing-view.ts";

/** Calls `use` once, with the signer, or with null for no signature. */
export type WithSigner = (use: (signer: Signer | null) => string) => Promise<string>;

export const STDOUT = "-";

/** Saves the capsule, and returns the path of the file, or `-`. Throws OUTPUT_UNWRITABLE. */
export async function saveCapsule(
  shell: Shell,
  { record, snapshot }: Pick<Captured, "record" | "snapshot">,
  place: {
    /** The name that the user wrote, relative to `directory`. */
    readonly file: string;
    /** Null for the current directory. */
    readonly directory: string | null;
  },
  withSigner: WithSigner = async (use) => use(null),
): Promise<string> {
  const { encodeCapsule } = await import("../../sources/files/capsule.ts");
  const text = await withSigner((signer) => encodeCapsule(record, snapshot, signer));
  if (place.file === STDOUT) {
    await shell.output.write(text);
    return STDOUT;
  }
  const path = resolve(shell.facts.workingDirectory, place.directory ?? ".", place.file);
  return writeOutputFile(dirname(path), basename(path), text, shell);
}
