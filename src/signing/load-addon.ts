// Loads pkcs11.node, the native half of pkcs11js: the file next to the executable, otherwise the
// copy in the executable. The system's loader needs a file, so the copy is written to a directory
// that only this user can write to, and removed after it is loaded. Other users cannot replace it
// with other code.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { BUILD_INFO } from "../base/build-info.ts";
import { SvcError } from "../base/errors/errors.ts";
import { messageOf, systemCodeOf } from "../base/errors/system-code.ts";
import type { NativeAddon } from "./cryptoki.ts";

const NAME = "pkcs11.node";

/** Loads the addon. Throws PKCS11_ADDON_UNAVAILABLE. */
export async function loadAddon(executablePath: string): Promise<NativeAddon> {
  const beside = BUILD_INFO.compiled
    ? join(dirname(executablePath), NAME)
    : resolve(import.meta.dir, "../../dist", NAME);
  return existsSync(beside) ? load(beside) : loadCopy(await readEmbedded());
}

async function readEmbedded(): Promise<Uint8Array> {
  try {
    const { EMBEDDED_ADDON_PATH } = await import("./embedded-addon.ts");
    return readFileSync(EMBEDDED_ADDON_PATH);
  } catch (cause) {
    throw new SvcError("PKCS11_ADDON_UNAVAILABLE", {
      message: "This svc was built without its PKCS#11 addon.",
      remedy: "Use a released svc, or build svc on a machine with a C++ compiler.",
      cause,
    });
  }
}

function loadCopy(bytes: Uint8Array): NativeAddon {
  let directory: string;
  let path: string;
  try {
    directory = mkdtempSync(join(tmpdir(), "svc-pkcs11-"));
    path = join(directory, NAME);
    writeFileSync(path, bytes, { mode: 0o700 });
  } catch (cause) {
    const reason = systemCodeOf(cause) ?? "unknown";
    throw unavailable(`The PKCS#11 addon cannot be written to ${tmpdir()} (${reason}).`, cause);
  }
  try {
    return load(path);
  } finally {
    // Windows cannot remove a loaded file.
    if (process.platform !== "win32") rmSync(directory, { recursive: true, force: true });
  }
}

function load(path: string): NativeAddon {
  const module: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(module, path);
  } catch (cause) {
    // The message of the system's loader begins with the path.
    const reason = messageOf(cause).replace(`${path}: `, "");
    throw unavailable(`The PKCS#11 addon ${path} cannot be loaded: ${reason}`, cause);
  }
  return module.exports as NativeAddon;
}

function unavailable(message: string, cause: unknown): SvcError {
  return new SvcError("PKCS11_ADDON_UNAVAILABLE", {
    message,
    remedy:
      `Set TMPDIR to a directory where files can be written and executed, or put ${NAME} from the ` +
      "release archive next to svc.",
    cause,
  });
}
