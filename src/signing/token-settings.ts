// The settings that select a token and a key: flags, then SVC_PKCS11_* variables. A settings file
// cannot have them: it belongs to a project, and a token belongs to a machine. The PIN has no flag
// because other users of the machine can read a command line.

import * as v from "valibot";
import { text, type Values, withVariables } from "../base/settings/setting.ts";

export const PIN_VARIABLE = "SVC_PKCS11_PIN";

export const TOKEN_SETTINGS = withVariables("SVC_PKCS11_", {
  module: {
    hint: "FILE",
    schema: text,
    help: "Path of the PKCS#11 module; the system searches a bare name in its library directories.",
  },
  tokenLabel: {
    hint: "TEXT",
    schema: text,
    help: "Label of the token. Not needed if there is only one token.",
  },
  slot: {
    hint: "N",
    schema: v.pipe(
      v.string(),
      v.regex(/^(?:\d{1,15}|0x[0-9a-f]{1,12})$/i, "must be a slot number, such as 0 or 0x1f"),
      v.transform(Number),
    ),
    help: "Slot number of the token, decimal or 0x….",
  },
  keyLabel: {
    hint: "TEXT",
    schema: text,
    help: "Label of the key. Not needed if the token has only one Ed25519 key.",
  },
  keyId: {
    hint: "HEX",
    schema: v.pipe(
      v.string(),
      v.regex(/^(?:[0-9a-f]{2}){1,64}$/i, "must be a hexadecimal ID, such as 01"),
      v.toLowerCase(),
    ),
    help: "CKA_ID of the key in hexadecimal; distinguishes keys with the same label.",
  },
  pinFile: {
    hint: "FILE",
    schema: text,
    otherwise: `${PIN_VARIABLE}, then a prompt`,
    help: "File that contains the PIN; a line break at its end is ignored.",
  },
} as const);

export type TokenSettings = Values<typeof TOKEN_SETTINGS>;
