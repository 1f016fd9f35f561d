// The flags of every command that uses a token, and the way to one of its keys.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ArgsDef } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import { type Pkcs11Settings, resolvePkcs11Settings } from "../../base/settings/pkcs11-settings.ts";
import { Secret } from "../../base/terminal/secret.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Signer } from "../../model/signer.ts";
import type { ModulePlace } from "../../signing/open-module.ts";
import type { TokenSlot } from "../../signing/tokens.ts";
import type { Shell } from "../shell.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";
import { expectedSigner } from "./expected-signer.ts";

export const TOKEN_FLAGS = {
  module: {
    type: "string",
    valueHint: "FILE",
    description: "The PKCS#11 module; SVC_PKCS11_MODULE when not given.",
  },
  "token-label": {
    type: "string",
    valueHint: "TEXT",
    description: "The token, by its label; needless when there is one.",
  },
  slot: { type: "string", valueHint: "N", description: "The token, by its slot's number." },
  "key-label": {
    type: "string",
    valueHint: "TEXT",
    description: "The key, by its label; needless when the token has one for Ed25519.",
  },
  "key-id": { type: "string", valueHint: "HEX", description: "The key, by its CKA_ID." },
  "pin-file": {
    type: "string",
    valueHint: "FILE",
    description: "File with the PIN; otherwise SVC_PKCS11_PIN, or it is asked for.",
  },
} as const satisfies ArgsDef;

const MAXIMUM_PIN_FILE_BYTES = 1024;
const READABLE_BY_OTHERS = 0o004;

export function pkcs11Settings({ facts }: Shell, args: ParsedFlags): Pkcs11Settings {
  return resolvePkcs11Settings({
    flags: {
      module: textFlag(args, "module"),
      tokenLabel: textFlag(args, "token-label"),
      slot: textFlag(args, "slot"),
      keyLabel: textFlag(args, "key-label"),
      keyId: textFlag(args, "key-id"),
      pinFile: textFlag(args, "pin-file"),
    },
    environment: facts.environment,
  });
}

export function modulePlace({ facts }: Shell, settings: Pkcs11Settings): ModulePlace {
  const { workingDirectory, executablePath } = facts;
  return { module: settings.module, workingDirectory, executablePath };
}

/**
 * Calls `use` once with the key that the flags mean; it must not keep the signer. Throws every
 * PKCS11_… code, and SIGNER_UNEXPECTED.
 */
export async function withSigner<Result>(
  shell: Shell,
  args: ParsedFlags,
  use: (signer: Signer) => Result,
): Promise<Result> {
  const settings = pkcs11Settings(shell, args);
  const { guardMemory } = await import("../../signing/guard-memory.ts");
  const { useTokenKey } = await import("../../signing/use-key.ts");
  guardMemory();
  const access = {
    place: modulePlace(shell, settings),
    token: settings,
    key: settings,
    pinFor: (slot: TokenSlot) => pinFor(shell, settings, slot),
    holdSignals: () => holdSignals(shell),
  };
  const expected = expectedSigner(args);
  const result = await useTokenKey(access, (signer) => {
    if (expected !== null && expected !== signer.address)
      throw new SvcError("SIGNER_UNEXPECTED", {
        message: `The key on the token is ${signer.address}, not ${expected}. Nothing was signed.`,
        remedy: "Choose another key with --key-label or --key-id, or correct --expect-signer.",
      });
    return use(signer);
  });
  // A signal that came meanwhile has its turn before anything that was signed gets out.
  await new Promise(setImmediate);
  shell.signal.throwIfAborted();
  return result;
}

/** Null: none is given anywhere but, perhaps, at a terminal. Throws FILE_UNREADABLE. */
export async function givenPin(shell: Shell, settings: Pkcs11Settings): Promise<Secret | null> {
  if (settings.pinFile !== null) return readPinFile(shell, settings.pinFile);
  const fromEnvironment = shell.facts.environment.SVC_PKCS11_PIN ?? "";
  return fromEnvironment === "" ? null : new Secret(new TextEncoder().encode(fromEnvironment));
}

async function pinFor(shell: Shell, settings: Pkcs11Settings, slot: TokenSlot): Promise<Secret> {
  const given = await givenPin(shell, settings);
  const { label, pin } = slot.token;
  if (given !== null) return given;
  const { readSecret } = await import("../../base/terminal/read-secret.ts");
  const warning = pin.finalTry ? " (ONE TRY LEFT)" : pin.countLow ? " (wrong PINs were given)" : "";
  const asked = await readSecret({
    ask: (text) => void shell.facts.stderr().write(text),
    question: `PIN of the token "${neutralise(label)}"${warning}: `,
    signal: shell.signal,
  });
  if (asked !== null && !asked.isEmpty) return asked;
  throw new SvcError("PKCS11_PIN_UNKNOWN", {
    message:
      asked === null
        ? "No PIN is given, and there is no terminal to ask for it."
        : "No PIN was typed.",
    remedy: "Set SVC_PKCS11_PIN, or give --pin-file; the PIN is never a flag.",
  });
}

async function readPinFile(shell: Shell, name: string): Promise<Secret> {
  const path = resolve(shell.facts.workingDirectory, name);
  const file = Bun.file(path);
  let bytes: Uint8Array;
  try {
    const { mode, size } = await file.stat();
    if (size > MAXIMUM_PIN_FILE_BYTES) throw pinFileUnreadable(path, "larger than any PIN");
    if ((mode & READABLE_BY_OTHERS) !== 0)
      shell.log.warn(`The PIN file ${path} can be read by everybody on this machine.`);
    bytes = await readFile(path);
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw pinFileUnreadable(path, (cause as { code?: string }).code ?? "unknown", cause);
  }
  // A line break at the end belongs to the file and not to the PIN.
  const end = bytes.findLastIndex((byte) => byte !== 10 && byte !== 13) + 1;
  const pin = new Secret(new Uint8Array(bytes.subarray(0, end)));
  bytes.fill(0);
  return pin;
}

function pinFileUnreadable(path: string, why: string, cause?: unknown): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: `The PIN file ${path} cannot be read (${why}).`,
    remedy: "Check the path given with --pin-file or SVC_PKCS11_PIN_FILE, and its permissions.",
    cause,
  });
}

/**
 * A signal without a listener ends the process at once, with the session open. With one it waits
 * for its turn, which comes when the session is closed; then it does what it would have done.
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
