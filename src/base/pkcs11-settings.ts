// Which token signs: flags, then SVC_PKCS11_* variables. They stand in no settings file: such a
// file travels with a project, and a token belongs to a machine. The PIN has no flag: other users
// of the machine can read a command line.

import * as v from "valibot";
import { SvcError } from "./errors.ts";

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

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(4096, "is too long"));

const SCHEMA = {
  module: text,
  tokenLabel: text,
  slot: v.pipe(
    v.string(),
    v.regex(/^(?:\d{1,15}|0x[0-9a-f]{1,12})$/i, "must be a slot's number, such as 0 or 0x1f"),
    v.transform(Number),
  ),
  keyLabel: text,
  keyId: v.pipe(
    v.string(),
    v.regex(/^(?:[0-9a-f]{2}){1,64}$/i, "must be an id in hexadecimal, such as 01"),
    v.toLowerCase(),
  ),
  pinFile: text,
} as const satisfies Record<SettingName, v.GenericSchema>;

const PLACES: Readonly<Record<SettingName, { flag: string; variable: string }>> = {
  module: { flag: "--module", variable: "SVC_PKCS11_MODULE" },
  tokenLabel: { flag: "--token-label", variable: "SVC_PKCS11_TOKEN_LABEL" },
  slot: { flag: "--slot", variable: "SVC_PKCS11_SLOT" },
  keyLabel: { flag: "--key-label", variable: "SVC_PKCS11_KEY_LABEL" },
  keyId: { flag: "--key-id", variable: "SVC_PKCS11_KEY_ID" },
  pinFile: { flag: "--pin-file", variable: "SVC_PKCS11_PIN_FILE" },
};

export interface Pkcs11Inputs {
  readonly flags: Readonly<Record<SettingName, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws USAGE for a bad flag and CONFIG_INVALID for a bad variable. */
export function resolvePkcs11Settings({ flags, environment }: Pkcs11Inputs): Pkcs11Settings {
  const settings = Object.keys(SCHEMA).map((key) => {
    const name = key as SettingName;
    const { flag, variable } = PLACES[name];
    const [origin, value] =
      flags[name] === undefined
        ? [variable, environment[variable] || undefined]
        : [flag, flags[name]];
    return [name, value === undefined ? null : parse(name, origin, value)] as const;
  });
  return Object.freeze(Object.fromEntries(settings)) as unknown as Pkcs11Settings;
}

function parse(name: SettingName, origin: string, value: string): string | number {
  const parsed = v.safeParse(SCHEMA[name], value);
  if (parsed.success) return parsed.output;
  const message = `${origin} ${parsed.issues[0].message}.`;
  if (origin.startsWith("--"))
    throw new SvcError("USAGE", { message, remedy: "See svc hsm list for tokens and keys." });
  throw new SvcError("CONFIG_INVALID", { message, remedy: `Correct ${origin}, or unset it.` });
}
