// The settings that select a token and a key: flags, then SVC_PKCS11_* variables. A settings file
// cannot have them: it belongs to a project, and a token belongs to a machine. The PIN has no flag
// because other users of the machine can read a command line.

import * as v from "valibot";
import { nonEmpty, place, readSettings } from "./setting-layers.ts";

export interface Pkcs11Settings {
  readonly module: string | null;
  readonly tokenLabel: string | null;
  readonly slot: number | null;
  readonly keyLabel: string | null;
  /** Hex, lower case. */
  readonly keyId: string | null;
  readonly pinFile: string | null;
}

type SettingName = keyof Pkcs11Settings;

const slotNumber = v.pipe(
  v.string(),
  v.regex(/^(?:\d{1,15}|0x[0-9a-f]{1,12})$/i, "must be a slot number, such as 0 or 0x1f"),
  v.transform(Number),
);

const keyId = v.pipe(
  v.string(),
  v.regex(/^(?:[0-9a-f]{2}){1,64}$/i, "must be a hexadecimal ID, such as 01"),
  v.toLowerCase(),
);

const DEFINITIONS = {
  module: { ...place("--module", "SVC_PKCS11_MODULE"), schema: nonEmpty },
  tokenLabel: { ...place("--token-label", "SVC_PKCS11_TOKEN_LABEL"), schema: nonEmpty },
  slot: { ...place("--slot", "SVC_PKCS11_SLOT"), schema: slotNumber },
  keyLabel: { ...place("--key-label", "SVC_PKCS11_KEY_LABEL"), schema: nonEmpty },
  keyId: { ...place("--key-id", "SVC_PKCS11_KEY_ID"), schema: keyId },
  pinFile: { ...place("--pin-file", "SVC_PKCS11_PIN_FILE"), schema: nonEmpty },
} as const;

const UNSET: Pkcs11Settings = {
  module: null,
  tokenLabel: null,
  slot: null,
  keyLabel: null,
  keyId: null,
  pinFile: null,
};

export interface Pkcs11Inputs {
  /** By setting name; undefined when the flag was not given. */
  readonly flags: Readonly<Partial<Record<SettingName, string | undefined>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws USAGE for a bad flag and CONFIG_INVALID for a bad variable. */
export function resolvePkcs11Settings(inputs: Pkcs11Inputs): Pkcs11Settings {
  const { values } = readSettings(DEFINITIONS, { ...inputs, file: null });
  return Object.freeze({ ...UNSET, ...values } as Pkcs11Settings);
}
