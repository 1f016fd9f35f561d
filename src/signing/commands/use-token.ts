// Access to a key on the token that the settings select.

import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";
import { readFileWithin, whyUnreadable } from "../../base/files/read-file.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { Values } from "../../base/settings/setting.ts";
import { Secret } from "../../base/terminal/secret.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { nextTurn } from "../../base/turns.ts";
import type { EXPECT_SIGNER } from "../../command/common-settings.ts";
import type { Shell } from "../../command/shell.ts";
import type { Signer } from "../../model/signing-view.ts";
import type { ModulePlace } from "../open-module.ts";
import { PIN_VARIABLE, type TokenSettings } from "../token-settings.ts";
import type { TokenSlot } from "../tokens.ts";

const MAXIMUM_PIN_FILE_BYTES = 1024;
const READABLE_BY_OTHERS = 0o004;

export function modulePlace(
  { facts }: Shell,
  settings: Pick<TokenSettings, "module">,
): ModulePlace {
  const { workingDirectory, executablePath } = facts;
  return { module: settings.module, workingDirectory, executablePath };
}

/**
 * Calls `use` once with the key that the flags select. `use` must not keep the signer. Throws every
 * PKCS11_… code, and SIGNER_UNEXPECTED.
 */
export async function withSigner<Result>(
  shell: Shell,
  settings: TokenSettings & Values<typeof EXPECT_SIGNER>,
  use: (signer: Signer) => Result,
): Promise<Result> {
  const { guardMemory } = await import("../guard-memory.ts");
  const { useTokenKey } = await import("../use-key.ts");
  guardMemory();
  const access = {
    place: modulePlace(shell, settings),
    settings,
    pinFor: (slot: TokenSlot) => pinFor(shell, settings, slot),
    holdSignals: () => holdSignals(shell),
  };
  const { expectSigner: expected } = settings;
  const result = await useTokenKey(access, (signer) => {
    if (expected !== null && expected !== signer.address)
      throw new SvcError("SIGNER_UNEXPECTED", {
        message: `The key on the token is ${signer.address}, not ${expected}. Nothing was signed.`,
        remedy: phrase`Select another key with ${flag("keyLabel")} or ${flag("keyId")}, or correct ${flag("expectSigner")}.`,
      });
    return use(signer);
  });
  // A signal that arrived in the meantime is handled before the signature is returned.
  await nextTurn();
  shell.signal.throwIfAborted();
  return result;
}

/**
 * The PIN from a file or the environment; null if neither has it. Throws FILE_UNREADABLE, and
 * PKCS11_PIN_UNKNOWN for an empty file.
 */
export async function givenPin(
  shell: Shell,
  settings: Pick<TokenSettings, "pinFile">,
): Promise<Secret | null> {
  if (settings.pinFile !== null) return readPinFile(shell, settings.pinFile);
  const fromEnvironment = shell.facts.environment[PIN_VARIABLE] ?? "";
  return fromEnvironment === "" ? null : new Secret(new TextEncoder().encode(fromEnvironment));
}

async function pinFor(shell: Shell, settings: TokenSettings, slot: TokenSlot): Promise<Secret> {
  const configuredPin = await givenPin(shell, settings);
  const { label, pin } = slot.token;
  if (configuredPin !== null) return configuredPin;
  const { readSecret } = await import("../../base/terminal/read-secret.ts");
  const warning = pin.finalTry
    ? " (ONE TRY LEFT)"
    : pin.countLow
      ? " (wrong PINs were entered before)"
      : "";
  const typedPin = await readSecret({
    ask: (text) => void shell.facts.stderr().write(text),
    question: `PIN of the token "${neutralise(label)}"${warning}: `,
    signal: shell.signal,
  });
  if (typedPin !== null && !typedPin.isEmpty) return typedPin;
  throw new SvcError("PKCS11_PIN_UNKNOWN", {
    message:
      typedPin === null
        ? "No PIN is set, and there is no terminal for a prompt."
        : "No PIN was entered.",
    remedy: phrase`Set SVC_PKCS11_PIN or ${flag("pinFile")}. There is no flag for the PIN itself.`,
  });
}

async function readPinFile(shell: Shell, name: string): Promise<Secret> {
  const path = resolve(shell.facts.workingDirectory, name);
  const file = Bun.file(path);
  let bytes: Uint8Array;
  try {
    const { mode, size } = await file.stat();
    if (size > MAXIMUM_PIN_FILE_BYTES) throw pinFileUnreadable(path, "too large for a PIN");
    if ((mode & READABLE_BY_OTHERS) !== 0)
      shell.log.warn(`Every user of this machine can read the PIN file ${path}.`);
    const { signal } = shell;
    bytes = await readFileWithin(path, { signal, maximumBytes: MAXIMUM_PIN_FILE_BYTES });
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw pinFileUnreadable(path, whyUnreadable(cause), cause);
  }
  // A line break at the end is not part of the PIN.
  const end = bytes.findLastIndex((byte) => byte !== 10 && byte !== 13) + 1;
  const pin = new Secret(new Uint8Array(bytes.subarray(0, end)));
  bytes.fill(0);
  if (!pin.isEmpty) return pin;
  // A token counts an empty PIN as a wrong one, and locks after a few.
  throw new SvcError("PKCS11_PIN_UNKNOWN", {
    message: `The PIN file ${path} is empty. svc did not log in to the token.`,
    remedy: "Write the PIN to the file, or set SVC_PKCS11_PIN instead.",
  });
}

function pinFileUnreadable(path: string, why: string, cause?: unknown): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: `The PIN file ${path} cannot be read (${why}).`,
    remedy: phrase`Check the path in ${flag("pinFile")} or SVC_PKCS11_PIN_FILE, and its permissions.`,
    cause,
  });
}

/**
 * A signal without a listener ends the process immediately, with the session open. With a listener,
 * the signal is handled after the session is closed, and then ends the process as usual.
 */
export function holdSignals(shell: Shell): void {
  const process = shell.facts.terminal();
  for (const name of ["SIGHUP", "SIGQUIT"] as const) {
    const end = () => {
      process.off(name, end);
      process.kill(process.pid, name);
    };
    process.on(name, end);
  }
}
