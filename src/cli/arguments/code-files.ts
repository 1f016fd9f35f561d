// The directory of --code: every wasm file in it, whatever its name.

import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import { whyUnreadable } from "../../base/files/read-file.ts";
import type { InputShell } from "../shell.ts";
import { readUserFile } from "./user-file.ts";

const FLAG = "--code";

/** Not below it. Throws FILE_UNREADABLE. */
export async function readCode(
  shell: InputShell,
  directory: string,
): Promise<{ readonly file: string; readonly bytes: Uint8Array }[]> {
  const names = await readdir(resolve(shell.facts.workingDirectory, directory)).catch((cause) => {
    throw new SvcError("FILE_UNREADABLE", {
      message: `The directory ${directory} cannot be read (${whyUnreadable(cause)}).`,
      remedy: `Check the path in \`${FLAG}\`, and its permissions.`,
      cause,
    });
  });
  const found: { file: string; bytes: Uint8Array }[] = [];
  for (const name of names.filter((each) => each.endsWith(".wasm")).sort()) {
    const path = join(directory, name);
    const kind = await stat(resolve(shell.facts.workingDirectory, path)).catch(() => null);
    if (kind?.isFile() !== true) continue;
    found.push({
      file: path,
      bytes: await readUserFile(shell, { path, what: "wasm", flag: FLAG }),
    });
  }
  return found;
}
