// Source files of this machine, for stepping.

import { existsSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import type { SourceFiles } from "../stepping/source-files.ts";

export const SOURCE_FILES: SourceFiles = {
  join: (directory, path) => normalize(join(directory, path)),
  has: (path) => isAbsolute(path) && existsSync(path),
  read: (path) =>
    Bun.file(path)
      .text()
      .catch(() => null),
};
