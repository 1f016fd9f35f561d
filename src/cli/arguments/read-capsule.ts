// The capsule of --from: a file, or standard input with `-`.

import type { CapsuleText } from "../../debugger/walk/open-capsule.ts";
import type { InputShell } from "../shell.ts";
import { readInput } from "./read-input.ts";

/** Throws FILE_UNREADABLE. */
export async function readCapsule(shell: InputShell, word: string): Promise<CapsuleText> {
  const { name, bytes } = await readInput(shell, word, { what: "The capsule ", flag: "--from" });
  return { name, text: new TextDecoder().decode(bytes) };
}
