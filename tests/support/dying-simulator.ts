// svc-sim that ends when it runs one transaction, and not when it is asked for its cost alone.

import { chmodSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";

export async function openDyingSimulator() {
  const directory = mkdtempSync(join(tmpdir(), "svc-dying-"));
  const marked = join(directory, "marked");
  const path = join(directory, "svc-sim");
  const endAt = (envelopeXdr: string | null) => Bun.write(marked, envelopeXdr ?? "nothing");
  await endAt(null);
  await Bun.write(
    path,
    `#!/bin/sh
while IFS= read -r line; do
  marked="$(cat ${marked})"
  case "$line" in *'"diagnostics":true'*)
    case "$line" in *"$marked"*) exit 1;; esac;;
  esac
  printf '%s\\n' "$line"
done | ${SIMULATOR_BINARY} "$@"
`,
  );
  chmodSync(path, 0o755);
  symlinkSync(RECORDING_BINARY, join(directory, "svc-sim-recording"));
  return { path, endAt };
}
